package io.chainkeeper.simulation.explore;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.simulation.Protocols;
import io.chainkeeper.simulation.mutant.BrokenProtocol;
import io.chainkeeper.simulation.mutant.ContractRule;
import java.util.Map;
import org.junit.Test;

/** Explores the named scopes, and shows that exploring finds what it is for. */
public class ExploreTest {
    private static final int MAX_STATES = 2_000_000;
    private static final int MAX_WALKS = 10_000;
    private static final int WALK_STEPS = 100;

    private static final OrderingProtocolFactory CHAIN =
            Protocols.named(System.getProperty("simulation.protocol", "chain"));

    private static final Map<String, Scope> SCOPES = Scopes.named(CHAIN.name());

    private static BrokenProtocol broken(ContractRule missing) {
        return new BrokenProtocol(CHAIN, missing);
    }

    private static void assertFindsNothing(String name) {
        Scope scope = SCOPES.get(name);
        Explorer.Result result = new Explorer(CHAIN, scope).run(Integer.MAX_VALUE, MAX_STATES);
        System.out.println("exploration of " + name + ": " + result);
        if (result.failure() != null) {
            fail(Explore.report(CHAIN, scope, result.failure()));
        }
        assertTrue(result.toString(), result.exhausted());
        if (CHAIN.name().equals("chain")) {
            DocumentedScopes.assertAsLarge("What was exhausted", name, result);
        }
    }

    @Test
    public void twoWritesAndARead_breakNothing() {
        assertFindsNothing("no-fault");
    }

    @Test
    public void twoCandidates_breakNothing() {
        assertFindsNothing("cold-start");
    }

    @Test
    public void silentLeader_breaksNothing() {
        assertFindsNothing("leader-silent");
    }

    @Test
    public void crashOfTheLeader_breaksNothing() {
        assertFindsNothing("leader-crash");
    }

    @Test
    public void crashInTheMiddle_breaksNothing() {
        assertFindsNothing("middle-crash");
    }

    @Test
    public void crashOfTheTail_breaksNothing() {
        assertFindsNothing("tail-crash");
    }

    @Test
    public void brokenLink_breaksNothing() {
        assertFindsNothing("link-break");
    }

    @Test
    public void memberIsRemoved_breaksNothing() {
        assertFindsNothing("remove-member");
    }

    @Test
    public void leaverCrashesWhileItIsRemoved_breaksNothing() {
        assertFindsNothing("remove-member-leaver-crash");
    }

    @Test
    public void memberThatStaysCrashesWhileAnotherIsRemoved_breaksNothing() {
        assertFindsNothing("remove-member-middle-crash");
    }

    @Test
    public void leaderCrashesWhileAMemberIsRemoved_breaksNothing() {
        assertFindsNothing("remove-member-leader-crash");
    }

    @Test
    public void leaderIsRemoved_breaksNothing() {
        assertFindsNothing("remove-leader");
    }

    @Test
    public void memberIsAdmitted_breaksNothing() {
        assertFindsNothing("add-member");
    }

    @Test
    public void restartFromACheckpoint_breaksNothing() {
        assertFindsNothing("checkpoint-restart");
    }

    @Test
    public void deposedLeaderThatComesBack_breaksNothing() {
        assertFindsNothing("deposed-leader");
    }

    @Test
    public void readAtADeposedLeader_breaksNothing() {
        assertFindsNothing("deposed-leader-reads");
    }

    @Test
    public void deposedLeaderAndACheckpointAheadOfItsLog_breaksNothing() {
        assertFindsNothing("deposed-leader-meets-checkpoint");
    }

    @Test
    public void deposedLeaderAndAnInstalledState_breaksNothing() {
        assertFindsNothing("deposed-leader-meets-state");
    }

    @Test
    public void installedStateAndWhatItsLogFeeds_breaksNothing() {
        assertFindsNothing("behind");
    }

    @Test
    public void onePairOneAndAnotherPair_breaksNothing() {
        assertFindsNothing("two-one-two");
    }

    @Test
    public void severalInputsInABatch_breaksNothing() {
        assertFindsNothing("batches");
    }

    @Test
    public void crashBetweenBatches_breaksNothing() {
        assertFindsNothing("batches-crash");
    }

    @Test
    public void recordsThatSurviveACrash_breaksNothing() {
        assertFindsNothing("survivors");
    }

    @Test
    public void checkpointThatIsLateOrDamaged_breaksNothing() {
        assertFindsNothing("checkpoint-damaged");
    }

    @Test
    public void crashWhileAStateIsInstalled_breaksNothing() {
        assertFindsNothing("state-transfer-crash");
    }

