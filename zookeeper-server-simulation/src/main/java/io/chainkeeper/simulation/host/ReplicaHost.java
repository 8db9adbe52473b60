package io.chainkeeper.simulation.host;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.Occupancy.Slack;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.replica.ApplyRule;
import io.chainkeeper.replica.Proposal;
import io.chainkeeper.replica.Replica;
import io.chainkeeper.replica.ReplicaLimits;
import io.chainkeeper.replica.ReplicaStoppedException;
import io.chainkeeper.replica.TotalOrder;
import io.chainkeeper.replica.TotalOrder.ReadWaiter;
import io.chainkeeper.shareddisk.DiskSource;
import io.chainkeeper.simulation.host.DrivenScheduler.Part;
import io.chainkeeper.simulation.host.HostSettings.LinkChoice;
import io.chainkeeper.simulation.order.OrderChecker;
import io.chainkeeper.simulation.time.Trace;
import io.chainkeeper.transport.PeerAddress;
import io.chainkeeper.transport.PeerTransport;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * One incarnation of a replica: the product's {@link Replica}, driven by one caller, and those who watch it: its
 * protocol ({@link WatchedProtocols}), its application ({@link WatchedApplication}), its messages ({@link Frames}).
 * When any part of it works is the world's decision ({@link DrivenScheduler}).
 */
public final class ReplicaHost {
    /** What a replica says that has to start again, because a disk was replaced since its start. */
    private static final String SHARED_DISK_REPLACED = "a shared disk was replaced since this server started";

    /** What a replica says that most of the others refuse. */
    private static final String BELONGS_ELSEWHERE = "does not belong to servers";

    /** What a command counts for besides its bytes, wherever commands are counted. */
    private static final int COMMAND_COST_BYTES =
            Math.max(ReplicaLimits.COMMAND_COST_BYTES, BatchCodec.COMMAND_OVERHEAD_BYTES);

    private final SimulatedReplica disk;
    private final World world;
    private final Trace trace;
    private final OrderChecker checker;
    private final StateMachine application;
    private final long incarnation;
    private final DrivenScheduler scheduler;
    private final SimulatedLinks links;

    /** Those of the product; null if the simulator's are used. */
    private final WatchedLinks realLinks;

    private final WatchedProtocols protocols;
    private final Replica replica;

    /** Proposals that have no number yet, by stream. */
    private final List<Deque<Proposal>> unnumbered = new ArrayList<>();

    private final Map<OwnCommand, Proposal> proposals = new TreeMap<>();
    private final Readers readers;
    private final WaitingThreads threads;
    private long lastToken;
    private long lastDelivered;
    private boolean hasWorked;
    private boolean hasStopped;
    private boolean isCheckpointWanted;
    private boolean isLeaving;
    private boolean isClosed;
    private boolean crashed;

