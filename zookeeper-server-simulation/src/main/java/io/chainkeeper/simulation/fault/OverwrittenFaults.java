package io.chainkeeper.simulation.fault;

import io.chainkeeper.ordering.Membership;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A checkpoint over values that were never decided. A leader and one other are cut off with values of their own, while
 * the others decide something else. The leader stands still, and the other one is let back in; its disk hangs as soon
 * as it takes a value over one of those. What it executes then is in a checkpoint, and it crashes. So its log holds the
 * old value where the checkpoint says that something is decided, and it is the only one that a laggard reaches.
 */
final class OverwrittenFaults {
    private enum Stage {
        IDLE,
        APART,
        OVERWRITING
    }

    private static final int LEAST_PARTICIPANTS = 5;
    private static final int MOST_VALUES = 8;
    private static final long HOLD_MICROS = 2_500_000;
    private static final long MEETING_MICROS = 400_000;

    private final Cluster cluster;
    private final Stories stories;
    private final int hangingDisk;
    private SplittableRandom random;
    private Stage stage = Stage.IDLE;
    private int deposed;
    private int forgetful;
    private int laggard;
    private long before;
    private long oldLast;
    private long overwritten;
    private int untouched;

    /**
     * @param cluster that suffers
     * @param stories how it is told
     * @param hangingDisk how many times longer a force of a disk takes that hangs
     */
    OverwrittenFaults(Cluster cluster, Stories stories, int hangingDisk) {
        this.cluster = cluster;
        this.stories = stories;
        this.hangingDisk = hangingDisk;
    }

    /** Begins, unless nobody leads, there are too few, or the last story has not ended. */
    void begin(SplittableRandom ofFault) {
        List<Integer> participants = new ArrayList<>(cluster.ensemble().participants());
        List<Integer> leaders = participants.stream().filter(stories::leads).toList();
        if (stage != Stage.IDLE || leaders.isEmpty() || participants.size() < LEAST_PARTICIPANTS) {
            return;
        }
        random = ofFault;
        deposed = leaders.get(0);
        participants.remove((Integer) deposed);
        forgetful = participants.remove(random.nextInt(participants.size()));
        List<Integer> observers = cluster.ensemble().observers();
        int quorum = Membership.initial(1, cluster.ensemble().participants()).quorum();
        if (observers.isEmpty() && participants.size() - 1 < quorum) {
            return;
        }
        List<Integer> mayLag = observers.isEmpty() ? participants : observers;
        laggard = mayLag.get(random.nextInt(mayLag.size()));
        stage = Stage.APART;
        before = cluster.checker().lastPosition();
        int values = 1 + random.nextInt(MOST_VALUES);
        stories.separate(List.of(deposed, forgetful));
        stories.isolate(laggard);
        stories.await(HOLD_MICROS, () -> valuesApart() >= values, this::decideWithoutThem, this::decideWithoutThem);
    }

    private long valuesApart() {
        return cluster.replica(forgetful).log().bodiesAbove(before).size();
    }

    private void decideWithoutThem() {
        oldLast = before + valuesApart();
        stories.isolate(deposed);
        stories.isolate(forgetful);
        cluster.pause(deposed, 4 * HOLD_MICROS);
        stories.await(HOLD_MICROS, () -> cluster.checker().lastPosition() > oldLast, this::letBackIn, this::end);
    }

    private void letBackIn() {
        stage = Stage.OVERWRITING;
        overwritten = 0;
        untouched = random.nextInt(2);
        stories.separate(List.of(deposed, laggard));
        stories.isolate(deposed);
        stories.isolate(laggard);
        stories.await(HOLD_MICROS, this::hasCheckpointOverOldValue, this::forget, this::end);
    }

    /** A replica appends a record. What comes behind it is up to the rule that nothing is executed from there. */
    void appends(int replica, long position) {
        boolean isOld = position > before && position <= oldLast;
        if (stage == Stage.OVERWRITING && replica == forgetful && isOld && untouched-- == 0) {
            overwritten = position;
            cluster.slowDisk(forgetful, hangingDisk);
            stories.reached(Fault.OVERWRITE);
        }
    }

    /** Where the checkpoint is beyond all that the log holds, nothing of the log counts. */
    private boolean hasCheckpointOverOldValue() {
        ReplicaHost host = cluster.host(forgetful);
        if (host == null || overwritten == 0) {
            return false;
        }
        var checkpoints = cluster.replica(forgetful).checkpoints();
        long newest = checkpoints.get(checkpoints.size() - 1).position();
        if (newest < overwritten && isWithin(host.position())) {
            host.takeCheckpoint();
        }
        return isWithin(newest);
    }

    private boolean isWithin(long position) {
        return position >= overwritten && position <= oldLast;
    }

    private void forget() {
        cluster.crash(forgetful);
        cluster.slowDisk(forgetful, 1);
        cluster.network().heal(laggard, forgetful);
        cluster.network().heal(forgetful, laggard);
        cluster.start(forgetful);
        stories.later(MEETING_MICROS + random.nextLong(MEETING_MICROS), this::end);
    }

    private void end() {
        stage = Stage.IDLE;
        cluster.slowDisk(forgetful, 1);
        cluster.resume(deposed);
        stories.reunite();
        cluster.start(forgetful);
    }
}
