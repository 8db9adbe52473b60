package io.chainkeeper.simulation;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import io.chainkeeper.simulation.mutant.ContractRule;
import io.chainkeeper.simulation.mutant.Mutant;
import io.chainkeeper.simulation.swarm.Selection;
import io.chainkeeper.simulation.swarm.SimulatedApplication;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.Test;

/** A protocol without one of its rules fails in a run that is much smaller than the one that a seed draws. */
public class ShrinkerTest {
    private static final int MAX_SEEDS = 2_000;
    private static final int MAX_RUNS = 400;
    private static final int FEW = 6;

    private static Attempt firstFailure(Mutant mutant, String words, int leastFaults) {
        for (long seed = 1; seed <= MAX_SEEDS; seed++) {
            Attempt attempt = Simulation.attempt(Script.of(mutant, seed));
            if (attempt.hasFailed()
                    && attempt.failure().getMessage().contains(words)
                    && attempt.faults().size() >= leastFaults) {
                return attempt;
            }
        }
        fail("no seed fails");
        return null;
    }

    @Test
    public void forgottenValues_fewFaultsAreLeftAndTheSameRuleBreaks() {
        String rule = ContractRule.VALUES_ARE_REMEMBERED.name();
        Mutant mutant = Mutants.all().stream()
                .filter(each -> each.protocol().equals("chain") && each.rule().equals(rule))
                .findFirst()
                .orElseThrow();
        Attempt original = firstFailure(mutant, "agreement", 2 * FEW);
        Shrinker.Shrunk shrunk = Shrinker.shrink(original.script(), MAX_RUNS);
        Attempt smallest = shrunk.smallest();
        String story = Story.tell(shrunk);
        System.out.println(story);
        assertEquals("agreement", shrunk.rule());
        assertTrue(story, smallest.failure().getMessage().startsWith("agreement"));
        assertTrue(story, smallest.faults().size() <= original.faults().size() / 2);
        assertTrue(story, smallest.requests().size() <= original.requests().size() / 2);
        Attempt again = Simulation.attempt(smallest.script());
        assertEquals(smallest.failure().getMessage(), again.failure().getMessage());
        for (String part : List.of(
                "crashes",
                "starts as incarnation",
                "leads in epoch",
                "takes for decided at position",
                "the rule that it breaks: agreement",
                "replay: bin/simulate.sh --protocol chain --seed "
                        + original.script().seed() + " --without " + rule + " --faults ")) {
            assertTrue(part + " is not in\n" + story, story.contains(part));
        }
    }

    /** What is left is drawn as it was: the rest of the faults come at the same times. */
    @Test
    public void oneFaultLeftOut_othersAreDueAsBefore() {
        Script script = Script.of(Protocols.named("chain"), SimulatedApplication.REGISTERS, 3);
        List<String> all = Simulation.attempt(script).faults();
        assertTrue(all.toString(), all.size() > FEW);
        for (String left : all.subList(0, FEW)) {
            TreeSet<String> kept = new TreeSet<>(all);
            kept.remove(left);
            Selection selection = Selection.ALL.withFaults(List.copyOf(kept));
            Attempt attempt = Simulation.attempt(script.with(selection));
            assertEquals(all.stream().filter(name -> !name.equals(left)).toList(), attempt.faults());
        }
    }

    @Test
    public void options_selectTheSameAgain() {
        Selection selection = Selection.ALL
                .withFaults(List.of("crash:2", "cut:1"))
                .withRequests(List.of())
                .without(Set.of(3, 4))
                .lasting(250_000)
                .withChance(7);
        String[] words = selection.options().trim().split(" ");
        Selection again = Selection.ALL;
        for (int i = 0; i < words.length; i += 2) {
            again = again.with(words[i], words[i + 1]);
        }
        assertEquals(selection, again);
        assertEquals("", Selection.ALL.options());
    }
}
