package io.chainkeeper.replica;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.ordering.OrderingProtocol;
import io.chainkeeper.ordering.OrderingStatus;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a protocol: the only class that calls it, on one thread at a time ({@link Mailbox}). A run takes a batch of
 * inputs, carries out the effects of each input when that input has ended ({@link RecordedEffects}; no effect calls
 * back), and wakes links, log writer and apply thread once per batch.
 *
 * <p>Usually the I/O thread of the links runs the protocol, because most inputs come from there and most effects go
 * there, so that no thread has to be woken in between. The host's own thread starts the protocol, gives it its ticks,
 * runs it where the links have no thread, and reports failures.
 */
final class ProtocolHost implements Effects {
    private static final Logger LOG = LoggerFactory.getLogger(ProtocolHost.class);

    private record Defect(String message, Throwable cause) {}

    private final OwnCommands own;
    private final ProtocolLinks links;
    private final ReplicaLog log;
    private final HostedDisks disks;
    private final ApplyThread applyThread;
    private final Application application;
    private final ReplicaLimits limits;
    private final FailureHandler failure;
    private final Scheduler scheduler;
    private final Worker worker;
    private final Mailbox mailbox = new Mailbox();
    private final Object starting = new Object();
    private final Runnable runOnce = this::tryRunOnce;

    private final HeldMessages held;
    private final ReadBarriers barriers;
    private final HostGauges gauges;

    private final RecordedEffects recorded = new RecordedEffects(this);
    private OrderingProtocol protocol;
    private String protocolName;
    private boolean incarnationKept;

    /** Whether nobody else is in the ensemble, so that no link will ever come up. */
    private boolean isAlone;

    /** Guarded by {@code starting}. */
    private boolean hasBegun;

    private boolean hasBegunWell;

    /** The worker's: another thread ran the protocol when the worker was to do so. */
    private boolean wasBusy;

    /** While the log is read at start, values come faster than they can be executed; no input waits meanwhile. */
    private boolean recovering = true;

    private long durableSeen;
    private long nextTickNanos;

    /** How many ticks after the next one may come late: no thread wakes up for them unless an input comes. */
    private int quietTicks;

    /** When the next run has to begin if there is no input. */
    private volatile long nextRunNanos;

    /** When the host's own worker means to wake up. */
    private volatile long asleepUntilNanos;

    private volatile boolean stopping;

    /** Why there are no more runs. The host's own worker reports it: the handler may close the replica on the spot. */
    private volatile Defect defect;

    private volatile OrderingStatus status =
            new OrderingStatus(OrderingStatus.Role.LOOKING, OrderingStatus.NO_LEADER, 0);

    /**
     * @param own this replica's own commands
     * @param links to the other members
     * @param log what the protocol appends goes there
     * @param disks what the protocol writes to shared disks goes there, and comes back from there
     * @param applyThread what the protocol delivers goes there
     * @param application told of leader and members
     * @param limits bounds of a batch and of what waits
     * @param failure told, by the host's own worker, if the protocol fails
     * @param scheduler of the worker
     */
    ProtocolHost(
            OwnCommands own,
            ProtocolLinks links,
            ReplicaLog log,
            HostedDisks disks,
            ApplyThread applyThread,
            Application application,
            ReplicaLimits limits,
            FailureHandler failure,
            Scheduler scheduler) {
        this.own = own;
        this.links = links;
        this.log = log;
        this.disks = disks;
        this.applyThread = applyThread;
        this.application = application;
        this.limits = limits;
        this.failure = failure;
        this.held = new HeldMessages(links::send, log::awaitDurable, limits.maxHeldMessages());
        this.scheduler = scheduler;
        this.worker = scheduler.worker("ordering-" + own.replicaId(), this::work);
        this.barriers = new ReadBarriers(own.latencies().reads(), scheduler);
        this.gauges = new HostGauges(
                scheduler,
                limits.tickMillis(),
                List.of(
                        all -> all.putAll(protocol.gauges()),
                        log::putGauges,
                        disks::putGauges,
                        applyThread::putGauges,
                        barriers::putGauges,
                        all -> all.put("inputs_waiting", (long) mailbox.size())));
    }

    /** What the instance is to be created with. */
    Effects effects() {
        return recorded;
    }

    /** Gives the instance; before {@link #start}. */
    void host(OrderingProtocol instance, String name) {
        protocol = new RecordedProtocol(instance, recorded);
        protocolName = name;
        // The server asks for the names of the gauges once, perhaps before the first tick.
        gauges.measure();
    }

    /**
     * Starts the host's own worker and waits until the protocol has taken up what the log holds.
     *
     * @param alone whether nobody else is in the ensemble
     * @return false if the protocol could not take it up; it never runs then, which is reported too
     */
    boolean start(boolean alone) {
        isAlone = alone;
        worker.start();
        synchronized (starting) {
            scheduler.await(starting, "the protocol to take up the log", () -> hasBegun);
            return hasBegunWell;
        }
    }

