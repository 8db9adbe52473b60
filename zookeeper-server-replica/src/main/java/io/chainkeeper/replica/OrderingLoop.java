package io.chainkeeper.replica;

import io.chainkeeper.log.AcceptorLog;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.MessageCodec;
import io.chainkeeper.ordering.OrderingProtocol;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.transport.PeerTransport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All that touches the protocol, by one thread at a time. Takes inputs in batches, carries out the effects of each when
 * it has ended ({@link RecordedEffects}; none of them calls back), and wakes links, log writer and executor once per
 * batch.
 *
 * <p>A batch is the {@link Turn} of the links' I/O thread, which most inputs come from and most effects go to, so that
 * nobody is woken in between. A thread of its own starts the protocol, gives it its ticks, takes over where the links
 * have no thread, and tells failures.
 */
final class OrderingLoop implements Runnable, Effects {
    private static final Logger LOG = LoggerFactory.getLogger(OrderingLoop.class);
    private static final int GAUGES_PERIOD_MILLIS = 500;

    /** An input other than a proposal, a read or a message. */
    interface Input {
        void feed(OrderingProtocol protocol);
    }

    record Arrived(int peer, Message message, int frameBytes) {}

    private record Defect(String message, Throwable cause) {}

    private record Readers(List<TotalOrder.ReadWaiter> waiters, long sinceNanos) {}

    private final int replicaId;
    private final long incarnation;
    private final MessageCodec codec;
    private final PeerTransport transport;
    private final AcceptorLog log;
    private final LogWriter logWriter;
    private final DeliveryExecutor executor;
    private final Application application;
    private final InboundBytes inbound;
    private final ReplicaLimits limits;
    private final ExecutorService logReader;
    private final LogReader reader;
    private final boolean alone;
    private final FailureHandler failure;
    private final Thread thread;
    private final Turn turn = new Turn();
    private final CompletableFuture<Boolean> begun = new CompletableFuture<>();
    private final Runnable takeTurn = this::takeTurn;

    private final ConcurrentLinkedQueue<Object> inputs = new ConcurrentLinkedQueue<>();
    private final HeldMessages held = new HeldMessages(this::transmit);
    private final Map<Long, Readers> barriers = new TreeMap<>();
    private final Measure barrierMicros = new Measure("read_barrier_micros");
    private final long[] nextSequence;

    private final RecordedEffects recorded = new RecordedEffects(this);
    private OrderingProtocol protocol;
    private String protocolName;
    private List<TotalOrder.ReadWaiter> newReaders = new ArrayList<>();
    private boolean incarnationKept;

    /** While the log is read at start, values come faster than they can be executed, and no input is waiting. */
    private boolean recovering = true;

    private long lastToken;
    private long durableSeen;
    private long nextTickNanos;

    /** So many ticks after the next one may come late: nobody wakes up for them unless an input comes. */
    private int quietTicks;

    /** When the next turn has to begin if there is no input. */
    private volatile long nextTurnNanos;

    /** When this loop's thread means to wake up. */
    private volatile long asleepUntilNanos;

    private volatile boolean stopping;

    /** Why there are no more turns, told by this loop's thread: whoever is told may close the replica on the spot. */
    private volatile Defect defect;

    private volatile OrderingStatus status =
            new OrderingStatus(OrderingStatus.Role.LOOKING, OrderingStatus.NO_LEADER, 0);
    private volatile Map<String, Long> gauges = Map.of();
    private volatile long lastMeasuredNanos = System.nanoTime();
    private int ticksSinceGauges;

    OrderingLoop(
            int replicaId,
            long incarnation,
            int streams,
            MessageCodec codec,
            PeerTransport transport,
            AcceptorLog log,
            LogWriter logWriter,
            DeliveryExecutor executor,
            Application application,
            InboundBytes inbound,
            ReplicaLimits limits,
            ExecutorService logReader,
            boolean alone,
            FailureHandler failure) {
        this.replicaId = replicaId;
        this.incarnation = incarnation;
        this.codec = codec;
        this.transport = transport;
        this.log = log;
        this.logWriter = logWriter;
        this.executor = executor;
        this.application = application;
        this.inbound = inbound;
        this.limits = limits;
        this.logReader = logReader;
        this.reader = new LogReader(log);
        this.alone = alone;
        this.failure = failure;
        this.nextSequence = new long[streams];
        Arrays.fill(nextSequence, 1);
        this.thread = new Thread(this, "ordering-" + replicaId);
    }

    /** What the instance is to be created with. */
    Effects effects() {
        return recorded;
    }

    /** Gives the instance; before {@link #start}. */
    void host(OrderingProtocol instance, String name) {
        protocol = new RecordedProtocol(instance, recorded);
        protocolName = name;
        // Who shows the gauges asks for their names once, and may do so before the first tick.
        gauges = measure();
    }

