package io.chainkeeper.simulation.cluster;

import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.shareddisk.DiskSource;
import io.chainkeeper.simulation.disk.RunDirectory;
import io.chainkeeper.simulation.disk.SharedDiskArray;
import io.chainkeeper.simulation.host.BoundsChecker;
import io.chainkeeper.simulation.host.Checkpoint;
import io.chainkeeper.simulation.host.DrivenScheduler.Part;
import io.chainkeeper.simulation.host.DrivenScheduler.Reason;
import io.chainkeeper.simulation.host.HostRule;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.host.SimulatedReplica;
import io.chainkeeper.simulation.host.StateMachine;
import io.chainkeeper.simulation.host.World;
import io.chainkeeper.simulation.link.VirtualProcess.Clock;
import io.chainkeeper.simulation.order.OrderChecker;
import io.chainkeeper.simulation.swarm.SwarmOptions;
import io.chainkeeper.simulation.swarm.Upgrades;
import io.chainkeeper.simulation.time.EventQueue;
import io.chainkeeper.simulation.time.Trace;
import io.chainkeeper.transport.PeerTransport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The replicas of a run with everything of theirs that takes time: threads, disks, clocks, restarts. */
public final class Cluster implements World, AutoCloseable {
    private final EventQueue events;
    private final SplittableRandom random;
    private final SwarmOptions options;
    private final Delays delays;
    private final Trace trace;
    private final OrderChecker checker;
    private final Workload workload;
    private final RunDirectory directory = new RunDirectory();
    private final List<Integer> members = new ArrayList<>();
    private final List<Machine> machines;
    private final Set<Integer> gone = new TreeSet<>();
    private final Ensembles ensembles;
    private final StateTransfers transfers;
    private final Releases releases;
    private final Starting starting;
    private final Ending ending;
    private final Network network;
    private final BoundsChecker bounds = new BoundsChecker();
    private final SharedDiskArray sharedDisks;
    private final HangingDisks hangs;
    private final Waits waits;
    private final HostMaker hosts;
    private final Strangers strangers;
    private Runnable whenLeaderChanges = () -> {};
    private Set<Integer> absent = Set.of();
    private boolean calm;

    /**
     * @param events virtual time
     * @param random what is drawn
     * @param options how long things take, who is there, how logs behave
     * @param trace told of everything
     * @param factory the protocol
     * @param workload above the order
     * @param rules that hosts follow
     * @param ofDisks what disks draw
     */
    public Cluster(
            EventQueue events,
            SplittableRandom random,
            SwarmOptions options,
            Trace trace,
            OrderingProtocolFactory factory,
            Workload workload,
            Set<HostRule> rules,
            SplittableRandom ofDisks) {
        this.events = events;
        this.random = random;
        this.options = options;
        this.trace = trace;
        this.workload = workload;
        this.delays = new Delays(random.split(), options, trace);
        Membership initial =
                Membership.initial(options.minQuorumSize(), options.ensemble().participants());
        this.checker = new OrderChecker(
                (id, incarnation) -> replica(id).isRunning(incarnation),
                initial,
                workload::ordered,
                workload::describe);
        this.machines = Machine.all(options, workload.nothing(), rules, directory, ofDisks);
        machines.forEach(machine -> members.add(machine.replica.id()));
        this.ensembles = new Ensembles(options.ensemble(), events, delays, trace, workload, machines, this::start);
        this.releases = new Releases(options.upgrades(), members);
        this.starting = new Starting(this, machines, workload, random, trace, events, delays);
        this.ending = new Ending(this, random, trace);
        this.transfers = new StateTransfers(events, random, delays, trace, this);
        this.network = options.links() == null
                ? new SimulatedNetwork(options.replicas(), events, delays, trace, this::host)
                : new RealNetwork(options.replicas(), factory.name(), options.links(), events, random.split(), trace);
        this.hosts = new HostMaker(random, options, factory, trace, rules);
        this.strangers = new Strangers(this, machines, events, trace, hosts, options.hasStrangers(), workload);
        this.sharedDisks = SharedDiskArray.of(
                options.sharedDisks().count(), factory.sharedDisks(), options.settingsOf(0), ofDisks, events, trace);
        this.hangs = new HangingDisks(events, trace, this);
        this.waits = new Waits(events, machines);
    }