    /**
     * @param disk what is under it
     * @param application recovered
     * @param factory the protocol
     * @param context who the replica is
     * @param sharedDisks what opens the disks that all share; none if the protocol has no use for them
     * @param settings liberties of the host
     * @param world everything that takes time
     * @param trace told of every input and effect
     * @param checker told of every delivery and execution
     */
    public ReplicaHost(
            SimulatedReplica disk,
            StateMachine application,
            OrderingProtocolFactory factory,
            ProtocolContext context,
            List<DiskSource> sharedDisks,
            HostSettings settings,
            World world,
            Trace trace,
            OrderChecker checker) {
        this.disk = disk;
        this.world = world;
        this.trace = trace;
        this.checker = checker;
        this.application = application;
        this.threads = new WaitingThreads(this, world, trace);
        this.readers = new Readers(disk.id());
        this.incarnation = context.incarnation();
        this.lastDelivered = application.recoveredPosition();
        for (ApplyRule rule : ApplyRule.values()) {
            if (!disk.follows(HostRule.valueOf(rule.name()))) {
                application.proposerTable().doWithout(rule);
            }
        }
        this.scheduler = new DrivenScheduler(
                "replica " + disk.id(),
                () -> world.clockNanos(disk.id()),
                () -> world.clockNanos(disk.id()) / 1_000_000,
                () -> context.random().nextInt(Integer.MAX_VALUE),
                new WorldsPlan(this, world));
        Frames frames = new Frames(factory.codec(), disk, world.bounds());
        PeerTransport real = world.realLinks(disk.id(), incarnation, application::featureLevel);
        this.realLinks = real == null ? null : new WatchedLinks(real, this, frames, trace);
        LinkChoice choice = real == null ? settings.linkChoice() : LinkChoice.KNOWN_WHEN_LEAVING;
        this.links = new SimulatedLinks(this, frames, choice, world, trace);
        this.protocols =
                new WatchedProtocols(factory, this, frames, context.random(), settings.replicas(), trace, checker);
        this.replica = new Replica(
                disk.id(),
                incarnation,
                context.ensemble(),
                protocols,
                context.settings(),
                context.start(),
                disk.log(),
                sharedDisks,
                realLinks == null ? links : realLinks,
                new WatchedApplication(this, application, settings.checkpointEveryPositions(), world, trace, checker),
                settings.limits(),
                this::stops,
                scheduler);
        for (int i = 0; i < replica.streamCount(); i++) {
            unnumbered.add(new ArrayDeque<>());
        }
    }

    /** Begins. */
    public void start() {
        trace.record(id(), "starts as incarnation", incarnation, "applied " + application.position());
        application.started(this);
        try {
            replica.start();
        } catch (IOException e) {
            InvariantViolated.check(hasStopped, "replica %d does not start: %s", id(), e.getMessage());
        }
    }

    /** Whatever is wrong but the disk, or a release that is too old, is a defect. */
    private void stops(String message, Throwable cause) {
        if (crashed) {
            hasStopped = true;
            return;
        }
        IOException failure = DiskFailure.in(cause);
        if (failure != null && disk.log().disk().hasFailed()) {
            hasStopped = true;
            world.logFailed(this, failure);
        } else if (message.contains(SHARED_DISK_REPLACED)) {
            hasStopped = true;
            world.diskReplaced(this);
        } else if (application.needsOtherRelease(message, cause)) {
            hasStopped = true;
            world.releaseNeeded(this, message);
        } else if (message.contains(BELONGS_ELSEWHERE) && world.refused(this, message)) {
            hasStopped = true;
        } else {
            scheduler.failed(message, cause);
        }
    }

    // ---------------------------------------------------------------- what happens to it

    /** A link is up. */
    public void peerUp(int peer, long linkEpoch) {
        links.up(peer, linkEpoch);
    }

    /** A link is down. */
    public void peerDown(int peer) {
        links.down(peer);
    }

    /** Returns whether a link is read on of which the replica says that it may be, or may not. */
    boolean isReadOn(boolean mayBe) {
        return mayBe || !disk.follows(HostRule.FULL_QUEUE_IS_NOT_READ_FOR);
    }

    /** The product's links have brought a link up. */
    void linked(int peer) {
        world.linked(this, peer);
    }

    /** Something is seen that may pass a bound. */
    void sees(Slack kind, long bytes) {
        world.bounds().seen(kind, bytes);
    }

    /** The protocol has worked, and none of its inputs has failed. */
    void worked() {
        hasWorked = true;
    }

    /** Returns whether the protocol is to tell how full it is; in the middle of an input that has failed it cannot. */
    boolean hasWorked() {
        return hasWorked;
    }

    /** When the protocol has worked in a piece of work, nothing may be above its bound. */
    void runChecked(Runnable piece) {
        if (NeverAnswered.in(piece) != null) {
            hasStopped = true;
        }
        if (hasWorked) {
            checkBounds();
            hasWorked = false;
        }
    }

