package io.chainkeeper.simulation.fault;

import io.chainkeeper.ordering.Message;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;

/**
 * Half of a takeover. A leader and one acceptor are cut off with at least two values of that leader, and another one
 * takes its segment over without them. It is killed at that very moment: its disk keeps that it leaves the first
 * position empty, and nothing of the others. Then it is alone with that acceptor and as few as make a quorum. So the
 * second value is decided and the first is not.
 */
final class HalfTakenFaults {
    private enum Stage {
        IDLE,
        PROPOSAL_AWAITED,
        TAKEOVER_AWAITED,
        GOING_ON
    }

    private static final int LEAST_PARTICIPANTS = 5;
    private static final long HOLD_MICROS = 2_500_000;
    private static final long MEETING_MICROS = 1_500_000;

    private final Cluster cluster;
    private final Stories stories;
    private SplittableRandom random;
    private Stage stage = Stage.IDLE;
    private long number;
    private int leader;
    private int acceptor;
    private long first;
    private long second;

    /**
     * @param cluster that suffers
     * @param stories how it is told
     */
    HalfTakenFaults(Cluster cluster, Stories stories) {
        this.cluster = cluster;
        this.stories = stories;
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
        if (stage == Stage.IDLE || stage == Stage.GOING_ON) {
            return;
        }
        if (SegmentMessages.proposesAtFirst(message)) {
            proposed(from, SegmentMessages.position(message));
        } else if (stage == Stage.TAKEOVER_AWAITED && SegmentMessages.proposesNothing(message)) {
            takenOver(from, SegmentMessages.position(message));
        }
    }

    private void proposed(int from, long position) {
        if (stage == Stage.TAKEOVER_AWAITED) {
            boolean isNext = from == leader && position > first && second == 0;
            second = isNext ? position : second;
            return;
        }
        List<Integer> others = new ArrayList<>(cluster.ensemble().participants());
        if (others.remove((Integer) from)) {
            stage = Stage.TAKEOVER_AWAITED;
            leader = from;
            acceptor = others.get(random.nextInt(others.size()));
            first = position;
            second = 0;
            stories.separate(List.of(leader, acceptor));
            endIn(HOLD_MICROS);
        }
    }

    private void takenOver(int by, long from) {
        boolean areThere = second > 0 && hasRecord(acceptor, first) && hasRecord(acceptor, second);
        if (from != first || by == leader || by == acceptor) {
            return;
        }
        if (!areThere) {
            end();
            return;
        }
        stage = Stage.GOING_ON;
        stories.isolate(by);
        stories.later(1, () -> killHalfWay(by));
        endIn(MEETING_MICROS);
    }

    private boolean hasRecord(int replica, long position) {
        return cluster.replica(replica).log().at(position) != null;
    }

    private void killHalfWay(int taker) {
        cluster.ending().kill(taker, cluster.replica(taker).log().unstableThrough(first));
        cluster.start(taker);
        stories.reached(Fault.HALF_TAKE_OVER);
        List<Integer> rest = new ArrayList<>(cluster.ensemble().participants());
        int quorum = rest.size() / 2 + 1;
        rest.removeAll(List.of(leader, acceptor, taker));
        Collections.shuffle(rest, new Random(random.nextLong()));
        List<Integer> together = new ArrayList<>(rest.subList(0, quorum - 2));
        together.addAll(List.of(acceptor, taker));
        stories.separate(together);
        stories.await(MEETING_MICROS, () -> cluster.checker().lastPosition() >= second, this::end, this::end);
    }

    private void endIn(long micros) {
        long ofStory = ++number;
        stories.later(micros, () -> {
            if (number == ofStory && stage != Stage.IDLE) {
                end();
            }
        });
    }

    private void end() {
        stage = Stage.IDLE;
        stories.reunite();
    }
}
