package io.chainkeeper.simulation.fault;

import io.chainkeeper.ordering.Message;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A log that holds what a checkpoint contradicts, still in the present epoch. A leader is cut off at the very moment at
 * which it proposes a value, and the others finish its segment without that. It is let back in, and its disk hangs as
 * soon as it records what is decided there. What it executes then is in a checkpoint, and it is killed. So its log
 * holds the old value below that checkpoint, and it is the only one that a laggard reaches.
 */
final class ForgottenFaults {
    private enum Stage {
        IDLE,
        PROPOSAL_AWAITED,
        APART,
        LEARNING,
        MEETING
    }

    private static final int LEAST_PARTICIPANTS = 5;
    private static final long HOLD_MICROS = 2_500_000;
    private static final long RECORDED_MICROS = 40_000;
    private static final int SLOW_FACTOR = 100;
    private static final long MEETING_MICROS = 1_000_000;

    private final Cluster cluster;
    private final Stories stories;
    private final int hangingDisk;
    private SplittableRandom random;
    private Stage stage = Stage.IDLE;
    private int forgetful;
    private int laggard;
    private long contradicted;
    private boolean hangs;

    /**
     * @param cluster that suffers
     * @param stories how it is told
     * @param hangingDisk how many times longer a force of a disk takes that hangs
     */
    ForgottenFaults(Cluster cluster, Stories stories, int hangingDisk) {
        this.cluster = cluster;
        this.stories = stories;
        this.hangingDisk = hangingDisk;
    }

    /** Waits for the next proposal, unless there are too few, or the last story has not ended. */
    void begin(SplittableRandom ofFault) {
        if (stage == Stage.IDLE && cluster.ensemble().participants().size() >= LEAST_PARTICIPANTS) {
            random = ofFault;
            stage = Stage.PROPOSAL_AWAITED;
        }
    }

    /** A message is about to leave. */
    void sent(int from, Message message) {
        List<Integer> others = new ArrayList<>(cluster.ensemble().participants());
        if (stage != Stage.PROPOSAL_AWAITED
                || !SegmentMessages.proposesAtFirst(message)
                || !others.remove((Integer) from)) {
            return;
        }
        List<Integer> observers = cluster.ensemble().observers();
        List<Integer> mayLag = observers.isEmpty() ? others : observers;
        stage = Stage.APART;
        forgetful = from;
        laggard = mayLag.get(random.nextInt(mayLag.size()));
        contradicted = SegmentMessages.position(message);
        hangs = false;
        stories.isolate(forgetful);
        stories.isolate(laggard);
        stories.await(HOLD_MICROS, this::isDecidedWithoutThem, this::letBackIn, this::end);
    }

    private boolean isDecidedWithoutThem() {
        return cluster.checker().lastPosition() > contradicted;
    }

    private void letBackIn() {
        stories.later(RECORDED_MICROS, () -> {
            stage = Stage.LEARNING;
            stories.separate(List.of(laggard));
            slowWaysToForgetful(SLOW_FACTOR);
            stories.await(HOLD_MICROS, this::hasCheckpointOverOldValue, this::forget, this::end);
        });
    }

    /** What it learns one by one is durable before it learns the next. */
    private void slowWaysToForgetful(int factor) {
        for (int id : cluster.members()) {
            if (id != forgetful) {
                cluster.network().slow(id, forgetful, factor);
            }
        }
    }

    /** A replica appends a record. */
    void appends(int replica, long position) {
        if (stage == Stage.LEARNING && replica == forgetful && position == contradicted && !hangs) {
            hangs = true;
            cluster.slowDisk(forgetful, hangingDisk);
            slowWaysToForgetful(1);
            stories.reached(Fault.FORGET_DECISION);
        }
    }

    private boolean hasCheckpointOverOldValue() {
        ReplicaHost host = cluster.host(forgetful);
        if (host == null || !hangs) {
            return false;
        }
        var checkpoints = cluster.replica(forgetful).checkpoints();
        boolean isOver = checkpoints.get(checkpoints.size() - 1).position() >= contradicted;
        if (!isOver && host.position() >= contradicted) {
            host.takeCheckpoint();
        }
        return isOver;
    }

    private void forget() {
        stage = Stage.MEETING;
        startAnew();
        stories.isolate(forgetful);
        cluster.network().heal(laggard, forgetful);
        cluster.network().heal(forgetful, laggard);
        stories.await(MEETING_MICROS, this::hasLaggardLearned, this::end, this::end);
    }

    private boolean hasLaggardLearned() {
        ReplicaHost host = cluster.host(laggard);
        return host != null && host.position() > contradicted;
    }

    private void startAnew() {
        cluster.ending().kill(forgetful, 0);
        cluster.slowDisk(forgetful, 1);
        cluster.start(forgetful);
    }

    private void end() {
        if (stage == Stage.LEARNING && hangs) {
            startAnew();
        }
        stage = Stage.IDLE;
        slowWaysToForgetful(1);
        stories.reunite();
    }
}
