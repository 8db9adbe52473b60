package io.chainkeeper.simulation.fault;

import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A log with a hole. A replica's disk hangs while it executes, and it crashes when a checkpoint is ahead of its log. It
 * goes on from there, and crashes a few times more: at one of these starts the checkpoint may be damaged, and an older
 * one leads to where the log has nothing.
 */
final class HoleFaults {
    private static final long HOLD_MICROS = 1_500_000;
    private static final int POSITIONS = 3;
    private static final int STARTS = 6;
    private static final long BETWEEN_STARTS_MICROS = 60_000;

    private final Cluster cluster;
    private final Stories stories;
    private final int hangingDisk;
    private SplittableRandom random;
    private boolean busy;
    private int forgetful;
    private long before;

    /**
     * @param cluster that suffers
     * @param stories how it is told
     * @param hangingDisk how many times longer a force of a disk takes that hangs
     */
    HoleFaults(Cluster cluster, Stories stories, int hangingDisk) {
        this.cluster = cluster;
        this.stories = stories;
        this.hangingDisk = hangingDisk;
    }

    /** Begins, unless the replica that is drawn is down, or the last story has not ended. */
    void begin(SplittableRandom ofFault) {
        List<Integer> participants = cluster.ensemble().participants();
        int drawn = participants.get(ofFault.nextInt(participants.size()));
        ReplicaHost host = cluster.host(drawn);
        if (busy || host == null) {
            return;
        }
        busy = true;
        random = ofFault;
        forgetful = drawn;
        before = host.position() + random.nextInt(POSITIONS);
        cluster.slowDisk(forgetful, hangingDisk);
        stories.await(HOLD_MICROS, this::hasCheckpointAhead, this::crashTimeAndAgain, this::end);
    }

    private boolean hasCheckpointAhead() {
        ReplicaHost host = cluster.host(forgetful);
        if (host == null) {
            return false;
        }
        var checkpoints = cluster.replica(forgetful).checkpoints();
        boolean isAhead = checkpoints.get(checkpoints.size() - 1).position() > before;
        if (!isAhead && host.position() > before) {
            host.takeCheckpoint();
        }
        return isAhead;
    }

    private void crashTimeAndAgain() {
        stories.reached(Fault.HOLE);
        crashAgain(STARTS);
    }

    private void crashAgain(int left) {
        cluster.crash(forgetful);
        cluster.slowDisk(forgetful, 1);
        cluster.start(forgetful);
        if (left > 0) {
            stories.later(1 + random.nextLong(BETWEEN_STARTS_MICROS), () -> crashAgain(left - 1));
        } else {
            end();
        }
    }

    private void end() {
        busy = false;
        cluster.slowDisk(forgetful, 1);
        cluster.start(forgetful);
    }
}