    /** When replicas stood still. */
    public Waits waits() {
        return waits;
    }

    /** Disks that give no answer. */
    public HangingDisks hangingDisks() {
        return hangs;
    }

    /** The disks that all replicas share; none if the protocol has no use for them. */
    public SharedDiskArray sharedDisks() {
        return sharedDisks;
    }

    /** Servers with the directory of another cluster. */
    public Strangers strangers() {
        return strangers;
    }

    /** Sets who does not start before faults have stopped. */
    public void leaveOut(Set<Integer> replicas) {
        absent = replicas;
    }

    /** Sets what happens when a replica's view of the leader changes. */
    public void whenLeaderChanges(Runnable action) {
        whenLeaderChanges = action;
    }

    /** The links. */
    public Network network() {
        return network;
    }

    @Override
    public BoundsChecker bounds() {
        return bounds;
    }

    /** What has seen everything that was ordered. */
    public OrderChecker checker() {
        return checker;
    }

    /** How long things take. */
    public Delays delays() {
        return delays;
    }

    /** What of a replica survives a crash. */
    public SimulatedReplica replica(int id) {
        return machines.get(id - 1).replica;
    }

    /** The running incarnation of a replica, or null. */
    public ReplicaHost host(int id) {
        return replica(id).host();
    }

    /** Ids of all replicas that there may ever be. */
    public List<Integer> members() {
        return members;
    }

    /** Which release each server runs. */
    public Releases releases() {
        return releases;
    }

    // ---------------------------------------------------------------- the ensemble

    /** The ensemble that is configured now. */
    public Ensemble ensemble() {
        return ensembles.newest();
    }

    /** Participants and observers that are not down for good, ascending. */
    public List<Integer> configured() {
        List<Integer> all = ensembles.newestReplicas();
        return gone.isEmpty()
                ? all
                : all.stream().filter(id -> !gone.contains(id)).toList();
    }

    /** All ensembles that were, are, or are asked for, and how replicas learn of them. */
    public Ensembles ensembles() {
        return ensembles;
    }

    /** What stands in a replica's own file. */
    public Ensemble file(int id) {
        return ensembles.file(machines.get(id - 1));
    }

    /** Whether the present disk of a replica was ever that of one who may vote, a founder for instance. */
    public boolean hasVoted(int id) {
        return machines.get(id - 1).hasVoted();
    }

    /** Up to where the disk of a replica remembers that everything is decided, as far as anybody can tell. */
    public long decidedPosition(int id) {
        hasVoted(id);
        return machines.get(id - 1).decidedPosition;
    }

    /** Whether a replica has lost a disk and has not voted since, or has not got back what shared disks forgot. */
    public boolean isDiskLost(int id) {
        SimulatedReplica replica = replica(id);
        boolean isWhole = sharedDisks.count() == 0 || replica.oldestCheckpoint() >= replica.saidToCover();
        return machines.get(id - 1).hasLostDisk && !(hasVoted(id) && isWhole);
    }

    /** A replica that is down finds its disk empty when it starts again, under the newest configuration. */
    public void loseDisk(int id) {
        trace.record(id, "loses its disk", 0, null);
        Machine machine = machines.get(id - 1);
        machine.loseDisk();
        hangs.answerOwn(id);
        releases.diskLost(id);
        sharedDisks.forget(id);
        ensembles.diskLost(machine);
    }

    // ---------------------------------------------------------------- start and crash

    /** Starts a replica from its disk, unless it is running or was never configured. */
    public void start(int id) {
        Machine machine = machines.get(id - 1);
        boolean isGone = gone.contains(id) && !delays.isSlowForGood(id);
        boolean isLeftOut = absent.contains(id) && !calm || strangers.isInPlaceOf(id) || isGone;
        boolean mayStart = !machine.replica.isRunning() && machine.knownEnsemble >= 0 && !isLeftOut;
        if (!mayStart || hangs.holdsUpStart(id, () -> start(id))) {
            return;
        }
        strangers.starts(machine);
        List<DiskSource> disks = sharedDisks.openFor(id);
        StateMachine application = starting.recover(machine, disks);
        if (application == null) {
            return;
        }
        ReplicaHost host = hosts.make(machine.replica, file(id), application, disks, this, checker);
        machine.replica.started(host);
        machine.endPause(events.nowMicros());
        machine.started();
        skewClock(machine);
        host.start();
        network.started(id);
        ensembles.started(machine);
    }