    /** Nothing may be above its bound, unless there is nothing any more. */
    void checkBounds() {
        if (!crashed && !isClosed && !hasStopped && !scheduler.isWaiting()) {
            world.bounds().check(id(), replica);
        }
    }

    /** A message arrives; returns whether its link is read on, or only when {@link World#readAgain} says so. */
    public boolean frameArrived(int from, byte[] frame) {
        boolean isReadOn = links.arrived(from, frame);
        checkBounds();
        return isReadOn;
    }

    /** What the thread of the links does for the order; if that fails, the order's own worker says so. */
    void workOfLinks(Runnable task) {
        runChecked(() -> {
            task.run();
            scheduler.workNow(Part.ORDER);
        });
    }

    /** Recovery needs no position up to this one any more. */
    public void checkpointDurable(long position) {
        if (isCheckpointWanted) {
            isCheckpointWanted = false;
            disk.newestCheckpointCounts();
        }
        replica.checkpointTaken(Math.max(position, disk.oldestCheckpoint()));
    }

    /** Another ensemble is configured. */
    public void ensembleChanged(Ensemble ensemble) {
        replica.configure(ensemble, Map.of());
    }

    /** The protocol wants a checkpoint to count as soon as it is written. */
    void wantCheckpoint() {
        isCheckpointWanted = true;
        takeCheckpoint();
    }

    /** The application begins to write a checkpoint of what it has executed. */
    public void takeCheckpoint() {
        trace.record(id(), "begins checkpoint", application.position(), null);
        Checkpoint begun = application.beginCheckpoint();
        if (!application.keepsFiles()) {
            world.checkpointBegun(this, begun);
        }
    }

    /** The application gives an answer that rests on all that it has executed. */
    public void answers(Object words) {
        trace.record(id(), "answers at position", application.position(), words);
        checker.acknowledged(application.position());
    }

    /** An operator stops the server: an orderly end follows, or a crash. */
    public void leave() {
        trace.record(id(), "is told to stop", 0, status());
        isLeaving = true;
        application.leave(this);
    }

    /** Whether its operator has told it to stop. */
    public boolean isLeaving() {
        return isLeaving;
    }

    /** The order ends in an orderly way; the rest of the server goes on to. Not while this host waits. */
    public void closeOrder() {
        isClosed = true;
        try {
            replica.close();
        } catch (IOException e) {
            InvariantViolated.check(
                    disk.log().disk().hasFailed(),
                    "replica %d does not end in an orderly way: %s",
                    id(),
                    e.getMessage());
        }
    }

    /** Whether its order has ended in an orderly way. */
    public boolean isClosed() {
        return isClosed;
    }

    /** Whether a part of the server waits in the middle of a piece of work. */
    public boolean isWaiting() {
        return scheduler.isWaiting() || application.isWaiting();
    }

    /** Nobody will answer what was outstanding here. */
    void crashed() {
        crashed = true;
        List<Proposal> unapplied = new ArrayList<>(proposals.values());
        unnumbered.forEach(unapplied::addAll);
        List<ReadWaiter> unreached = readers.takeAll();
        proposals.clear();
        unnumbered.forEach(Deque::clear);
        application.crashed(unapplied, unreached);
        threads.end();
    }

    // ---------------------------------------------------------------- the order, as the application sees it

    /**
     * The order itself. What is proposed and read goes through this host, which keeps what is outstanding.
     *
     * @return that of the product
     */
    public TotalOrder order() {
        return replica;
    }

    /** See {@link TotalOrder#propose} and {@link TotalOrder#offer}, the ways in that {@link #order} has. */
    public boolean propose(Proposal proposal, Predicate<Proposal> way) {
        requireRunning();
        sees(Slack.ONE_COMMAND, proposal.command().length() + COMMAND_COST_BYTES);
        // Of one that has stopped nobody answers. A number is given in a later piece of work.
        boolean entered = hasStopped || way.test(proposal);
        if (entered) {
            unnumbered.get(proposal.stream()).addLast(proposal);
        }
        return entered;
    }