    // ---------------------------------------------------------------- inputs, any thread

    void submit(Mailbox.Input input) {
        mailbox.add(input);
        wake();
    }

    /** Followed by a {@link #wake}; one for several inputs will do, as with the next two methods. */
    void add(Proposal proposal) {
        mailbox.add(proposal);
    }

    void add(TotalOrder.ReadWaiter reader) {
        mailbox.add(reader);
    }

    void add(Mailbox.Arrived message) {
        mailbox.add(message);
    }

    void wake() {
        if (mailbox.trySchedule() && !links.execute(runOnce)) {
            worker.wake();
        }
    }

    OrderingStatus status() {
        return status;
    }

    Map<String, Long> gauges() {
        return gauges.latest();
    }

    /** Tells how much waits for the protocol, and for the log behind it. Not while somebody runs it. */
    void tellOccupancy(Occupancy occupancy) {
        mailbox.tellOccupancy(occupancy, limits);
        held.tellOccupancy(occupancy);
    }

    /** How long ago the host last measured itself; while it works, about half a second at most. */
    long silentMillis() {
        return gauges.silentMillis();
    }

    // ---------------------------------------------------------------- running

    private long work() {
        if (!hasBegun) {
            runToEnd(this::begin);
            tellBegun();
        } else if (wasBusy) {
            wasBusy = false;
        } else if (!stopping && !tryRunOnce() && !stopping) {
            wasBusy = true;
            // Another thread runs the protocol; that may take long, if it waits for the disk.
            return TimeUnit.MILLISECONDS.toNanos(limits.tickMillis());
        }
        return stopping ? end() : untilNextRun();
    }

    private void tellBegun() {
        synchronized (starting) {
            hasBegunWell = !stopping;
            hasBegun = true;
            starting.notifyAll();
        }
    }

    private long end() {
        if (!mailbox.tryStop()) {
            return Work.WHEN_WOKEN;
        }
        Defect found = defect;
        if (found != null) {
            failure.failed(found.message(), found.cause());
        }
        return Work.NEVER;
    }

    private void begin() {
        long hash = application.proposerTable().prefixHash();
        protocol.onStart(log.recovered(application.recoveredPosition()).with(application.recoveredMembership(), hash));
        recovering = false;
        applyThread.recoveryEnded();
        if (isAlone) {
            keepIncarnation();
        }
        protocol.onBatchEnd();
        applyThread.wake();
        nextTickNanos = scheduler.nanoTime();
        asleepUntilNanos = nextTickNanos;
        runBatch();
    }

    /** Runs one batch; returns false if another thread runs the protocol, or none will any more. */
    private boolean tryRunOnce() {
        boolean runs = !stopping && mailbox.tryBeginRun();
        if (runs) {
            runToEnd(this::runBatch);
        }
        return runs;
    }

    /** Does the work of the run that the calling thread has begun, and ends the run. */
    private void runToEnd(Runnable work) {
        try {
            work.run();
            endRun();
        } catch (PartStoppedException e) {
            abortRun(defect);
        } catch (RuntimeException | Error e) {
            abortRun(new Defect(
                    "The ordering protocol failed: " + e.getMessage() + ". This replica stops; the others go on.", e));
        }
    }

    private void abortRun(Defect found) {
        defect = found;
        stopping = true;
        mailbox.abortRun();
        worker.wake();
    }

    private void endRun() {
        long seen = durableSeen;
        if (!isInputWaiting(seen)) {
            // The apply thread wakes nobody for links that were not paused yet when it looked.
            quietTicks = links.somePaused() ? 0 : protocol.quietTicks();
        }
        nextRunNanos = nextTickNanos + quietTicks * TimeUnit.MILLISECONDS.toNanos(limits.tickMillis());
        mailbox.endRun();
        if (isInputWaiting(seen)) {
            wake();
        }
        if (!worker.isCurrent() && (stopping || nextRunNanos - asleepUntilNanos < 0)) {
            worker.wake();
        }
    }

    private boolean isInputWaiting(long seenDurable) {
        return !mailbox.isEmpty() || log.durableSequence() != seenDurable;
    }

    private long untilNextRun() {
        long until = nextRunNanos;
        asleepUntilNanos = until;
        long left = until - scheduler.nanoTime();
        // A run that wants the next one earlier than that wakes the worker.
        return left > 0 && nextRunNanos == until && !stopping ? left : Work.AT_ONCE;
    }

    private void runBatch() {
        boolean worked = tickIfDue();
        Object input;
        int count = 0;
        while (count < limits.maxInputsPerBatch() && (input = mailbox.poll()) != null) {
            dispatch(input);
            count++;
        }
        worked |= noticeDurable() || count > 0;
        if (barriers.isAnyMissing()) {
            protocol.onReadBarrier(barriers.open());
        }
        if (worked) {
            protocol.onBatchEnd();
            // First, because flushing may write to sockets, and the apply thread can work meanwhile.
            applyThread.wake();
            links.flush();
        }
        links.resumeWhereDrained(applyThread.backlogBytes());
    }

