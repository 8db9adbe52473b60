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
 * A leader is cut off with values of its own, others finish what it has left open, and something goes wrong at the very
 * moment at which that is decided. Needs five participants at least: a minority that holds the values, and others
 * enough to decide something else, of whom some can be lost once more.
 */
final class TakeoverFaults {
    private enum Story {
        /** Who has decided tells nobody; the next one hears of both values. */
        DECISION_IS_NOT_TOLD,
        /** One acceptor hears of what replaces the values, and is cut off with its proposer. */
        ONE_ACCEPTOR_HEARS,
        /** One acceptor hears that a value is decided, behind a gap; who has told it is cut off. */
        DECIDED_BEHIND_A_GAP,
        /** A replica with values of the leader on disk starts anew, and its disk hangs while it hears of a decision. */
        DISK_IS_OUTDATED
    }

    private enum Stage {
        IDLE,
        TAKEOVER_AWAITED,
        GOING_ON
    }

    /** What protocols call it when a proposer after a takeover leaves positions empty. */
    private static final String PROPOSES_NOTHING = "AcceptNil";

    private static final String DECIDED = "Decided";

    /** How messages say that they are of the ballot of an initial leader. */
    private static final String INITIAL_BALLOT = "ballot=0.";

    private static final int LEAST_PARTICIPANTS = 5;
    private static final long HOLD_MICROS = 2_500_000;
    private static final long SOON_MICROS = 30_000;
    private static final long RESTART_MICROS = 5_000;
    private static final long MEETING_MICROS = 700_000;
    private static final int POSITIONS_DECIDED = 8;

    private final Cluster cluster;
    private final FaultInjector faults;
    private final Stories stories;
    private final int hangingDisk;
    private SplittableRandom random;
    private Story story;
    private Stage stage = Stage.IDLE;
    private long number;
    private List<Integer> minority = List.of();
    private List<Integer> majority = List.of();

    /**
     * @param cluster that suffers
     * @param faults crashes replicas
     * @param stories how it is told
     * @param hangingDisk how many times longer a force of a disk takes that hangs
     */
    TakeoverFaults(Cluster cluster, FaultInjector faults, Stories stories, int hangingDisk) {
        this.cluster = cluster;
        this.faults = faults;
        this.stories = stories;
        this.hangingDisk = hangingDisk;
    }

    /** Begins, unless the last story has not ended, or there are too few. */
    void begin(SplittableRandom ofFault) {
        List<Integer> participants = new ArrayList<>(cluster.ensemble().participants());
        if (stage != Stage.IDLE || participants.size() < LEAST_PARTICIPANTS) {
            return;
        }
        random = ofFault;
        Collections.shuffle(participants, new Random(random.nextLong()));
        int few = (participants.size() - 1) / 2;
        minority = List.copyOf(participants.subList(0, few));
        majority = List.copyOf(participants.subList(few, participants.size()));
        story = Story.values()[random.nextInt(Story.values().length)];
        number++;
        switch (story) {
            case DECISION_IS_NOT_TOLD, ONE_ACCEPTOR_HEARS -> {
                stage = Stage.TAKEOVER_AWAITED;
                stories.separate(minority);
                endIn(HOLD_MICROS);
            }
            case DECIDED_BEHIND_A_GAP -> leaveGap();
            case DISK_IS_OUTDATED -> outdateDisk();
        }
    }

    private void endIn(long micros) {
        long ofStory = number;
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

    /** A message is about to leave. */
    void sent(int from, int to, Message message) {
        if (stage != Stage.TAKEOVER_AWAITED || !majority.contains(from) || !majority.contains(to)) {
            return;
        }
        String kind = message.getClass().getSimpleName();
        if (story == Story.ONE_ACCEPTOR_HEARS && kind.equals(PROPOSES_NOTHING)) {
            goOn(from, to);
        } else if (story == Story.DECISION_IS_NOT_TOLD
                && kind.equals(DECIDED)
                && !message.toString().contains(INITIAL_BALLOT)) {
            goOn(from, from);
        }
    }

    /** The proposer reaches nobody else from now on; soon those who know of nothing are with the minority. */
    private void goOn(int proposer, int acceptor) {
        stage = Stage.GOING_ON;
        faults.tookEffect(Fault.TAKE_OVER);
        for (int id : cluster.members()) {
            if (id != proposer && id != acceptor) {
                stories.cutOneWay(proposer, id);
                stories.cutOneWay(id, proposer);
            }
        }
        List<Integer> rest = new ArrayList<>(majority);
        rest.removeAll(List.of(proposer, acceptor));
        Integer one = rest.get(random.nextInt(rest.size()));
        List<Integer> together = new ArrayList<>(minority);
        together.add(one);
        stories.later(1 + random.nextLong(SOON_MICROS), () -> stories.separate(together));
        endIn(MEETING_MICROS + random.nextLong(MEETING_MICROS));
    }

    /** The first of the minority is heard by the second one and by one acceptor, which does not hear the second one. */
    private void leaveGap() {
        stage = Stage.GOING_ON;
        int leader = minority.get(0);
        int acceptor = majority.get(0);
        for (int id : cluster.members()) {
            if (id != leader && id != acceptor && !minority.contains(id)) {
                stories.cutOneWay(leader, id);
            }
        }
        stories.cutOneWay(minority.get(1), acceptor);
        faults.tookEffect(Fault.TAKE_OVER);
        stories.later(1 + random.nextLong(SOON_MICROS), () -> stories.separate(minority));
        endIn(MEETING_MICROS + random.nextLong(MEETING_MICROS));
    }

    private void outdateDisk() {
        stage = Stage.GOING_ON;
        int forgetful = minority.get(1);
        int laggard = majority.get(majority.size() - 1);
        stories.separate(minority);
        stories.isolate(laggard);
        stories.later(1 + random.nextLong(SOON_MICROS), () -> {
            faults.crash(forgetful, 1 + random.nextLong(RESTART_MICROS));
            stories.later(2 * RESTART_MICROS, () -> learnWithoutDisk(forgetful, laggard));
        });
        endIn(HOLD_MICROS + MEETING_MICROS);
    }

    private void learnWithoutDisk(int forgetful, int laggard) {
        List<Integer> apart = new ArrayList<>(minority);
        apart.remove((Integer) forgetful);
        stories.separate(apart);
        stories.isolate(laggard);
        cluster.slowDisk(forgetful, hangingDisk);
        long before = cluster.checker().lastPosition();
        Runnable meet = () -> stories.later(1 + random.nextLong(SOON_MICROS), () -> {
            faults.tookEffect(Fault.TAKE_OVER);
            List<Integer> pair = List.of(forgetful, laggard);
            stories.separate(pair);
            stories.later(MEETING_MICROS / 2, () -> cluster.slowDisk(forgetful, 1));
        });
        stories.await(
                HOLD_MICROS / 2, () -> cluster.checker().lastPosition() >= before + POSITIONS_DECIDED, meet, meet);
    }
}