    /** How starts begin. */
    public Starting starting() {
        return starting;
    }

    /** Crashes a replica; returns whether it was running. */
    public boolean crash(int id) {
        return ending.crash(id);
    }

    /** How processes end otherwise. */
    public Ending ending() {
        return ending;
    }

    /** Replicas that never start again, or serve nobody as they should; to be added to. */
    public Set<Integer> gone() {
        return gone;
    }

    // ---------------------------------------------------------------- faults of one machine

    /** A replica stands still for so long. */
    public void pause(int id, long durationMicros) {
        Machine machine = machines.get(id - 1);
        trace.record(id, "pauses for microseconds", durationMicros, null);
        machine.pause(events.nowMicros(), durationMicros);
        network.paused(id, machine.pausedUntilMicros);
    }

    /** A replica that stands still goes on. */
    public void resume(int id) {
        Machine machine = machines.get(id - 1);
        machine.endPause(events.nowMicros());
        network.paused(id, events.nowMicros());
        machine.wake(events.nowMicros());
    }

    /** A replica's disk, and its way to shared ones, take so many times as long as usual, from now on. */
    public void slowDisk(int id, int factor) {
        trace.record(id, "disk slower by", factor, null);
        machines.get(id - 1).diskFactor = factor;
    }

    /** Whether a replica stands still (1), has a slow disk (2), and faults have stopped (4); the sum. */
    public int conditions(int id) {
        return machines.get(id - 1).conditions(events.nowMicros(), delays.isBrownedOut(id)) + (calm ? 4 : 0);
    }

    /** From now on a replica's clock runs faster or slower than it did. */
    public void drift(int id) {
        skewClock(machines.get(id - 1));
    }

    private void skewClock(Machine machine) {
        long skew = options.clockSkewPercent() == 0 || calm
                ? 0
                : random.nextInt(2 * options.clockSkewPercent() + 1) - options.clockSkewPercent();
        machine.skewClock(events.nowMicros(), skew);
    }

    /** A replica's own monotonic clock, which runs as fast as its ticks. */
    public long clockMicros(int id) {
        return machines.get(id - 1).clockMicros(events.nowMicros());
    }

    /** How much time passes until a replica's clock has moved on by so much. */
    public long realMicros(int id, long clockMicros) {
        return machines.get(id - 1).realMicros(clockMicros);
    }

    /** Lets a thread of a replica do something, when it is awake and has not crashed by then. */
    public void later(ReplicaHost host, long delayMicros, Runnable action) {
        events.after(delayMicros, () -> machineOf(host).runAwake(events, host, action));
    }

    /** Faults have stopped: everything is healed, restarted, fast and punctual. */
    public void calm() {
        trace.record(0, "faults stop", 0, null);
        calm = true;
        delays.calm();
        network.healAll();
        strangers.end();
        sharedDisks.calm();
        hangs.calm();
        for (Machine machine : machines) {
            machine.calm(events.nowMicros());
            network.paused(machine.replica.id(), events.nowMicros());
            skewClock(machine);
            machine.wake(events.nowMicros());
            ending.calm(machine.replica.id());
            if (machine.replica.host() == null) {
                start(machine.replica.id()); // those removed, too: they may be needed until they have left
            } else {
                ensembles.tellLater(machine);
            }
        }
        if (options.upgrades() != Upgrades.NONE) {
            new UpgradeOperator(events, this, workload).look();
        }
    }

    // ---------------------------------------------------------------- time of a host

    private Machine machineOf(ReplicaHost host) {
        return machines.get(host.id() - 1);
    }

    @Override
    public long clockNanos(int id) {
        return clockMicros(id) * 1000;
    }

