package io.chainkeeper.simulation.scenario;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.replica.ReplicaLimits;
import io.chainkeeper.shareddisk.DiskSource;
import io.chainkeeper.simulation.disk.RunDirectory;
import io.chainkeeper.simulation.disk.SharedDiskArray;
import io.chainkeeper.simulation.host.BoundsChecker;
import io.chainkeeper.simulation.host.Checkpoint;
import io.chainkeeper.simulation.host.DrivenScheduler.Part;
import io.chainkeeper.simulation.host.DrivenScheduler.Reason;
import io.chainkeeper.simulation.host.HostRule;
import io.chainkeeper.simulation.host.HostSettings;
import io.chainkeeper.simulation.host.HostSettings.LinkChoice;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.host.SimulatedReplica;
import io.chainkeeper.simulation.host.World;
import io.chainkeeper.simulation.order.OrderChecker;
import io.chainkeeper.simulation.register.RegisterCommand;
import io.chainkeeper.simulation.register.RegisterMachine;
import io.chainkeeper.simulation.register.RegisterReplica;
import io.chainkeeper.simulation.swarm.LogBounds;
import io.chainkeeper.simulation.time.EventQueue;
import io.chainkeeper.simulation.time.Trace;
import io.chainkeeper.transport.PeerTransport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * A world in which time stands still: messages wait on their links and records in their queues until a scenario says
 * that they arrive or become stable. Inputs are fed, and deliveries executed, at once.
 */
final class ManualWorld implements World, AutoCloseable {
    private final BoundsChecker bounds = new BoundsChecker();
    private static final int MAX_ROUNDS = 10_000;
    private static final int KEPT_CHECKPOINTS = 2;
    private static final int SHARED_DISKS = 3;
    private static final ReplicaLimits LIMITS = ReplicaLimits.DEFAULT.withTickMillis(TICK_MILLIS);

    /** One direction of a pair. */
    record Link(int from, int to) implements Comparable<Link> {
        @Override
        public int compareTo(Link other) {
            int byFrom = Integer.compare(from, other.from);
            return byFrom != 0 ? byFrom : Integer.compare(to, other.to);
        }

        Link reversed() {
            return new Link(to, from);
        }
    }

    /** What a replica has said that it needs. */
    private record Wanted(int fromPeer, long position) {}

    private final OrderingProtocolFactory factory;
    private final Map<String, String> settings;
    private final Trace trace;
    private OrderChecker checker;
    private final RunDirectory directory = new RunDirectory();
    private final SharedDiskArray sharedDisks;
    private final List<Integer> members = new ArrayList<>();
    private final List<SimulatedReplica> replicas = new ArrayList<>();
    private final Map<Link, Deque<byte[]>> links = new TreeMap<>();
    private final TreeSet<Link> cut = new TreeSet<>();
    private final TreeSet<Integer> heldDisks = new TreeSet<>();
    private final HeldAccesses held = new HeldAccesses(this::settle);
    private final Map<Integer, Wanted> wanted = new TreeMap<>();
    private final Map<Integer, Deque<Runnable>> waiting = new TreeMap<>();
    private final Deque<Runnable> afterwards = new ArrayDeque<>();

    /** What the log writers do next. */
    private final Map<Integer, Runnable> writers = new TreeMap<>();

    /** What the orders do when their time has come. */
    private final Map<Integer, Runnable> timers = new TreeMap<>();

    private final Map<Integer, Long> clocks = new TreeMap<>();
    private Ensemble ensemble;
    private long lastEpoch;

