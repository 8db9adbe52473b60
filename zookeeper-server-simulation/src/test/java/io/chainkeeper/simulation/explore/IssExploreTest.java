package io.chainkeeper.simulation.explore;

import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.simulation.Protocols;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

/** Explores the named scopes of ISS, and shows that exploring finds what goes wrong without its rules. */
public class IssExploreTest {
    private static final ExploredProtocol ISS = new ExploredProtocol("iss", "What was exhausted of ISS");

    @Test
    public void leaderThatRestarts_breaksNothing() {
        ISS.assertFindsNothing("leader-restart");
    }

    @Test
    public void segmentIsTakenOver_breaksNothing() {
        ISS.assertFindsNothing("takeover");
    }

    @Test
    public void epochsEnd_breaksNothing() {
        ISS.assertFindsNothing("epoch-end");
    }

    @Test
    public void crashOfTheCoordinator_breaksNothing() {
        ISS.assertFindsNothing("coordinator-crash");
    }

    @Test
    public void writeAndRead_breaksNothing() {
        ISS.assertFindsNothing("no-fault");
    }

    @Test
    public void replicasThatHaveJustStarted_breaksNothing() {
        ISS.assertFindsNothing("cold-start");
    }

    @Test
    public void severalInputsInABatch_breaksNothing() {
        ISS.assertFindsNothing("batches");
    }

    @Test
    public void silentLeader_breaksNothing() {
        ISS.assertFindsNothing("leader-silent");
    }

    @Test
    public void silentCoordinator_breaksNothing() {
        ISS.assertFindsNothing("coordinator-silent");
    }

    @Test
    public void deposedLeaderThatComesBack_breaksNothing() {
        ISS.assertFindsNothing("deposed-leader");
    }

    @Test
    public void readAtADeposedLeader_breaksNothing() {
        ISS.assertFindsNothing("deposed-leader-reads");
    }

    @Test
    public void brokenLink_breaksNothing() {
        ISS.assertFindsNothing("link-break");
    }

    @Test
    public void memberIsRemoved_breaksNothing() {
        ISS.assertFindsNothing("remove-member");
    }

    @Test
    public void coordinatorIsRemoved_breaksNothing() {
        ISS.assertFindsNothing("remove-coordinator");
    }

    @Test
    public void restartFromACheckpoint_breaksNothing() {
        ISS.assertFindsNothing("checkpoint-restart");
    }

    @Test
    public void checkpointThatIsLateOrDamaged_breaksNothing() {
        ISS.assertFindsNothing("checkpoint-damaged");
    }

    @Test
    public void crashWhileAStateIsInstalled_breaksNothing() {
        ISS.assertFindsNothing("state-transfer");
    }

    @Test
    public void installedStateAndWhatItsLogFeeds_breaksNothing() {
        ISS.assertFindsNothing("behind");
    }

    @Test
    public void memberIsAdmitted_breaksNothing() {
        ISS.assertFindsNothing("add-member");
    }

    @Test
    public void writeWhileAMemberIsRemoved_breaksNothing() {
        ISS.assertFindsNothing("remove-member-write");
    }

    @Test
    public void crashOfAMemberThatIsRemoved_breaksNothing() {
        ISS.assertFindsNothing("remove-member-leaver-crash");
    }

    @Test
    public void crashOfTheCoordinatorWhileAMemberIsRemoved_breaksNothing() {
        ISS.assertFindsNothing("remove-member-coordinator-crash");
    }

    @Test
    public void crashOfTheCoordinatorWhileItIsRemoved_breaksNothing() {
        ISS.assertFindsNothing("remove-coordinator-leaver-crash");
    }

    @Test
    public void deposedLeaderMeetsAnInstalledState_breaksNothing() {
        ISS.assertFindsNothing("deposed-leader-meets-state");
    }

    @Test
    public void oneBetweenTwoPairs_breaksNothing() {
        ISS.assertFindsNothing("two-one-two");
    }

    @Test
    public void crashAmongBatches_breaksNothing() {
        ISS.assertFindsNothing("batches-crash");
    }

    @Test
    public void crashThatLeavesSomeRecords_breaksNothing() {
        ISS.assertFindsNothing("survivors");
    }

    @Test
    public void restartedLeaderThatSpeaks_isFound() {
        Scope scope = Scope.led().withWrites(2, 0, 0).withCrashes(1, 1, 1, 0, 0);
        ISS.assertFound("RESTARTED_LEADER_IS_SILENT", scope, "agreement");
    }

    @Test
    public void takeoverWithoutQuorum_isFound() {
        ISS.assertFound("QUORUM_OF_PROMISES", ISS.scope("takeover"), "agreement");
    }

    @Test
    public void readWithoutQuorum_isFound() {
        Scope scope = Scope.led().withWrites(1, 0, 0).withReads(0, 0, 1);
        ISS.assertFound("QUORUM_OF_ANSWERS", scope, "linearizability");
    }

    /** Else a scope would show less than its name says. */
    @Test
    public void shortEpoch_isTheSecondAndOneWriteEndsIt() {
        List<String> told = new ArrayList<>();
        Scope scope = Scope.shortEpochOfTwo().withWrites(0, 1);
        assertNull(new Schedules(Protocols.named("iss"), scope).replay(Choice.parse("propose 2"), told::add));
        String words = String.join("\n", told);
        assertTrue(words, words.contains("epoch=2") && words.contains("epoch=3"));
    }

    @Test
    public void scopeAsOptions_readsBack() {
        ISS.assertScopesReadBack();
    }
}