    @Override
    public void workWaiting(ReplicaHost host, Part part, Reason reason, long nanos, Runnable piece) {
        later(host, pieceMicros(host, part, reason, nanos), piece);
    }

    @Override
    public boolean isHeldUp(ReplicaHost host, Part part, int disk) {
        return hangs.isHeldUp(host.id(), part, disk);
    }

    @Override
    public void whenAnswered(ReplicaHost host, int disk, Runnable piece) {
        hangs.whenAnswered(host, disk, piece);
    }

    @Override
    public boolean meanwhile(ReplicaHost host) {
        return hangs.meanwhile(host.id());
    }

    @Override
    public void standsStill(ReplicaHost host, boolean now) {
        waits.standStill(host.id(), now);
    }

    @Override
    public void overlooks(ReplicaHost host, Runnable task) {
        later(host, delays.turnMicros(), task);
    }

    @Override
    public void linksWork(ReplicaHost host, Runnable task) {
        later(host, delays.handOverMicros(), task);
    }

    /** So much that the replica's own clock, of whole microseconds, has reached that time. */
    private long realMicrosOf(int id, long clockNanos) {
        return realMicros(id, (clockNanos + 999) / 1000) + 1;
    }

    /** As a server that ends itself, and is started again by an operator who has looked after its disk. */
    @Override
    public void logFailed(ReplicaHost host, IOException failure) {
        trace.record(host.id(), "stops, as its log has failed", 0, failure.getMessage());
        starting.endRepaired(host);
    }

    @Override
    public void releaseNeeded(ReplicaHost host, String message) {
        trace.record(host.id(), "stops, as it needs another release", 0, message);
        releases.install(host.id(), Upgrades.PRESENT);
        starting.endRepaired(host);
    }

    @Override
    public void diskReplaced(ReplicaHost host) {
        trace.record(host.id(), "stops, as a shared disk was replaced", 0, null);
        starting.endRepaired(host);
    }

    /** How long a part of a replica takes to begin with a piece of its work. */
    public long pieceMicros(ReplicaHost host, Part part, Reason reason, long nanos) {
        return reason == Reason.TIME
                ? realMicrosOf(host.id(), nanos)
                : delays.workMicros(machineOf(host), part, reason);
    }

    // ---------------------------------------------------------------- states

    @Override
    public void checkpointBegun(ReplicaHost host, Checkpoint checkpoint) {
        Runnable write = () -> host.checkpointDurable(
                host.replica().checkpointDurable(host.application().completeCheckpoint(checkpoint)));
        events.after(delays.checkpointMicros(), () -> hangs.write(host, write));
    }

    @Override
    public void stateWanted(ReplicaHost host, int fromPeer, long position) {
        transfers.stateWanted(machineOf(host), host, fromPeer, position);
    }

    @Override
    public PeerTransport realLinks(int id, long incarnation, Supplier<FeatureLevel> level) {
        Machine machine = machines.get(id - 1);
        return links(id, incarnation, machine.disksLost, level, strangers.clusterOf(machine));
    }

    /** The product's links of a start, with the number of its disk and the cluster that its directory belongs to. */
    PeerTransport links(int id, long incarnation, int disk, Supplier<FeatureLevel> level, LongSupplier ofCluster) {
        Clock clock = machines.get(id - 1).clock(events);
        return network.transport(id, incarnation, disk, clock, releases.levels(id), level, ofCluster);
    }

    @Override
    public void send(ReplicaHost from, int to, long linkEpoch, byte[] frame) {
        network.send(from.id(), to, linkEpoch, frame);
    }

    /** All replicas are gone, and what they have on disk is removed. */
    @Override
    public void close() {
        network.end();
        strangers.close();
        machines.forEach(machine -> machine.replica.close());
        directory.close();
    }

    @Override
    public void readAgain(ReplicaHost host, int peer) {
        network.readAgain(host.id(), peer);
    }

    @Override
    public void superseded(ReplicaHost host, long incarnation) {
        starting.superseded(host, incarnation);
    }

    @Override
    public void statusChanged(ReplicaHost host, OrderingStatus status) {
        whenLeaderChanges.run();
    }
}