    /** See {@link TotalOrder#readBarrier}. */
    public void readBarrier(ReadWaiter waiter) {
        requireRunning();
        ReadWaiter reading = readers.add(waiter);
        if (!hasStopped) {
            replica.readBarrier(reading);
        }
    }

    private void requireRunning() {
        if (crashed || isClosed) {
            throw new ReplicaStoppedException("replica " + id() + " has ended");
        }
    }

    /** See {@link TotalOrder#status}. */
    public OrderingStatus status() {
        return replica.status();
    }

    /** See {@link TotalOrder#gauges}. */
    public Map<String, Long> gauges() {
        return replica.gauges();
    }

    /** See {@link TotalOrder#configure}. */
    public void configure(Ensemble ensemble, Map<Integer, PeerAddress> addresses) {
        replica.configure(ensemble, addresses);
    }

    // ---------------------------------------------------------------- what those who watch see

    SimulatedLinks links() {
        return links;
    }

    /** A command has got its number; returns its proposal. */
    Proposal numbered(ProposedCommand command) {
        Proposal proposal = unnumbered.get(command.stream()).removeFirst();
        proposals.put(OwnCommand.of(command), proposal);
        return proposal;
    }

    /** An own command takes effect. */
    void applied(ProposedCommand command, Proposal own) {
        Proposal proposal = proposals.remove(OwnCommand.of(command));
        InvariantViolated.check(proposal == own, "replica %d: %s comes back as %s", id(), proposal, own);
        if (!proposal.isOffered()) {
            threads.applied();
        }
    }

    /** Its threads that wait for what others have to do as well. */
    public WaitingThreads threads() {
        return threads;
    }

    void barrierAsked(long token) {
        lastToken = token;
    }

    void barrierReached(long token) {
        InvariantViolated.check(token >= 1 && token <= lastToken, "barrier %d was never asked for", token);
    }

    void delivers(long position) {
        InvariantViolated.check(
                position == lastDelivered + 1,
                "contiguous execution: replica %d delivers %d after %d",
                id(),
                position,
                lastDelivered);
        lastDelivered = position;
    }

    // ---------------------------------------------------------------- state

    /** Whether this incarnation has not crashed. */
    public boolean isAlive() {
        return !crashed;
    }

    /** Operations without an answer yet. */
    public int outstanding() {
        return threads.size()
                + proposals.size()
                + unnumbered.stream().mapToInt(Deque::size).sum()
                + readers.size();
    }

    /** Whether everything that it has appended is durable, and it knows. */
    public boolean isLogIdle() {
        return scheduler.isIdle(Part.LOG_WRITER);
    }

    /** Whether it takes a connection of another replica, and opens one to it. */
    public boolean knows(int peer) {
        return realLinks == null || realLinks.knows(peer);
    }

    /** The id of the replica. */
    public int id() {
        return disk.id();
    }

    /** What survives this incarnation. */
    public SimulatedReplica replica() {
        return disk;
    }

    /** What it has promised, for who gets its state. */
    public ByteSlice promise() {
        return replica.promise();
    }

    /** Highest position that the application has executed. */
    public long position() {
        return application.position();
    }

    /** The application of this incarnation. */
    public StateMachine application() {
        return application;
    }

    /** The protocol and the application in words, for a failure. */
    public String describe() {
        return protocols.protocol().status() + " voter " + isVoter() + " members " + application.membership() + " at "
                + position();
    }

    /** Whether the protocol votes. */
    public boolean isVoter() {
        return protocols.protocol().gauges().getOrDefault("is_voter", 1L) == 1;
    }

    /** Whether it leads and proposes nothing, since its ring on shared disks is full. */
    public boolean isRingFull() {
        return protocols.protocol().gauges().getOrDefault("ring_full", 0L) == 1;
    }
}
