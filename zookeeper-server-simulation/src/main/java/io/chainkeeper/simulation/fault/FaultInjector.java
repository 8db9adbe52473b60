package io.chainkeeper.simulation.fault;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.cluster.Workload;
import io.chainkeeper.simulation.disk.SimulatedDisk;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.swarm.Decisions;
import io.chainkeeper.simulation.swarm.SwarmOptions;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import io.chainkeeper.simulation.swarm.Upgrades;
import io.chainkeeper.simulation.time.EventQueue;
import io.chainkeeper.simulation.time.Trace;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/** Lets things go wrong, and get right again, until it is stopped. */
public final class FaultInjector {
    private static final int MAX_SLOW_FACTOR = 30;
    private static final long DANGEROUS_MICROS = 30_000;
    private static final long LONG_MICROS = 1_500_000;
    private static final long STALL_MICROS = 8_000_000;
    /** What a trace says when a message leaves. */
    private static final String SENDING = "sends to";

    /** And when a value is handed to the application. */
    private static final String DELIVERY = "delivers";

    /** And when a record is given to the log. */
    private static final String APPENDING = "appends position";

    /** Faults that come when certain messages leave, or records are written. */
    private static final Set<Fault> AT_MESSAGES = EnumSet.of(
            Fault.AMBUSH,
            Fault.REPLACE,
            Fault.USURP,
            Fault.TAKE_OVER,
            Fault.FORGET_EPOCH,
            Fault.GO_BACK_AT_RISE,
            Fault.STALL_AT_DISK,
            Fault.OVERWRITE,
            Fault.JOIN_UNRECORDED,
            Fault.FOUND_UNRECORDED,
            Fault.DEPOSED_AT_DISK,
            Fault.RING_GOES_ROUND,
            Fault.FORGET_DECISION,
            Fault.HALF_TAKE_OVER);

    private static final long HANG_MICROS = 8_000_000;
    private static final int CHECKPOINTS_MEANWHILE = 4;

    private final EventQueue events;
    private final SplittableRandom ofStarts;
    private final SplittableRandom ofKinds;
    private final SwarmOptions options;
    private final Decisions decisions;
    private final Cluster cluster;
    private final MembershipFaults membership;
    private final LinkFaults links;
    private final FoundingFaults founding;
    private final DeposedFaults deposed;
    private final AmbushFaults ambush;
    private final ReplacedFaults replaced;
    private final TakeoverFaults takeovers;
    private final EpochFaults epochs;
    private final OutdatedFaults outdated;
    private final OperatorFaults operator;
    private final LeaveFaults leaves;
    private final RiseFaults rises;
    private final SharedDiskFaults shared;
    private final OtherDisksFaults otherDisks;
    private final StrangerFaults strangers;
    private final SurvivorFaults survivors;
    private final HangFaults hangs;
    private final BehindFaults behind;
    private final GoneFaults gone;
    private final BrownoutFaults brownouts;
    private final UnrecordedFaults unrecorded;
    private final JoinerFaults joiners;

    /** What the fault draws that is carried out now; each has its own, so that none depends on another. */
    private SplittableRandom random;

    /** What the crash at the next change of a leader draws; null if that change is none to be feared. */
    private SplittableRandom ofDangerousChange;

    private boolean stopped;

    /**
     * @param events virtual time
     * @param random what is drawn
     * @param options which faults there are, and how often
     * @param decisions which of them happen
     * @param cluster that suffers them
     * @param workload above it
     */
    public FaultInjector(
            EventQueue events,
            SplittableRandom random,
            SwarmOptions options,
            Decisions decisions,
            Cluster cluster,
            Workload workload) {
        this.events = events;
        this.random = random;
        this.ofStarts = random.split();
        this.ofKinds = random.split();
        this.options = options;
        this.decisions = decisions;
        this.cluster = cluster;
        this.links = new LinkFaults(events, cluster, options.replicas());
        this.membership = new MembershipFaults(cluster, options.mayRemoveSilent());
        boolean regroups = options.faultIntervalMicros().containsKey(Fault.REGROUP);
        this.founding = regroups
                ? new FoundingFaults(events, random.split(), options, decisions, cluster, membership, this)
                : null;
        boolean deposes = options.faultIntervalMicros().containsKey(Fault.DEPOSE);
        this.deposed = deposes ? new DeposedFaults(events, cluster, this) : null;
        int hangingDisk = (int) (HANG_MICROS / Math.max(1, options.maxSyncMicros()));
        this.ambush = new AmbushFaults(cluster, this, this::later, hangingDisk);
        this.replaced = new ReplacedFaults(events, cluster, this, membership);
        Stories stories = new Stories(events, cluster, this);
        this.takeovers = new TakeoverFaults(cluster, this, stories, hangingDisk);
        this.epochs = new EpochFaults(cluster, this, stories, hangingDisk);
        this.outdated = new OutdatedFaults(cluster, stories, options, hangingDisk);
        this.leaves = new LeaveFaults(cluster, this);
        this.operator = new OperatorFaults(cluster, this, leaves);
        this.rises = new RiseFaults(cluster, this, operator, stories);
        this.shared = new SharedDiskFaults(events, cluster, options, this);
        this.otherDisks = new OtherDisksFaults(cluster, stories, this);
        this.strangers = new StrangerFaults(cluster, workload, this);
        this.survivors = new SurvivorFaults(events, cluster, this);
        this.hangs = new HangFaults(events, cluster, options, this);
        this.behind = new BehindFaults(events, cluster, this, stories);
        this.gone = new GoneFaults(cluster, membership, workload, stories);
        this.brownouts = new BrownoutFaults(cluster, this);
        this.unrecorded = new UnrecordedFaults(cluster, stories);
        this.joiners = new JoinerFaults(cluster, stories, options.maxSyncMicros());
    }

