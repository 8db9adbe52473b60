package io.chainkeeper.chain;

import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.Membership;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.Test;

/**
 * Of five members one comes back with an empty disk and is admitted again; then two others fall silent while their
 * links look up. The three that are left are a quorum, and answer again within a bound, whoever leads, whichever two
 * those are, and whatever is on its way at that moment.
 */
public final class SilentMembersTest {
    private static final int SOME_STEPS = 50;
    private static final int STORIES = 180;
    private static final long SCRAMBLE = 0x9E3779B97F4A7C15L;

    /** Which two fall silent, as places among the four that did not come back, in the order of the chain. */
    private static final int[][] PAIRS = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

    private static final int IN_VAIN_TICKS = 600;

    /** Ticks of 50 ms: the settings are the default ones. */
    private static final int SUSPICION_TICKS = 30;

    /** Members further back in the chain try to lead later, each by a heartbeat. */
    private static final int STAGGER_TICKS = 16;

    /** One candidate that fails, for up to two thirds of this, and the wait until the next. */
    private static final int ELECTION_TICKS = 45;

    /** One story, drawn from a seed. */
    private static final class Story {
        private final Random random;
        private final ScriptedEnsemble ensemble;
        private final int back;
        private final List<Integer> silent;
        private final List<Integer> left = new ArrayList<>();
        private final boolean inFlight;
        private int proposed;

        Story(int number, boolean inFlight) {
            random = new Random(number * SCRAMBLE);
            ensemble = ScriptedEnsemble.startedBy(random, 5);
            List<Integer> chain = new ArrayList<>();
            int leader = ensemble.awaitLeader();
            for (int place = 0; place < 5; place++) {
                chain.add(ensemble.behindLeader(leader, place));
            }
            back = chain.remove(number % 5);
            int[] pair = PAIRS[number / 5 % PAIRS.length];
            silent = List.of(chain.get(pair[0]), chain.get(pair[1]));
            left.add(back);
            chain.stream().filter(id -> !silent.contains(id)).forEach(left::add);
            this.inFlight = inFlight;
        }

        private void proposeAtSome(List<Integer> ids) {
            for (int id : ids) {
                if (random.nextBoolean()) {
                    ensemble.replica(id).propose("w" + ++proposed);
                }
            }
        }

        private void comeBack() {
            for (int i = 0; i < 20; i++) {
                proposeAtSome(List.of(1, 2, 3, 4, 5));
                ensemble.run(1);
            }
            ensemble.loseDisk(back);
            ensemble.run(random.nextInt(60));
            ensemble.start(back);
            Membership before = ensemble.replica(left.get(1)).membership;
            for (int i = 0; isMembershipOfOthers(before); i++) {
                assertTrue(this + ": not admitted", i < IN_VAIN_TICKS);
                proposeAtSome(left);
                ensemble.tickAll();
                ensemble.steps(inFlight ? 1 + random.nextInt(8) : SOME_STEPS);
            }
            if (!inFlight) {
                ensemble.run(random.nextInt(60));
            }
        }

        private boolean isMembershipOfOthers(Membership before) {
            return ensemble.replica(left.get(1)).membership == before
                    || ensemble.replica(left.get(2)).membership == before;
        }

        private void fallSilent() {
            if (inFlight) {
                proposeAtSome(List.of(1, 2, 3, 4, 5));
                ensemble.tickAll();
                ensemble.steps(random.nextInt(12));
            }
            for (int id : silent) {
                for (int other = 1; other <= 5; other++) {
                    if (other != id) {
                        ensemble.stall(id, other);
                        ensemble.stall(other, id);
                    }
                }
            }
        }

        /** Returns how long writes and reads at all that are left wait. */
        int ticksUntilAnswered() {
            comeBack();
            fallSilent();
            List<Long> reads = new ArrayList<>();
            for (int id : left) {
                ensemble.replica(id).propose("after " + id);
                reads.add(ensemble.replica(id).read());
            }
            int ticks = 0;
            while (!isAnswered(reads) && ticks < IN_VAIN_TICKS) {
                ensemble.run(1);
                ticks++;
            }
            return ticks;
        }

        private boolean isAnswered(List<Long> reads) {
            boolean answered = true;
            for (int i = 0; i < left.size(); i++) {
                ScriptedReplica replica = ensemble.replica(left.get(i));
                answered &= replica.executed.contains("after " + left.get(i))
                        && replica.barriersReached.containsKey(reads.get(i));
            }
            return answered;
        }

        @Override
        public String toString() {
            return back + " back, " + new TreeSet<>(silent) + " silent";
        }
    }

    private static void assertAnsweredInTime(boolean inFlight, int boundTicks) {
        List<String> late = new ArrayList<>();
        int longest = 0;
        for (int seed = 0; seed < STORIES; seed++) {
            Story story = new Story(seed, inFlight);
            int ticks = story.ticksUntilAnswered();
            longest = Math.max(longest, ticks);
            if (ticks > boundTicks) {
                late.add("seed " + seed + " (" + story + "): not answered within " + ticks + " ticks");
            }
        }
        assertTrue("bound " + boundTicks + ", longest " + longest + ": " + late, late.isEmpty());
    }

    @Test
    public void twoFallSilentAfterAThirdCameBack_thoseLeftAnswerWithinABound() {
        assertAnsweredInTime(false, SUSPICION_TICKS + STAGGER_TICKS + ELECTION_TICKS);
    }

    @Test
    public void twoFallSilentInMidFlight_thoseLeftAnswerWithinABound() {
        assertAnsweredInTime(true, SUSPICION_TICKS + STAGGER_TICKS + ELECTION_TICKS);
    }
}
