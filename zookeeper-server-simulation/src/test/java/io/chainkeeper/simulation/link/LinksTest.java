package io.chainkeeper.simulation.link;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.InvariantViolated;
import java.util.EnumSet;
import java.util.Map;
import java.util.TreeMap;
import org.junit.Test;

/** The product's links over byte streams in virtual time, under drawn faults. */
public class LinksTest {
    private static final int SEEDS = 600;
    private static final int SEEDS_OF_A_MUTANT = 60;

    @Test
    public void drawnFaults_linksKeepTheirPromises() {
        Map<String, Long> sums = new TreeMap<>();
        for (long seed = 1; seed <= SEEDS; seed++) {
            run(seed, LinkMutant.NONE).forEach((what, count) -> sums.merge(what, count, Long::sum));
        }
        for (String what : new String[] {
            "up",
            "down",
            "frames",
            "pauses of reading",
            "refusals",
            "answers",
            "requests that failed",
            "removals",
            "closings",
            "crashes",
            "cuts",
            "pauses"
        }) {
            assertTrue(what + " in " + sums, sums.getOrDefault(what, 0L) >= 50);
        }
    }

    private static Map<String, Long> run(long seed, LinkMutant mutant) {
        try {
            return new LinkRun(seed, mutant).run();
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("seed " + seed + " of " + mutant + ": " + e.getMessage(), e);
        }
    }

    @Test
    public void oneSeed_isOneRun() {
        for (long seed = 1; seed <= 20; seed++) {
            assertEquals(run(seed, LinkMutant.NONE), run(seed, LinkMutant.NONE));
        }
    }

    /** Each rule is broken in turn. */
    @Test
    public void aRuleIsBroken_aRunFails() {
        for (LinkMutant mutant : EnumSet.complementOf(EnumSet.of(LinkMutant.NONE))) {
            assertNotNull(mutant + " is not found", firstFailure(mutant));
        }
    }

    /** However a link comes to its end, what fails meanwhile is not swallowed. */
    @Test
    public void theListenerFails_theProcessLearnsOfIt() {
        int told = 0;
        for (long seed = 1; seed <= SEEDS_OF_A_MUTANT; seed++) {
            try {
                new LinkRun(seed, LinkMutant.LISTENER_FAILS).run();
            } catch (InvariantViolated e) {
                assertEquals("seed " + seed, LinkedHost.LISTENER_FAILS, e.getMessage());
                told++;
            }
        }
        assertTrue("told only " + told + " times", told > SEEDS_OF_A_MUTANT / 2);
    }

    private static String firstFailure(LinkMutant mutant) {
        for (long seed = 1; seed <= SEEDS_OF_A_MUTANT; seed++) {
            try {
                new LinkRun(seed, mutant).run();
            } catch (InvariantViolated e) {
                return "seed " + seed + ": " + e.getMessage();
            }
        }
        return null;
    }
}