    /**
     * @param factory the protocol
     * @param replicaCount how many there may ever be
     * @param ensemble configured at first
     * @param settings the protocol's
     * @param trace told of everything
     */
    ManualWorld(
            OrderingProtocolFactory factory,
            int replicaCount,
            Ensemble ensemble,
            Map<String, String> settings,
            Trace trace) {
        this.factory = factory;
        this.settings = SharedDiskArray.naming(SHARED_DISKS, factory.sharedDisks(), settings);
        this.sharedDisks = SharedDiskArray.of(
                SHARED_DISKS, factory.sharedDisks(), this.settings, new SplittableRandom(0), new EventQueue(), trace);
        this.ensemble = ensemble;
        this.trace = trace;
        this.checker = newChecker();
        for (int id = 1; id <= replicaCount; id++) {
            members.add(id);
            replicas.add(new SimulatedReplica(
                    id,
                    KEPT_CHECKPOINTS,
                    RegisterMachine.Checkpoint.NOTHING,
                    LogBounds.EAGER,
                    EnumSet.allOf(HostRule.class),
                    directory,
                    new SplittableRandom(id)));
        }
    }

    /** The disks that all replicas share; none if the protocol has no use for them. */
    SharedDiskArray sharedDisks() {
        return sharedDisks;
    }

    private OrderChecker newChecker() {
        Membership initial = Membership.initial(1, ensemble.participants());
        return new OrderChecker(
                (id, incarnation) -> replica(id).isRunning(incarnation),
                initial,
                command -> {},
                RegisterCommand::describe);
    }

    SimulatedReplica replica(int id) {
        InvariantViolated.check(id >= 1 && id <= replicas.size(), "there is no replica %d", id);
        return replicas.get(id - 1);
    }

    /** The running incarnation of a replica. */
    ReplicaHost host(int id) {
        ReplicaHost host = replica(id).host();
        InvariantViolated.check(host != null, "replica %d is not running", id);
        return host;
    }

    /** Ids of all replicas that there may ever be. */
    List<Integer> members() {
        return members;
    }

    OrderChecker checker() {
        return checker;
    }

    /** The configured ensemble. */
    Ensemble ensemble() {
        return ensemble;
    }

    /** An operator changes the ensemble: all that run are told at once, the others when they start. */
    void configure(Ensemble next) {
        ensemble = next;
        if (replicas.stream().allMatch(replica -> replica.incarnation() == 0)) {
            checker = newChecker(); // a new cluster begins with these
        }
        for (int id : members) {
            if (replica(id).isRunning()) {
                host(id).ensembleChanged(next);
            }
        }
        settle();
    }

    /** The newest durable checkpoint of the replica that was asked replaces the state of one, which starts anew. */
    void installState(int id) {
        Wanted wish = wanted.remove(id);
        InvariantViolated.check(wish != null, "replica %d has not asked for a state", id);
        List<Checkpoint> offered = replica(wish.fromPeer()).checkpoints();
        Checkpoint state = offered.get(offered.size() - 1);
        InvariantViolated.check(
                state.position() >= wish.position(),
                "replica %d has a checkpoint up to %d, replica %d needs position %d",
                wish.fromPeer(),
                state.position(),
                id,
                wish.position());
        trace.record(id, "installs state of", wish.fromPeer(), "at position " + state.position());
        ByteSlice promise = host(wish.fromPeer()).promise();
        crash(id, 0);
        replica(id).install(state, promise);
        start(id);
    }

    /** Whether a replica has asked for the state of another one. */
    boolean needsState(int id) {
        return wanted.containsKey(id);
    }

    /** What a replica that is down had stored is gone. */
    void loseDisk(int id) {
        trace.record(id, "loses its disk", 0, null);
        replica(id).loseDisk();
    }

    // ---------------------------------------------------------------- replicas

