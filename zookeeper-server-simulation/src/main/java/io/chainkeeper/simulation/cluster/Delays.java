package io.chainkeeper.simulation.cluster;

import io.chainkeeper.simulation.host.DrivenScheduler.Part;
import io.chainkeeper.simulation.host.DrivenScheduler.Reason;
import io.chainkeeper.simulation.swarm.SwarmOptions;
import io.chainkeeper.simulation.time.Trace;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/** How long things take, drawn anew each time; the ranges are the run's, and become short when faults stop. */
public final class Delays {
    private static final long CALM_NETWORK_MICROS = 500;
    private static final long CALM_SYNC_MICROS = 2_000;

    /**
     * The state that a run has is small, whatever the number of positions: a protocol can order tens of thousands of
     * empty ones. And a transfer that begins before faults stop must not last as long as a run has after them: that
     * would be the simulator's lack of liveness, not the protocol's.
     */
    private static final long MAX_STATE_MICROS = 5_000_000;

    private static final long LOG_READ_MICROS = 20_000;

    /** As long as a disk takes that finds what is on it only after many tries. */
    private static final long MAX_LOG_READ_MICROS = 1_000_000;

    /** Of the suspicion timeout, the most that a force may take in a brownout; one of these. */
    private static final int[] MOST_TWELFTHS = {2, 4, 8, 12, 24};

    private record Brownout(long leastMicros, long mostMicros, boolean isForGood) {}

    private final SplittableRandom random;
    private final SwarmOptions options;
    private final Trace trace;
    private final Map<Integer, Brownout> brownouts = new TreeMap<>();
    private boolean calm;

    Delays(SplittableRandom random, SwarmOptions options, Trace trace) {
        this.random = random;
        this.options = options;
        this.trace = trace;
    }

    /** From now on everything is fast but for what is slow for good. */
    void calm() {
        calm = true;
        brownouts.values().removeIf(brownout -> !brownout.isForGood);
    }

    /**
     * From now on each force of a replica's own disk, and each of its accesses to a shared disk, takes about as long as
     * timeouts: a twelfth of the suspicion timeout at least, twice that timeout at most.
     *
     * @param id of the replica
     * @param ofDisk draws how long within these bounds, and how much that varies
     * @param forGood whether it goes on to when faults have stopped
     */
    public void brownOut(int id, SplittableRandom ofDisk, boolean forGood) {
        long twelfthMicros = options.suspicionMicros() / 12;
        long mostMicros = twelfthMicros * MOST_TWELFTHS[ofDisk.nextInt(MOST_TWELFTHS.length)];
        long leastMicros = ofDisk.nextBoolean() ? twelfthMicros : mostMicros * 3 / 4;
        trace.record(id, "disk takes up to microseconds", mostMicros, null);
        brownouts.put(id, new Brownout(leastMicros, mostMicros, forGood || isSlowForGood(id)));
    }

    /** A replica's disks are as fast as they were, unless they are slow for good. */
    public void endBrownout(int id) {
        if (isBrownedOut(id) && !isSlowForGood(id)) {
            brownouts.remove(id);
            trace.record(id, "disk is as fast as it was", 0, null);
        }
    }

    /** Whether a replica's disks take about as long as timeouts. */
    public boolean isBrownedOut(int id) {
        return brownouts.containsKey(id);
    }

    /** Whether they do, and will when faults have stopped. */
    boolean isSlowForGood(int id) {
        Brownout brownout = brownouts.get(id);
        return brownout != null && brownout.isForGood;
    }

    private long diskMicros(Machine machine, LongSupplier usualMicros) {
        Brownout brownout = brownouts.get(machine.replica.id());
        return brownout == null
                ? usualMicros.getAsLong() * machine.diskFactor
                : random.nextLong(brownout.leastMicros, brownout.mostMicros + 1);
    }

    private long upTo(long boundMicros) {
        return 1 + random.nextLong(boundMicros);
    }