    /** Faults begin, and replicas that come late are started. */
    public void start() {
        if (options.clocksAreSetBack()) {
            cluster.members().forEach(id -> cluster.replica(id).startClock());
        }
        if (founding != null) {
            founding.start();
        } else {
            for (int id : options.late()) {
                events.after(ofStarts.nextLong(options.safetyMicros()), () -> cluster.start(id));
            }
        }
        for (Fault fault : Fault.values()) {
            SplittableRandom ofKind = ofKinds.split();
            if (options.faultIntervalMicros().containsKey(fault)) {
                planNext(fault, options.faultIntervalMicros().get(fault), ofKind);
            }
        }
    }

    /** Nothing goes wrong any more; what is broken stays so until the cluster is healed. */
    public void stop() {
        stopped = true;
    }

    /** Whether nobody is kept away any more because a server has gone on alone. */
    public boolean haveAllCome() {
        return survivors.haveAllCome();
    }

    /** Some faults come when certain messages leave. */
    public void watch(Trace trace) {
        Map<Fault, Long> drawn = options.faultIntervalMicros();
        if (AT_MESSAGES.stream().anyMatch(drawn::containsKey)) {
            trace.setWitness(this::happened);
        }
    }

    private void happened(int replica, String what, long number, Object detail) {
        if (!stopped) {
            shared.happened(replica, what);
            outdated.happened(replica, what, number, detail);
        }
        if (!stopped && detail instanceof Message message && what.equals(SENDING)) {
            ambush.sent(replica, (int) number, message);
            replaced.sent(replica, (int) number, message);
            takeovers.sent(replica, (int) number, message);
            outdated.sent(replica, message);
        } else if (!stopped && detail instanceof ByteSlice value && what.equals(DELIVERY)) {
            ambush.delivers(replica, value);
            rises.delivers(replica, value);
        } else if (!stopped && what.equals(APPENDING)) {
            epochs.appends(replica, number, detail);
            outdated.appends(replica, number);
            unrecorded.appends(replica, detail);
        }
    }

    boolean areStopped() {
        return stopped;
    }

    private void planNext(Fault fault, long meanMicros, SplittableRandom ofKind) {
        events.after(1 + ofKind.nextLong(2 * meanMicros), () -> {
            if (!stopped) {
                SplittableRandom ofFault = ofKind.split();
                if (decisions.happens(fault)) {
                    random = ofFault;
                    if (inject(fault)) {
                        tookEffect(fault);
                    }
                }
                planNext(fault, meanMicros, ofKind);
            }
        });
    }