    /** Returns whether the protocol has taken up what the log holds; if not, there are no turns, which is told too. */
    boolean start() {
        thread.start();
        return begun.join();
    }

    // ---------------------------------------------------------------- inputs, any thread

    void submit(Object input) {
        add(input);
        wake();
    }

    /** Followed by a {@link #wake}; one for several inputs will do. */
    void add(Object input) {
        inputs.add(input);
    }

    void wake() {
        if (turn.ask() && !transport.execute(takeTurn)) {
            LockSupport.unpark(thread);
        }
    }

    OrderingStatus status() {
        return status;
    }

    Map<String, Long> gauges() {
        return gauges;
    }

    /** How long ago this loop was last seen to go round; while it works, about half a second at most. */
    long silentMillis() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - lastMeasuredNanos);
    }

    // ---------------------------------------------------------------- the loop

    @Override
    public void run() {
        carryOut(this::begin);
        begun.complete(!stopping);
        while (!stopping) {
            sleep();
            if (!takeTurn() && !stopping) {
                // Another thread has it; it may take long, if it waits for the disk.
                LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(limits.tickMillis()));
            }
        }
        while (!turn.end()) {
            LockSupport.park(this);
        }
        Defect found = defect;
        if (found != null) {
            failure.failed(found.message(), found.cause());
        }
    }

    private void begin() {
        protocol.onStart(log.recovered(application.recoveredPosition())
                .with(
                        application.recoveredMembership(),
                        application.proposerTable().prefixHash()));
        recovering = false;
        if (alone) {
            keepIncarnation();
        }
        protocol.onBatchEnd();
        executor.wake();
        nextTickNanos = System.nanoTime();
        asleepUntilNanos = nextTickNanos;
        runBatch();
    }

    /** One batch; returns false if another thread has the turn, or there are no more. */
    private boolean takeTurn() {
        boolean taken = !stopping && turn.take();
        if (taken) {
            carryOut(this::runBatch);
        }
        return taken;
    }

    /** Does what the turn that this thread has was taken for, and leaves it. */
    private void carryOut(Runnable work) {
        try {
            work.run();
            leaveTurn();
        } catch (PartStoppedException e) {
            breakOff(defect);
        } catch (RuntimeException | Error e) {
            breakOff(new Defect(
                    "The ordering protocol failed: " + e.getMessage() + ". This replica stops; the others go on.", e));
        }
    }

    private void breakOff(Defect found) {
        defect = found;
        stopping = true;
        turn.breakOff();
        LockSupport.unpark(thread);
    }

    private void leaveTurn() {
        long seen = durableSeen;
        if (!isInputWaiting(seen)) {
            // The executor does not wake a thread for links that it had not yet seen paused.
            quietTicks = inbound.somePaused() ? 0 : protocol.quietTicks();
        }
        nextTurnNanos = nextTickNanos + quietTicks * TimeUnit.MILLISECONDS.toNanos(limits.tickMillis());
        turn.leave();
        if (isInputWaiting(seen)) {
            wake();
        }
        if (Thread.currentThread() != thread && (stopping || nextTurnNanos - asleepUntilNanos < 0)) {
            LockSupport.unpark(thread);
        }
    }

    private boolean isInputWaiting(long seenDurable) {
        return !inputs.isEmpty() || logWriter.durableSequence() != seenDurable;
    }

    private void sleep() {
        long until = nextTurnNanos;
        asleepUntilNanos = until;
        long left = until - System.nanoTime();
        // Whoever moves it forward wakes this thread if that is too late.
        if (left > 0 && nextTurnNanos == until && !stopping) {
            LockSupport.parkNanos(this, left);
        }
    }

    private void runBatch() {
        boolean worked = tickIfDue();
        Object input;
        int count = 0;
        while (count < limits.maxInputsPerBatch() && (input = inputs.poll()) != null) {
            dispatch(input);
            count++;
        }
        worked |= count > 0;
        worked |= noticeDurable();
        if (!newReaders.isEmpty()) {
            barriers.put(++lastToken, new Readers(newReaders, System.nanoTime()));
            newReaders = new ArrayList<>();
            protocol.onReadBarrier(lastToken);
        }
        if (worked) {
            protocol.onBatchEnd();
            transport.flush();
            executor.wake();
        }
        inbound.resumeWhereDrained(transport, executor.backlogBytes());
    }

    private void dispatch(Object input) {
        if (input instanceof Proposal proposal) {
            propose(proposal);
        } else if (input instanceof Arrived arrived) {
            inbound.taken(arrived.peer(), arrived.frameBytes());
            protocol.onMessage(arrived.peer(), arrived.message());
        } else if (input instanceof TotalOrder.ReadWaiter waiter) {
            newReaders.add(waiter);
        } else {
            ((Input) input).feed(protocol);
        }
    }

    /** Makes the incarnation durable, once, before anything of it can leave this replica. */
    void keepIncarnation() {
        if (incarnationKept) {
            return;
        }
        incarnationKept = true;
        ByteSlice head = ByteSlice.of(
                ByteBuffer.allocate(Long.BYTES).putLong(incarnation).array());
        ByteSlice name = ByteSlice.of(protocolName.getBytes(StandardCharsets.UTF_8));
        recorded.begin();
        recorded.append(new LogRecord(LogRecord.METADATA, LogRecord.PROTOCOL_KIND, name, ByteSlice.EMPTY));
        long sequence = recorded.append(new LogRecord(LogRecord.METADATA, Replica.INCARNATION, head, ByteSlice.EMPTY));
        recorded.end();
        logWriter.awaitDurable(sequence);
    }

    private void propose(Proposal proposal) {
        long sequence = nextSequence[proposal.stream()]++;
        executor.expect(sequence, proposal);
        protocol.onPropose(
                new ProposedCommand(replicaId, incarnation, proposal.stream(), sequence, proposal.command()));
    }

    private boolean tickIfDue() {
        long now = System.nanoTime();
        if (now - nextTickNanos < 0) {
            return false;
        }
        long tickNanos = TimeUnit.MILLISECONDS.toNanos(limits.tickMillis());
        long missed = (now - nextTickNanos) / tickNanos;
        int ticks = 1 + (int) Math.min(missed, quietTicks);
        // A pause must not be made up for: the others' clocks went on meanwhile, ours starts afresh.
        nextTickNanos = missed < quietTicks ? nextTickNanos + ticks * tickNanos : now + tickNanos;
        quietTicks = 0;
        for (int i = 0; i < ticks; i++) {
            protocol.onTick();
        }
        ticksSinceGauges += ticks;
        if (ticksSinceGauges * limits.tickMillis() >= GAUGES_PERIOD_MILLIS) {
            ticksSinceGauges = 0;
            gauges = measure();
        }
        return true;
    }

    private boolean noticeDurable() {
        long durable = logWriter.durableSequence();
        if (durable == durableSeen) {
            return false;
        }
        durableSeen = durable;
        held.release(durable);
        protocol.onDurable(durable);
        return true;
    }

    private Map<String, Long> measure() {
        Map<String, Long> all = new TreeMap<>(protocol.gauges());
        logWriter.putGauges(all);
        executor.putGauges(all);
        barrierMicros.put(all);
        all.put("log_bytes", log.sizeBytes());
        all.put("log_damaged_reads", reader.damagedReads());
        all.put("read_barriers_waiting", (long) barriers.size());
        all.put("inputs_waiting", (long) inputs.size());
        lastMeasuredNanos = System.nanoTime();
        return all;
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

    private void transmit(int to, Message message) {
        transport.send(to, codec.encode(message));
    }

    @Override
    public long append(LogRecord record) {
        return held.appended(logWriter.append(record));
    }

    @Override
    public void deliver(long position, ByteSlice value, long prefixHash) {
        if (recovering) {
            executor.awaitRoom(limits.maxBacklogBytes());
        }
        executor.deliver(position, value, prefixHash);
    }

    @Override
    public void barrierReached(long token) {
        Readers readers = barriers.remove(token);
        InvariantViolated.check(readers != null, "barrier %d reached twice or never asked for", token);
        barrierMicros.addMicrosSince(readers.sinceNanos());
        executor.barrier(readers.waiters());
    }

    @Override
    public void truncate(long belowPosition) {
        reader.truncated(belowPosition);
        logWriter.truncate(belowPosition);
    }

    @Override
    public void readLog(long fromPosition, int maxBytes) {
        logReader.execute(() -> {
            try {
                List<LogRecord> records = reader.read(fromPosition, maxBytes);
                submit((Input) p -> p.onLogRead(fromPosition, records));
            } catch (IOException | RuntimeException e) {
                // Told by the loop: whoever closes the replica for it waits for the thread of the log reader.
                submit((Input) p -> {
                    defect = new Defect(
                            "Reading position " + fromPosition + " from the acceptor log failed: " + e.getMessage()
                                    + ". This replica stops; check its disk.",
                            e);
                    throw new PartStoppedException("the acceptor log cannot be read");
                });
            }
        });
    }

    @Override
    public void needState(int fromPeer, long position) {
        application.stateNeeded(fromPeer, position);
    }

    @Override
    public void refuse(int from, String reason) {
        transport.disconnect(from, reason);
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
        LockSupport.unpark(thread);
        if (Thread.currentThread() != thread) {
            thread.join();
        }
    }
}