    private void dispatch(Object input) {
        if (input instanceof Proposal proposal) {
            propose(proposal);
        } else if (input instanceof Mailbox.Arrived arrived) {
            links.dequeued(arrived.peer(), arrived.frameBytes());
            protocol.onMessage(arrived.peer(), arrived.message());
        } else if (input instanceof TotalOrder.ReadWaiter waiter) {
            barriers.add(waiter);
        } else {
            ((Mailbox.Input) input).feed(protocol);
        }
    }

    /** Makes the incarnation durable, once, before any command of this incarnation can leave this replica. */
    void keepIncarnation() {
        if (incarnationKept) {
            return;
        }
        incarnationKept = true;
        recorded.begin();
        recorded.append(LogAtStart.protocol(protocolName));
        long sequence = recorded.append(LogAtStart.incarnation(own.incarnation()));
        recorded.end();
        log.awaitDurable(sequence);
    }

    private void propose(Proposal proposal) {
        protocol.onPropose(own.number(proposal));
    }

    private boolean tickIfDue() {
        long now = scheduler.nanoTime();
        if (now - nextTickNanos < 0) {
            return false;
        }
        long tickNanos = TimeUnit.MILLISECONDS.toNanos(limits.tickMillis());
        long missed = (now - nextTickNanos) / tickNanos;
        int ticks = 1 + (int) Math.min(missed, quietTicks);
        // After a pause the missed ticks are not made up for: the others' clocks went on meanwhile, ours starts afresh.
        nextTickNanos = missed < quietTicks ? nextTickNanos + ticks * tickNanos : now + tickNanos;
        quietTicks = 0;
        applyThread.tellExecuted(protocol::onExecuted);
        for (int i = 0; i < ticks; i++) {
            protocol.onTick();
        }
        gauges.ticked(ticks);
        return true;
    }

    private boolean noticeDurable() {
        long durable = log.durableSequence();
        if (durable == durableSeen) {
            return false;
        }
        durableSeen = durable;
        held.release(durable);
        protocol.onDurable(durable);
        return true;
    }

    // ---------------------------------------------------------------- effects

    @Override
    public void send(int to, Message message) {
        held.send(to, message);
    }

    @Override
    public void sendAfter(long logSequence, int to, Message message) {
        held.sendAfter(logSequence, to, message);
    }

    @Override
    public long append(LogRecord record) {
        return held.appended(log.append(record));
    }

    @Override
    public void deliver(long position, ByteSlice value, long prefixHash) {
        if (recovering) {
            applyThread.awaitRoom(limits.maxBacklogBytes());
        }
        applyThread.deliver(position, value, prefixHash);
    }

    @Override
    public void barrierReached(long token) {
        applyThread.barrier(barriers.reached(token));
    }

    @Override
    public void truncate(long belowPosition) {
        log.truncate(belowPosition);
    }

    @Override
    public void readLog(long fromPosition, int maxBytes) {
        log.read(fromPosition, maxBytes, new ReplicaLog.ReadListener() {
            @Override
            public void onRead(List<LogRecord> records) {
                submit(p -> p.onLogRead(fromPosition, records));
            }

            @Override
            public void onReadFailed(Exception cause) {
                // Reported by the host's own worker: closing the replica waits for the one that has read.
                submit(p -> {
                    defect = new Defect(
                            "Reading position " + fromPosition + " from the acceptor log failed: " + cause.getMessage()
                                    + ". This replica stops; check its disk.",
                            cause);
                    throw new PartStoppedException("the acceptor log cannot be read");
                });
            }
        });
    }

    @Override
    public void writeBlocks(int disk, long offset, ByteSlice bytes) {
        disks.write(disk, offset, bytes);
    }

    @Override
    public void readBlocks(int disk, long offset, int length) {
        disks.read(disk, offset, length);
    }

    @Override
    public void needState(int fromPeer, long position) {
        application.stateNeeded(fromPeer, position);
    }

    @Override
    public void wantCheckpoint() {
        application.checkpointWanted();
    }

    @Override
    public void refuse(int from, String reason) {
        links.disconnect(from, reason);
    }

    @Override
    public void statusChanged(OrderingStatus next) {
        status = next;
        application.statusChanged(next);
    }

    @Override
    public void memberSilent(int member, boolean silent) {
        application.memberSilent(member, silent);
    }

    @Override
    public void orderContradicted(int peer, String difference) {
        LOG.error(
                "Server {} holds another order than this server: {}. They do not work with each other any more; the one"
                        + " that a majority contradicts stops: docs/operations.md, \"Divergence alarm\"",
                peer,
                difference);
    }

    void close() throws InterruptedException {
        stopping = true;
        worker.wake();
        worker.join();
    }
}
