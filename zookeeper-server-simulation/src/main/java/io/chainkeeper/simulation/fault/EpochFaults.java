package io.chainkeeper.simulation.fault;

import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * Disks that hang when a replica is about to record that it is in another epoch: of all replicas, each at its own
 * moment, until what came before the epoch is in checkpoints; or of one, which goes on in the epoch for a moment. Then
 * they crash. What they do in the epoch without that record on disk they do not know any more.
 */
final class EpochFaults {
    /** How a trace tells of the record in which a protocol notes its epoch. */
    private static final String EPOCH_RECORD = "kind 1 ";

    private static final long CHECKPOINTS_MICROS = 200_000;
    private static final int CHECKPOINTS_MEANWHILE = 4;
    private static final long ALONE_MICROS = 60_000;
    private static final long RESTART_MICROS = 20_000;
    private static final long PATIENCE_MICROS = 2_000_000;

    private final Cluster cluster;
    private final FaultInjector faults;
    private final Stories stories;
    private final int hangingDisk;
    private SplittableRandom random;

    /** Whose disks hang as soon as they record an epoch; empty if nobody's. */
    private Set<Integer> awaited = Set.of();

    private boolean begun;
    private long number;

    /**
     * @param cluster that suffers
     * @param faults crashes replicas
     * @param stories how it is told
     * @param hangingDisk how many times longer a force of a disk takes that hangs
     */
    EpochFaults(Cluster cluster, FaultInjector faults, Stories stories, int hangingDisk) {
        this.cluster = cluster;
        this.faults = faults;
        this.stories = stories;
        this.hangingDisk = hangingDisk;
    }

    /** Waits for the next epoch, unless one is awaited already. */
    void begin(SplittableRandom ofFault) {
        if (!awaited.isEmpty()) {
            return;
        }
        random = ofFault;
        List<Integer> members = cluster.members();
        boolean all = random.nextBoolean();
        awaited = new TreeSet<>(all ? members : List.of(members.get(random.nextInt(members.size()))));
        begun = false;
        long ofStory = ++number;
        stories.later(PATIENCE_MICROS, () -> {
            if (number == ofStory && !begun) {
                awaited = Set.of();
            }
        });
    }

    /** A replica appends a record. */
    void appends(int replica, long position, Object words) {
        boolean isAwaited = position == LogRecord.METADATA && awaited.contains(replica);
        if (!isAwaited || !words.toString().startsWith(EPOCH_RECORD)) {
            return;
        }
        awaited.remove(replica);
        cluster.slowDisk(replica, hangingDisk);
        if (begun) {
            return;
        }
        begun = true;
        if (awaited.isEmpty()) {
            stories.later(1 + random.nextLong(ALONE_MICROS), () -> forget(List.of(replica)));
            return;
        }
        for (int i = 1; i <= CHECKPOINTS_MEANWHILE; i++) {
            stories.later(
                    CHECKPOINTS_MICROS * i / CHECKPOINTS_MEANWHILE,
                    () -> cluster.members().forEach(faults::takeCheckpoint));
        }
        stories.later(2 * CHECKPOINTS_MICROS, () -> forget(cluster.members()));
    }

    private void forget(List<Integer> replicas) {
        awaited = Set.of();
        faults.tookEffect(Fault.FORGET_EPOCH);
        for (int id : replicas) {
            faults.crash(id, 1 + random.nextLong(RESTART_MICROS));
            cluster.slowDisk(id, 1);
        }
    }
}
