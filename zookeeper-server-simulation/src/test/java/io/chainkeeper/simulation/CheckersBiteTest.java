package io.chainkeeper.simulation;

import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import io.chainkeeper.iss.UnsafeIss;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.simulation.BrokenProtocols.Flaw;
import io.chainkeeper.simulation.checker.HistoryViolation;
import io.chainkeeper.simulation.host.HostRule;
import io.chainkeeper.simulation.swarm.SimulatedApplication;
import java.util.List;
import java.util.Set;
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
        assertFoundOut("chain", flaw, application, firstSeed, by, words);
    }

    private static void assertFoundOut(
            String protocol,
            Flaw flaw,
            SimulatedApplication application,
            long firstSeed,
            Class<? extends Throwable> by,
            String words) {
        BrokenProtocols broken = new BrokenProtocols(Protocols.named(protocol), flaw);
        assertFoundOut(flaw.toString(), broken, application, firstSeed, by, words);
    }

    private static void assertFoundOut(UnsafeIss.Rule missing, long firstSeed, String words) {
        assertFoundOut(
                "without " + missing,
                new UnsafeIss(missing),
                SimulatedApplication.REGISTERS,
                firstSeed,
                InvariantViolated.class,
                words);
    }

    private static void assertFoundOut(
            String flaw,
            OrderingProtocolFactory broken,
            SimulatedApplication application,
            long firstSeed,
            Class<? extends Throwable> by,
            String words) {
        assertFoundOut(flaw, Set.of(), broken, application, firstSeed, by, words);
    }

    /** Hosts do without a rule; the protocol is as it is. */
    private static void assertFoundOut(
            HostRule missing, String protocol, SimulatedApplication application, long firstSeed, String words) {
        assertFoundOut(
                "without " + missing,
                Set.of(missing),
                Protocols.named(protocol),
                application,
                firstSeed,
                InvariantViolated.class,
                words);
    }

    private static void assertFoundOut(
            String flaw,
            Set<HostRule> missing,
            OrderingProtocolFactory broken,
            SimulatedApplication application,
            long firstSeed,
            Class<? extends Throwable> by,
            String words) {
        for (long seed = firstSeed; seed < firstSeed + MAX_SEEDS; seed++) {
            try {
                Simulation.runWithout(missing, broken, application, seed);
            } catch (SimulationFailure failure) {
                Throwable cause = failure.getCause();
                if (by.isInstance(cause) && cause.getMessage().contains(words)) {
                    System.out.println(broken.name() + ", " + flaw + " under " + application.optionValue()
                            + " found out by seed " + seed);
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
        // Of the seeds from 1 the first one is 190, which takes half a minute.
        assertFoundOut(
                Flaw.BARRIER_AT_ONCE, SimulatedApplication.ZNODES, 187, HistoryViolation.class, "is not linearizable");
    }

    @Test
    public void acknowledgedBeforeDurable_isRefusedByTheHost() {
        assertFoundOut(Flaw.ACKNOWLEDGED_BEFORE_DURABLE, InvariantViolated.class, "which this start never appended");
    }

    @Test
    public void promiseBehindAnotherRecord_isNotKeptByTheLog() {
        assertFoundOut(Flaw.PROMISES_REST_ON_ANYTHING, InvariantViolated.class, "a promise that its log does not keep");
    }

    @Test
    public void issPromisesWhatARefusalTold_isRefusedByTheHost() {
        // Of the seeds from 1 the first one is 213.
        assertFoundOut(UnsafeIss.Rule.WHAT_REFUSALS_TELL_IS_RECORDED, 205, "which this start never appended");
    }

    @Test
    public void issKeepsAContradictedBallot_breaksAgreement() {
        // Of the seeds from 1 the first one is 1082, which takes minutes.
        assertFoundOut(UnsafeIss.Rule.CONTRADICTED_BALLOT_IS_GIVEN_UP, 1075, "agreement");
    }

    @Test
    public void promiseForgottenAtRestart_breaksAgreement() {
        assertFoundOut(Flaw.PROMISE_FORGOTTEN_AT_RESTART, InvariantViolated.class, "agreement");
    }

    @Test
    public void valuesForgottenAtRestart_breaksAgreement() {
        assertFoundOut(Flaw.VALUES_FORGOTTEN_AT_RESTART, InvariantViolated.class, "agreement");
    }

    /** No checker can see it, because the host delivers what is right: the replicas find it out themselves. */
    @Test
    public void valueLostFromLog_isFoundByTheHashOfThePrefix() {
        for (String protocol : List.of("chain", "iss")) {
            assertFoundOut(
                    protocol,
                    Flaw.VALUE_LOST_FROM_LOG,
                    SimulatedApplication.REGISTERS,
                    1,
                    InvariantViolated.class,
                    "holds another order");
        }
    }

    @Test
    public void keptBelowAnInstalledState_breaksAgreement() {
        for (String protocol : List.of("chain", "iss")) {
            assertFoundOut(
                    HostRule.WHAT_AN_INSTALLED_STATE_COVERS_IS_DISCARDED,
                    protocol,
                    SimulatedApplication.BEHIND,
                    1,
                    "agreement");
        }
    }

    @Test
    public void founderStandsForADiskThatItHasNotFoundedWith_breaksAgreement() {
        // Of the seeds from 1 the first ones are 92 and 26.
        Flaw flaw = Flaw.FOUNDERS_STAND_FOR_EVERYBODY;
        SimulatedApplication founding = SimulatedApplication.FOUNDING;
        assertFoundOut("chain", flaw, founding, 90, InvariantViolated.class, "agreement");
        assertFoundOut("iss", flaw, founding, 20, InvariantViolated.class, "agreement");
    }

    @Test
    public void foundingForgottenAtRestart_clusterIsNeverFounded() {
        for (String protocol : List.of("chain", "iss")) {
            assertFoundOut(
                    protocol,
                    Flaw.FOUNDING_FORGOTTEN_AT_RESTART,
                    SimulatedApplication.FOUNDING,
                    1,
                    InvariantViolated.class,
                    "liveness");
        }
    }

    @Test
    public void clockSetBackAcrossALostDisk_replicaThatDoesNotStartAboveIsNeverAnswered() {
        // Of the seeds from 1 the first ones are 31 and 41.
        HostRule rule = HostRule.SUPERSEDED_REPLICA_STARTS_ABOVE;
        assertFoundOut(rule, "chain", SimulatedApplication.REGISTERS, 30, "liveness");
        assertFoundOut(rule, "iss", SimulatedApplication.REGISTERS, 40, "liveness");
    }

    @Test
    public void clockSetBackAcrossALostDisk_replicaThatReadsAtOnceIsFoundOut() {
        HostRule rule = HostRule.READS_WAIT_FOR_AN_OWN_COMMAND;
        assertFoundOut(rule, "chain", SimulatedApplication.REGISTERS, 1, "reads after start");
        assertFoundOut(rule, "iss", SimulatedApplication.REGISTERS, 1, "reads after start");
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
