package io.chainkeeper.iss;

import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.junit.Test;

/**
 * Of five members one comes back with an empty disk and is admitted again; then two others fall silent while their
 * links look up. The three that are left are a quorum, and answer again within a bound, whoever leads, whichever two
 * those are, and whatever is on its way at that moment.
 */
public final class SilentMembersTest {
    private static final int STORIES = 180;
    private static final long SCRAMBLE = 0x9E3779B97F4A7C15L;

    /** Which two fall silent, as places among the four that did not come back. */
    private static final int[][] PAIRS = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

    private static final int SOME_MESSAGES = 100_000;
    private static final long READ = 1;
    private static final int IN_VAIN_TICKS = 600;

    /** Ticks of 50 ms: the settings are the default ones. */
    private static final int SUSPICION_TICKS = 30;

    /** Members further away from the leader of a segment try to finish the segment later, each by a heartbeat. */
    private static final int STAGGER_TICKS = 16;

    /** One candidate that fails, and the wait until the next. */
    private static final int ELECTION_TICKS = 30;

    /** One story, drawn from a seed. */
    private static final class Story {
        private final Random random;
        private final IssEnsemble ensemble;
        private final int back;
        private final List<Integer> silent;
        private final List<Integer> left = new ArrayList<>();
        private final boolean inFlight;
        private int proposed;

        Story(int number, boolean inFlight) {
            random = new Random(number * SCRAMBLE);
            ensemble = IssEnsemble.drawn(5, settings(random), number);
            List<Integer> others = new ArrayList<>(List.of(1, 2, 3, 4, 5));
            back = others.remove(number % 5);
            int[] pair = PAIRS[number / 5 % PAIRS.length];
            silent = List.of(others.get(pair[0]), others.get(pair[1]));
            left.add(back);
            others.stream().filter(id -> !silent.contains(id)).forEach(left::add);
            this.inFlight = inFlight;
        }

        private void proposeAtSome(List<Integer> ids) {
            for (int id : ids) {
                if (random.nextBoolean()) {
                    ensemble.propose(id, "w" + ++proposed);
                }
            }
        }

        private void comeBack() {
            for (int i = 0; i < 20; i++) {
                proposeAtSome(List.of(1, 2, 3, 4, 5));
                ensemble.ticks(1);
            }
            ensemble.crash(back);
            ensemble.node(back).loseDisk();
            ensemble.ticks(random.nextInt(60));
            ensemble.start(back);
            for (int i = 0; !isAdmittedAtOthers(); i++) {
                assertTrue(this + ": not admitted", i < IN_VAIN_TICKS);
                proposeAtSome(left);
                ensemble.tickAll();
                ensemble.pass(inFlight ? 20 + random.nextInt(100) : SOME_MESSAGES, random);
            }
            if (!inFlight) {
                ensemble.ticks(random.nextInt(60));
            }
        }

        /** Nothing else has changed the membership. */
        private boolean isAdmittedAtOthers() {
            return left.stream()
                    .filter(id -> id != back)
                    .allMatch(id -> ensemble.commandsAt(id).stream().anyMatch(word -> word.startsWith("members ")));
        }

        private void fallSilent() {
            if (inFlight) {
                proposeAtSome(List.of(1, 2, 3, 4, 5));
                ensemble.tickAll();
                ensemble.pass(random.nextInt(100), random);
            }
            ensemble.silence(silent);
        }

        /** Returns how long writes and reads at all that are left wait. */
        int ticksUntilAnswered() {
            comeBack();
            fallSilent();
            for (int id : left) {
                ensemble.propose(id, "after " + id);
                ensemble.node(id).input(p -> p.onReadBarrier(READ));
            }
            int ticks = 0;
            while (!isAnswered() && ticks < IN_VAIN_TICKS) {
                ensemble.ticks(1);
                ticks++;
            }
            return ticks;
        }

        private boolean isAnswered() {
            return left.stream()
                    .allMatch(id -> ensemble.commandsAt(id).contains("after " + id)
                            && ensemble.node(id).barriers().contains(READ));
        }

        @Override
        public String toString() {
            return back + " back, " + new TreeSet<>(silent) + " silent";
        }
    }

    private static Map<String, String> settings(Random random) {
        return Map.of(
                "iss.leaderPolicy", random.nextBoolean() ? "all" : "backoff",
                "iss.bucketPolicy", random.nextBoolean() ? "rotating" : "sticky",
                "iss.minSegmentPositions", random.nextBoolean() ? "2" : "64",
                "iss.partBytes", random.nextBoolean() ? "1" : "65536");
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
