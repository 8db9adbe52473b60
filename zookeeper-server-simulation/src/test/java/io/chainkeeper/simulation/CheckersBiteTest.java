package io.chainkeeper.simulation;

import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.simulation.BrokenProtocols.Flaw;
import io.chainkeeper.simulation.checker.HistoryViolation;
import org.junit.Test;

/** A checker that never objects proves nothing: each of these protocols is broken, and each must be found out. */
public class CheckersBiteTest {
    private static final int MAX_SEEDS = 5_000;

    /** Runs seeds until one fails with a cause of this class whose message contains the text. */
    private static void assertFoundOut(Flaw flaw, Class<? extends Throwable> by, String words) {
        assertFoundOut(flaw, SimulatedApplication.REGISTERS, 1, by, words);
    }

    private static void assertFoundOut(
            Flaw flaw, SimulatedApplication application, long firstSeed, Class<? extends Throwable> by, String words) {
        BrokenProtocols broken = new BrokenProtocols(Protocols.named("chain"), flaw);
        for (long seed = firstSeed; seed < firstSeed + MAX_SEEDS; seed++) {
            try {
                Simulation.run(broken, application, seed);
            } catch (SimulationFailure failure) {
                Throwable cause = failure.getCause();
                if (by.isInstance(cause) && cause.getMessage().contains(words)) {
                    System.out.println(flaw + " under " + application.optionValue() + " found out by seed " + seed);
                    return;
                }
            }
        }
        fail(flaw + " was not found out by " + MAX_SEEDS + " seeds");
    }

    @Test
    public void readAnsweredAtOnce_isFoundToBeStale() {
        assertFoundOut(Flaw.BARRIER_AT_ONCE, HistoryViolation.class, "is not linearizable");
    }

    @Test
    public void readOfAZnodeAnsweredAtOnce_isFoundToBeStale() {
        assertFoundOut(
                Flaw.BARRIER_AT_ONCE, SimulatedApplication.ZNODES, 1, HistoryViolation.class, "is not linearizable");
    }

    @Test
    public void acknowledgedBeforeDurable_breaksAgreement() {
        assertFoundOut(Flaw.ACKNOWLEDGED_BEFORE_DURABLE, InvariantViolated.class, "agreement");
    }

    @Test
    public void promiseForgottenAtRestart_breaksAgreement() {
        // Of the seeds from 1 the first one is 1257, which takes minutes.
        assertFoundOut(
                Flaw.PROMISE_FORGOTTEN_AT_RESTART,
                SimulatedApplication.REGISTERS,
                1250,
                InvariantViolated.class,
                "agreement");
    }

    @Test
    public void valuesForgottenAtRestart_breaksAgreement() {
        assertFoundOut(Flaw.VALUES_FORGOTTEN_AT_RESTART, InvariantViolated.class, "agreement");
    }

    @Test
    public void commandsLost_areMissed() {
        assertFoundOut(Flaw.COMMANDS_LOST, InvariantViolated.class, "");
    }

    @Test
    public void failure_printsHowToReplayIt() {
        BrokenProtocols broken = new BrokenProtocols(Protocols.named("chain"), Flaw.COMMANDS_LOST);
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