    @Test
    public void stateIsInstalled_breaksNothing() {
        assertFindsNothing("state-transfer");
    }

    private static Failure assertFound(ContractRule missing, Scope scope, String words) {
        Failure failure = new Explorer(broken(missing), scope)
                .run(Integer.MAX_VALUE, MAX_STATES)
                .failure();
        assertNotNull(missing + " was not found", failure);
        assertTrue(failure.message(), failure.message().contains(words));
        System.out.println(missing + " found: " + Choice.print(failure.schedule()));
        return failure;
    }

    @Test
    public void readAnsweredAtOnce_isFoundToBeStale() {
        assertFound(ContractRule.READ_WAITS_FOR_ITS_BARRIER, SCOPES.get("no-fault"), "linearizability");
    }

    @Test
    public void promiseBehindAnotherRecord_isNotKeptByTheLog() {
        assertFound(
                ContractRule.PROMISE_RESTS_ON_ITS_OWN_RECORD,
                SCOPES.get("cold-start"),
                "a promise that its log does not keep");
    }

    @Test
    public void commandNeverOrdered_isMissedAtTheEnd() {
        Schedules schedules = new Schedules(
                broken(ContractRule.EVERY_COMMAND_IS_ORDERED), Scope.led().withWrites(10, 0, 0));
        Failure failure = schedules.walk(1, 10 * WALK_STEPS);
        assertNotNull("the tenth command was not missed", failure);
        assertTrue(failure.message(), failure.message().contains("liveness"));
    }

    @Test
    public void valuesForgottenAtRestart_areFoundByWalksAndTheScheduleShrinks() {
        BrokenProtocol forgetful = broken(ContractRule.VALUES_ARE_REMEMBERED);
        Scope scope = Scope.led()
                .withWrites(1, 0, 1)
                .withTicks(Scope.SILENCE_TICKS, 0, 1, 1)
                .withCrashes(1, 1, 0, 1, 0);
        Schedules schedules = new Schedules(forgetful, scope);
        for (long seed = 1; seed <= MAX_WALKS; seed++) {
            Failure failure = schedules.walk(seed, WALK_STEPS);
            if (failure != null && failure.message().contains("agreement")) {
                Failure shortest = schedules.shrink(failure);
                assertTrue(shortest.schedule().size() <= failure.schedule().size());
                assertEquals(
                        shortest.message(),
                        schedules.replay(shortest.schedule(), null).message());
                return;
            }
        }
        fail("not found by " + MAX_WALKS + " walks");
    }

    @Test
    public void failure_printsHowToReplayIt() {
        BrokenProtocol broken = broken(ContractRule.READ_WAITS_FOR_ITS_BARRIER);
        Scope scope = SCOPES.get("no-fault");
        Failure failure = assertFound(ContractRule.READ_WAITS_FOR_ITS_BARRIER, scope, "linearizability");
        String report = Explore.report(broken, scope, failure);
        assertTrue(report, report.contains("answers read 1 with 0 commands applied"));
        int at = report.indexOf("bin/explore.sh --protocol chain --start led");
        assertTrue(report, at > 0);
        String schedule = report.substring(report.indexOf("--replay \"") + 10, report.lastIndexOf('"'));
        assertEquals(
                failure.message(),
                new Schedules(broken, scope)
                        .replay(Choice.parse(schedule), null)
                        .message());
    }

    @Test
    public void sameScopeTwice_sameStates() {
        Scope scope =
                Scope.led().withWrites(0, 1, 0).withCrashes(1, 1, 1, 1, 1).withDetails(Scope.Detail.RECORD_BY_RECORD);
        Explorer.Result first = new Explorer(CHAIN, scope).run(12, MAX_STATES);
        assertEquals(first, new Explorer(CHAIN, scope).run(12, MAX_STATES));
        assertNull(first.failure());
    }

    @Test
    public void scopeAsOptions_readsBack() {
        new ExploredProtocol(CHAIN.name(), "What was exhausted").assertScopesReadBack();
    }

    @Test
    public void badSchedule_saysWhichStepIsWrong() {
        String message = assertThrows(IllegalArgumentException.class, () -> Choice.parse("tick 1; deliver 2"))
                .getMessage();
        assertTrue(message, message.contains("\"deliver 2\" is no step"));
        Schedules schedules = new Schedules(CHAIN, Scope.led());
        message = assertThrows(
                        IllegalArgumentException.class, () -> schedules.replay(Choice.parse("tick 1; restart 1"), null))
                .getMessage();
        assertTrue(message, message.contains("step 2 of the schedule, restart 1, is not possible"));
    }
}