    /** Starts a replica and connects it with all that run and are not cut off from it. */
    void start(int id) {
        SimulatedReplica replica = replica(id);
        List<Checkpoint> checkpoints = replica.checkpoints();
        replica.beginStart();
        ProtocolContext context = new ProtocolContext(
                id,
                replica.nextIncarnation(Long.MIN_VALUE, bound -> 0),
                ensemble,
                settings,
                bound -> id % bound, // a start has its first tick before it has links
                TICK_MILLIS,
                ProtocolContext.Start.ORDINARY);
        List<DiskSource> disks = sharedDisks.openFor(id);
        InvariantViolated.check(disks != null, "replica %d does not start without a majority of the shared disks", id);
        ReplicaHost host = new ReplicaHost(
                replica,
                new RegisterReplica(
                        (RegisterMachine.Checkpoint) checkpoints.get(checkpoints.size() - 1), false, checker),
                factory,
                context,
                disks,
                new HostSettings(0, LinkChoice.KNOWN_WHEN_ASKED, members.size(), LIMITS),
                this,
                trace,
                checker);
        replica.started(host);
        waiting.put(id, new ArrayDeque<>());
        host.start();
        settle();
        members.forEach(other -> connect(new Link(id, other)));
    }

    void crash(int id, int survivors) {
        host(id);
        for (int other : members) {
            breakLink(new Link(id, other));
        }
        if (survivors > 0) {
            work(writers.remove(id)); // they were written; they are not forced
        }
        replica(id).killed(survivors);
        trace.record(id, "crashes; unstable records that survive:", survivors, null);
        waiting.remove(id);
        held.crashed(id);
        writers.remove(id);
        timers.remove(id);
        settle();
    }

    // ---------------------------------------------------------------- links

    /** Connects a pair unless it is connected, cut, or one end is down. */
    void connect(Link link) {
        boolean running = link.from() != link.to()
                && replica(link.from()).isRunning()
                && replica(link.to()).isRunning();
        if (running && !links.containsKey(link) && !cut.contains(link) && !cut.contains(link.reversed())) {
            long epoch = ++lastEpoch;
            links.put(link, new ArrayDeque<>());
            links.put(link.reversed(), new ArrayDeque<>());
            host(link.from()).peerUp(link.to(), epoch);
            host(link.to()).peerUp(link.from(), epoch);
            settle();
        }
    }

    /** Breaks the connection of a pair: what is in flight is lost, both ends are told. */
    void breakLink(Link link) {
        if (links.remove(link) != null) {
            links.remove(link.reversed());
            host(link.from()).peerDown(link.to());
            host(link.to()).peerDown(link.from());
            settle();
        }
    }

    /** From now on nothing arrives over a direction. */
    void cut(Link link) {
        cut.add(link);
    }

    /** Ends a cut; a broken connection is made anew. */
    void heal(Link link) {
        cut.remove(link);
        connect(link);
    }

    /** Lets the oldest messages of a direction arrive; returns how many there were. */
    int deliver(Link link, int maxMessages) {
        int delivered = 0;
        Deque<byte[]> frames = links.get(link);
        while (frames != null && !frames.isEmpty() && delivered < maxMessages) {
            host(link.to()).frameArrived(link.from(), frames.removeFirst());
            delivered++;
            settle();
        }
        return delivered;
    }

    /** Messages in flight, per direction. */
    Map<Link, Integer> inFlight() {
        Map<Link, Integer> counts = new TreeMap<>();
        links.forEach((link, frames) -> {
            if (!frames.isEmpty()) {
                counts.put(link, frames.size());
            }
        });
        return counts;
    }

    // ---------------------------------------------------------------- disks and time

    /** While held, {@link #run} leaves a replica's records unstable. */
    void holdDisk(int id, boolean held) {
        if (held) {
            heldDisks.add(id);
        } else {
            heldDisks.remove(id);
        }
    }

    /** Accesses to shared disks that a scenario lets wait. */
    HeldAccesses sharedAccesses() {
        return held;
    }

    @Override
    public void diskReplaced(ReplicaHost host) {
        trace.record(host.id(), "stops, as a shared disk was replaced", 0, null);
    }

    /** Everything that a replica has appended becomes stable; returns whether there was anything. */
    boolean sync(int id) {
        boolean happened = false;
        while (writers.containsKey(id)) {
            work(writers.remove(id));
            happened = true;
        }
        settle();
        return happened;
    }