    /** Mostly short, sometimes up to the bound: a long tail finds more orders than an even spread. */
    private long tailed(long boundMicros) {
        long bound = random.nextInt(4) == 0 ? boundMicros : Math.max(1, boundMicros / 8);
        return upTo(bound);
    }

    /** A part of a replica gets round to what it has been woken for, or has left to do. */
    long workMicros(Machine machine, Part part, Reason reason) {
        return switch (part) {
            case LOG_WRITER -> {
                if (reason != Reason.MORE) {
                    yield handOverMicros();
                }
                yield machine.replica.log().hasUnforced() ? diskMicros(machine, this::syncMicros) : 0;
            }
            case LOG_READER -> Math.min(logReadMicros() * machine.diskFactor, MAX_LOG_READ_MICROS);
            case SHARED_DISK -> reason == Reason.MORE ? diskMicros(machine, this::sharedDiskMicros) : handOverMicros();
            case EXECUTION -> executionMicros();
            case SNAPSHOT -> pieceOfSnapshotMicros() * machine.diskFactor;
            case STATE_FETCH -> networkMicros() + networkMicros();
            case ORDER, TRANSACTION_LOG, MAIN, OTHER -> handOverMicros();
        };
    }

    /** A frame on its way. */
    public long networkMicros() {
        return calm ? upTo(CALM_NETWORK_MICROS) : tailed(options.maxNetworkMicros());
    }

    /** One fsync. */
    private long syncMicros() {
        if (!calm && options.maxSyncMicros() == 0) {
            return 0;
        }
        return calm ? upTo(CALM_SYNC_MICROS) : tailed(options.maxSyncMicros());
    }

    /** One access to a disk that all share. */
    private long sharedDiskMicros() {
        return calm ? upTo(CALM_SYNC_MICROS) : tailed(options.sharedDisks().maxMicros());
    }

    /** One thread of a replica notices that another has left it something. */
    public long handOverMicros() {
        return upTo(calm ? 50 : options.maxHandOverMicros());
    }

    /** A thread among several that wait for the same has its turn. */
    long turnMicros() {
        return calm || random.nextInt(4) != 0 ? 0 : upTo(400_000);
    }

    /** The apply thread gets round to what was delivered. */
    private long executionMicros() {
        return upTo(calm ? 100 : options.maxExecutionMicros());
    }

    /** The log is read. */
    private long logReadMicros() {
        if (calm) {
            return upTo(1_000);
        }
        return upTo(random.nextInt(8) == 0 ? MAX_LOG_READ_MICROS : LOG_READ_MICROS);
    }

    /** A checkpoint is written. */
    long checkpointMicros() {
        return upTo(calm ? 10_000 : 500_000);
    }

    /** A piece of a snapshot is written. */
    private long pieceOfSnapshotMicros() {
        return upTo(calm ? 2_000 : 100_000);
    }

    /** A replica's state travels to another: the longer the more there is, up to a bound. */
    long stateMicros(long positions) {
        long perPosition = calm ? 100 : 2_000;
        return Math.min(MAX_STATE_MICROS, checkpointMicros() + positions * upTo(perPosition));
    }

    /** A server has ended itself, and somebody has looked after its disk. */
    long repairMicros() {
        return upTo(calm ? 1_000 : 500_000);
    }

    /** A change of the configured ensemble is executed. */
    long ensembleMicros() {
        return calm ? upTo(1_000) : tailed(1_000_000);
    }

    /** One end of a connection notices that it is up or down. */
    long noticeMicros() {
        return upTo(calm ? 1_000 : options.maxNoticeMicros());
    }

    /** Until a pair tries to connect. */
    long reconnectMicros() {
        return calm ? upTo(20_000) : tailed(200_000);
    }

    /** Until a connection with a cut direction breaks. */
    long cutDetectionMicros() {
        return upTo(options.maxCutDetectionMicros());
    }
}