    /** Returns whether it has changed something at once; of what comes later {@link #tookEffect} is told then. */
    private boolean inject(Fault fault) {
        int replica = 1 + random.nextInt(options.replicas());
        return switch (fault) {
            case CRASH -> crash(replica, duration());
            case CRASH_AT_CHANGE -> comesLater(() -> ofDangerousChange = random);
            case CRASH_ALL -> crashAll();
            case PAUSE -> pause(replica, duration());
            case CUT -> links.cut(replica, otherThan(replica), random.nextInt(3), random);
            case ISOLATE -> links.isolate(replica, random);
            case BREAK -> links.breakLink(replica, otherThan(replica));
            case SLOW_DISK -> slowDisk(replica);
            case SLOW_LINK -> links.slow(replica, otherThan(replica), random);
            case DOWN_LONG -> crash(replica, LONG_MICROS + random.nextLong(LONG_MICROS));
            case LOSE_DISK -> loseDisk(replica);
            case RECONFIGURE -> membership.reconfigure(random);
            case PARTITION -> links.partition(random);
            case SPLIT -> links.split(random);
            case LEAVE_BEHIND, READ_LATE, READ_OVERTAKEN -> behind.begin(fault, random);
            case REGROUP -> founding.regroup(random);
            case DEPOSE -> comesLater(() -> deposed.depose(random));
            case DOWN_FOR_GOOD, HANGS_FOR_GOOD, SLOW_FOR_GOOD, SHARED_DISK_GONE, GONE_UNSEEN ->
                gone.begin(fault, random);
            case STALL -> pause(replica, random.nextLong(STALL_MICROS));
            case DRIFT -> drift(replica);
            case CLOCK_JUMP -> jumpClock(replica);
            case FAIL_FORCE -> failForce(replica);
            case FULL_DISK -> fillDisk(replica);
            case ROT -> rot(replica);
            case AMBUSH -> comesLater(() -> ambush.layTrap(random));
            case SHUFFLE -> ambush.regroup(random);
            case HANG -> ambush.hang(random);
            case NEW_LIST -> membership.replaceList(random);
            case USURP -> comesLater(() -> ambush.awaitPromise(random));
            case REPLACE -> comesLater(() -> replaced.replace(random));
            case TAKE_OVER -> comesLater(() -> takeovers.begin(random));
            case FORGET_EPOCH -> comesLater(() -> epochs.begin(random));
            case WRONG_DIRECTORY -> operator.startInDirectoryOf(replica, otherThan(replica), random);
            case UPGRADE, GO_BACK, GO_BACK_BEFORE_RISE, GO_BACK_AT_RISE -> ofReleases(fault, replica);
            case LATE_WRITES -> shared.arriveLate();
            case STALL_AT_DISK -> comesLater(() -> shared.stallAtNextAccess(random));
            case DISK_HANGS, SHARED_DISKS_HANG, BROWNOUT -> keepWaiting(fault, replica);
            case SHARED_DISK_DIES, SHARED_DISK_LOST, SHARED_DISK_CUT, SHARED_DISKS_SLOW, SHARED_DISK_EXCHANGED ->
                ofSharedDisks(fault, replica);
            case GO_ON_ALONE -> survivors.goOnAlone(replica, random);
            case OTHER_DISKS -> comesLater(() -> otherDisks.begin(random));
            case OTHER_CLUSTER -> strangers.come(replica, random);
            case OVERWRITE,
                    OVERHANG,
                    FEW_LISTED,
                    HOLE,
                    DEPOSED_AT_DISK,
                    RING_GOES_ROUND,
                    FORGET_DECISION,
                    HALF_TAKE_OVER -> comesLater(() -> outdated.begin(fault, random));
            case FOUND_UNRECORDED, JOIN_UNRECORDED, JOINER_STANDS -> comesLater(() -> beginOfNewcomer(fault));
            case LEAVE -> comesLater(() -> leaves.begin(random));
            case ASK_FOR_LEVEL -> operator.askForLevel(replica, otherThan(replica), random);
        };
    }

    private boolean ofSharedDisks(Fault fault, int replica) {
        return switch (fault) {
            case SHARED_DISK_DIES -> shared.die(random);
            case SHARED_DISK_LOST -> shared.lose(random);
            case SHARED_DISK_CUT -> shared.cut(replica, random);
            case SHARED_DISKS_SLOW -> shared.slow(replica, random);
            default -> shared.exchange(random);
        };
    }

    private boolean ofReleases(Fault fault, int replica) {
        return switch (fault) {
            case UPGRADE -> operator.changeRelease(fault, replica, random, Upgrades.PRESENT);
            case GO_BACK -> operator.changeRelease(fault, replica, random, Upgrades.FORMER);
            case GO_BACK_BEFORE_RISE -> comesLater(() -> rises.goBackBeforeRise(random));
            default -> comesLater(() -> rises.goBackAtRise(random));
        };
    }

    private void beginOfNewcomer(Fault fault) {
        switch (fault) {
            case FOUND_UNRECORDED -> unrecorded.awaitFounder(random);
            case JOIN_UNRECORDED -> unrecorded.join(random);
            default -> joiners.begin(random);
        }
    }

    /** Disks that work, or might, let servers wait. */
    private boolean keepWaiting(Fault fault, int replica) {
        return switch (fault) {
            case BROWNOUT -> brownouts.begin(random);
            case DISK_HANGS -> hangs.hangOwn(replica, random);
            default -> hangs.hangShared(replica, random);
        };
    }

    private static boolean comesLater(Runnable beginning) {
        beginning.run();
        return false;
    }

    /** The moment that a fault has waited for has come, and the fault with it. */
    void tookEffect(Fault fault) {
        decisions.tookEffect(fault);
    }

    /** Short or long, evenly over the orders of magnitude. */
    private long duration() {
        return duration(random);
    }