    void tick(int id) {
        clocks.merge(id, TICK_MILLIS * 1_000_000L, Long::sum);
        work(timers.remove(id));
        settle();
    }

    /** The application's checkpoint is written; what the log may drop then is gone, unless records wait. */
    void checkpoint(int id) {
        host(id).takeCheckpoint();
        settle();
        if (!replica(id).log().hasQueued()) {
            sync(id);
        }
    }

    /** Lets messages arrive and records become stable until nothing is left to happen. */
    void run() {
        for (int round = 0; round < MAX_ROUNDS; round++) {
            boolean happened = false;
            for (int id : members) {
                happened |= !heldDisks.contains(id) && sync(id);
            }
            for (Link link : new ArrayList<>(links.keySet())) {
                happened |= !cut.contains(link) && deliver(link, 1) > 0;
            }
            if (!happened) {
                return;
            }
        }
        throw new InvariantViolated("not quiet after " + MAX_ROUNDS + " rounds");
    }

    /** Lets everything work that needs neither a disk nor time. */
    void settle() {
        Runnable next = nextPiece();
        while (next != null) {
            next.run();
            next = nextPiece();
        }
    }

    private Runnable nextPiece() {
        for (Deque<Runnable> pieces : waiting.values()) {
            if (!pieces.isEmpty()) {
                return pieces.removeFirst();
            }
        }
        return afterwards.pollFirst();
    }

    private static void work(Runnable piece) {
        if (piece != null) {
            piece.run();
        }
    }

    @Override
    public long clockNanos(int id) {
        return clocks.getOrDefault(id, 0L);
    }

    @Override
    public void workWaiting(ReplicaHost host, Part part, Reason reason, long nanos, Runnable piece) {
        if (reason == Reason.TIME) {
            timers.put(host.id(), piece);
        } else if (part == Part.LOG_WRITER) {
            writers.put(host.id(), piece);
        } else if (part == Part.SHARED_DISK && held.isHeld(host.id())) {
            held.add(host.id(), piece);
        } else if (part == Part.LOG_READER) {
            afterwards.addLast(piece);
        } else {
            waiting.get(host.id()).addLast(piece);
        }
    }

    @Override
    public void linksWork(ReplicaHost host, Runnable task) {
        waiting.get(host.id()).addLast(task);
    }

    @Override
    public BoundsChecker bounds() {
        return bounds;
    }

    @Override
    public void logFailed(ReplicaHost host, IOException failure) {
        throw new UncheckedIOException(failure);
    }

    /** What the replicas have on disk is removed. */
    @Override
    public void close() {
        replicas.forEach(SimulatedReplica::close);
        directory.close();
    }

    @Override
    public PeerTransport realLinks(int id, long incarnation, Supplier<FeatureLevel> level) {
        return null;
    }

    @Override
    public void send(ReplicaHost from, int to, long linkEpoch, byte[] frame) {
        Deque<byte[]> frames = links.get(new Link(from.id(), to));
        if (frames != null) {
            frames.addLast(frame);
        }
    }

    @Override
    public void readAgain(ReplicaHost host, int peer) {
        throw new InvariantViolated("no scenario has that many messages");
    }

    @Override
    public void checkpointBegun(ReplicaHost host, Checkpoint checkpoint) {
        afterwards.addLast(() -> host.checkpointDurable(host.replica().checkpointDurable(checkpoint)));
    }

    @Override
    public void stateWanted(ReplicaHost host, int fromPeer, long position) {
        trace.record(host.id(), "needs the state of", fromPeer, "from position " + position + " on");
        wanted.put(host.id(), new Wanted(fromPeer, position));
    }

    @Override
    public void superseded(ReplicaHost host, long incarnation) {
        throw new InvariantViolated("the incarnations of a replica of a scenario ascend");
    }

    @Override
    public void statusChanged(ReplicaHost host, OrderingStatus status) {
        // The trace has it.
    }
}
