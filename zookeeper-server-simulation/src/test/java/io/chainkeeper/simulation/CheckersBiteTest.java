package io.chainkeeper.simulation;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.simulation.checker.HistoryViolation;
import io.chainkeeper.simulation.mutant.BrokenProtocol;
import io.chainkeeper.simulation.mutant.ContractRule;
import io.chainkeeper.simulation.mutant.Mutant;
import io.chainkeeper.simulation.mutant.MutantRegistry;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.Test;

/**
 * A checker that never objects proves nothing: each rule of the registry is in the table of docs/safety-rules.md, and
 * those that the table says to be found soonest are taken out here. {@code bin/simulate.sh --mutants} takes out all.
 */
public class CheckersBiteTest {
    /** Rules whose loss is found by a median of so many seeds, at most, are looked for in every build. */
    private static final long SOON = 4;

    private static final long MAX_SEEDS = 2_000;

    @Test
    public void everyRule_isInTheTable() throws IOException {
        Set<String> registered = new TreeSet<>();
        for (Mutant mutant : Mutants.all()) {
            registered.add(DocumentedMutants.key(mutant));
        }
        assertEquals(registered, new TreeSet<>(DocumentedMutants.read().keySet()));
    }

    @Test
    public void ruleThatNobodyNames_isRefused() {
        IllegalStateException refused =
                assertThrows(IllegalStateException.class, () -> MutantRegistry.of(List.of(Protocols.named("chain"))));
        assertTrue(refused.getMessage(), refused.getMessage().contains("RESTARTED_LEADER_IS_SILENT"));
    }

    /** Else something else than the rule could be what is found. */
    @Test
    public void wrapper_changesNothingButItsRule() {
        OrderingProtocolFactory iss = Protocols.named("iss"); // its states come without promises anyway
        BrokenProtocol same = new BrokenProtocol(iss, ContractRule.STATE_COMES_WITH_ITS_PROMISE);
        for (long seed = 1; seed <= 10; seed++) {
            assertEquals(Simulation.run(iss, seed), Simulation.run(same, seed));
        }
    }

    @Test
    public void rulesThatAreFoundSoon_areFound() throws IOException {
        int found = 0;
        for (Mutant mutant : Mutants.all()) {
            DocumentedMutants.Row row = DocumentedMutants.read().get(DocumentedMutants.key(mutant));
            if (row.median() <= SOON) {
                assertFound(mutant);
                found++;
            }
        }
        assertTrue(Integer.toString(found), found > 10);
    }

    private static void assertFound(Mutant mutant) {
        Mutants.Found found = Mutants.find(mutant, 1, MAX_SEEDS);
        if (found.cause() == null) {
            fail(mutant + " was not found by " + MAX_SEEDS + " seeds");
        }
        boolean isOfAChecker = found.cause() instanceof InvariantViolated || found.cause() instanceof HistoryViolation;
        assertTrue(mutant + ": " + found.cause(), isOfAChecker);
        System.out.println(mutant + " found by seed " + found.seeds());
    }

    @Test
    public void failure_printsHowToReplayIt() {
        BrokenProtocol broken = new BrokenProtocol(Protocols.named("chain"), ContractRule.EVERY_COMMAND_IS_ORDERED);
        for (long seed = 1; seed <= MAX_SEEDS; seed++) {
            try {
                Simulation.run(broken, seed);
            } catch (SimulationFailure failure) {
                String message = failure.getMessage();
                assertTrue(message, message.contains("bin/simulate.sh --protocol chain --seed " + seed));
                assertTrue(message, message.contains("SwarmOptions[replicas="));
                assertTrue(message, message.lines().count() > 50);
                return;
            }
        }
        fail("no seed failed");
    }
}