    /** The same, drawn from this. */
    static long duration(SplittableRandom random) {
        long bound = 10_000L << random.nextInt(9);
        return 1 + random.nextLong(bound);
    }

    private int otherThan(int replica) {
        if (options.replicas() == 1) {
            return replica;
        }
        int other = 1 + random.nextInt(options.replicas() - 1);
        return other < replica ? other : other + 1;
    }

    /** Somebody's view of the leader has changed. */
    public void leaderChanged() {
        if (ofDangerousChange != null && !stopped) {
            SplittableRandom ofChange = ofDangerousChange;
            ofDangerousChange = null;
            int replica = 1 + ofChange.nextInt(options.replicas());
            events.after(ofChange.nextLong(DANGEROUS_MICROS), () -> {
                if (!stopped && crash(replica, 1 + ofChange.nextLong(DANGEROUS_MICROS))) {
                    tookEffect(Fault.CRASH_AT_CHANGE);
                }
            });
        }
    }

    /** A replica that runs crashes, and starts again if faults have not stopped by then; whether it was running. */
    boolean crash(int replica, long downMicros) {
        boolean ran = cluster.crash(replica);
        if (ran) {
            events.after(downMicros, () -> {
                if (!stopped) {
                    cluster.start(replica);
                }
            });
        }
        return ran;
    }

    private boolean crashAll() {
        boolean ran = false;
        for (int id = 1; id <= options.replicas(); id++) {
            ran |= crash(id, duration());
        }
        return ran;
    }

    private boolean runs(int replica) {
        return cluster.replica(replica).isRunning();
    }

    private boolean pause(int replica, long micros) {
        cluster.pause(replica, micros);
        return runs(replica);
    }

    private boolean drift(int replica) {
        cluster.drift(replica);
        return runs(replica) && options.clockSkewPercent() > 0;
    }

    private boolean loseDisk(int replica) {
        boolean may = membership.mayLoseDisk(replica);
        if (may) {
            crash(replica, duration());
            emptyDisk(replica, random);
        }
        return may;
    }

    private boolean rot(int replica) {
        if (!membership.mayLoseDisk(replica)) {
            return false;
        }
        crash(replica, duration());
        boolean isFound = cluster.replica(replica).log().rot();
        if (isFound) {
            emptyDisk(replica, random);
        }
        return isFound;
    }

    private boolean failForce(int replica) {
        if (runs(replica)) {
            cluster.replica(replica).log().disk().failForces(1);
        }
        return runs(replica);
    }

    private boolean fillDisk(int replica) {
        if (runs(replica)) {
            SimulatedDisk full = cluster.replica(replica).log().disk();
            full.setFull(true);
            events.after(duration(), () -> full.setFull(false));
        }
        return runs(replica);
    }

    /** A replica that is down finds nothing when it starts again, and perhaps another time of day. */
    void emptyDisk(int replica, SplittableRandom ofFault) {
        cluster.loseDisk(replica);
        if (options.clocksAreSetBack() && ofFault.nextInt(4) != 0) {
            cluster.replica(replica).setClockBack();
        }
    }

    private boolean jumpClock(int replica) {
        crash(replica, duration());
        if (runs(replica)) {
            return false;
        }
        if (random.nextBoolean()) {
            cluster.replica(replica).setClockBack();
        } else {
            cluster.replica(replica).setClockForward();
        }
        return true;
    }

    void cutDirection(int from, int to, long duration) {
        links.cutDirection(from, to, duration);
    }

    /** A replica writes checkpoints, so that its log can be cut, and starts anew, so that its memory is empty. */
    void forget(int id, long withinMicros) {
        for (int i = 1; i <= CHECKPOINTS_MEANWHILE; i++) {
            events.after(withinMicros * i / CHECKPOINTS_MEANWHILE, () -> takeCheckpoint(id));
        }
        long latest = withinMicros / CHECKPOINTS_MEANWHILE;
        long downMicros = 1 + random.nextLong(DANGEROUS_MICROS);
        events.after(withinMicros - random.nextLong(latest), () -> {
            if (!stopped) {
                crash(id, downMicros);
            }
        });
    }

    void later(long delayMicros, Runnable action) {
        events.after(delayMicros, () -> {
            if (!stopped) {
                action.run();
            }
        });
    }

    /** A replica that runs begins to write a checkpoint. */
    void takeCheckpoint(int id) {
        ReplicaHost host = cluster.host(id);
        if (host != null) {
            host.takeCheckpoint();
        }
    }

    private boolean slowDisk(int replica) {
        int factor = 1 + random.nextInt(MAX_SLOW_FACTOR);
        cluster.slowDisk(replica, factor);
        events.after(duration(), () -> cluster.slowDisk(replica, 1));
        return factor > 1 && runs(replica);
    }
}
