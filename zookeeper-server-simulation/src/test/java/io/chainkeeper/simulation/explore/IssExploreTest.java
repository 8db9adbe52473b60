package io.chainkeeper.simulation.explore;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.simulation.Protocols;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.Test;

/** Explores the named scopes of ISS, and shows that exploring finds what goes wrong without its rules. */
public class IssExploreTest {
    private static final int MAX_STATES = 1_000_000;

    private static final OrderingProtocolFactory ISS = Protocols.named("iss");
    private static final Map<String, Scope> SCOPES = Scopes.named("iss");

    private static void assertFindsNothing(String name) {
        Scope scope = SCOPES.get(name);
        Explorer.Result result = new Explorer(ISS, scope).run(Integer.MAX_VALUE, MAX_STATES);
        System.out.println("exploration of iss, " + name + ": " + result);
        if (result.failure() != null) {
            fail(Explore.report(ISS, scope, result.failure()));
        }
        assertTrue(result.toString(), result.exhausted());
        DocumentedScopes.assertAsLarge("What was exhausted of ISS", name, result);
    }

    @Test
    public void leaderThatRestarts_breaksNothing() {
        assertFindsNothing("leader-restart");
    }

    @Test
    public void segmentIsTakenOver_breaksNothing() {
        assertFindsNothing("takeover");
    }

    @Test
    public void epochsEnd_breaksNothing() {
        assertFindsNothing("epoch-end");
    }

    @Test
    public void crashOfTheCoordinator_breaksNothing() {
        assertFindsNothing("coordinator-crash");
    }

    @Test
    public void writeAndRead_breaksNothing() {
        assertFindsNothing("no-fault");
    }

    @Test
    public void replicasThatHaveJustStarted_breaksNothing() {
        assertFindsNothing("cold-start");
    }

    @Test
    public void severalInputsInABatch_breaksNothing() {
        assertFindsNothing("batches");
    }

    @Test
    public void silentLeader_breaksNothing() {
        assertFindsNothing("leader-silent");
    }

    @Test
    public void silentCoordinator_breaksNothing() {
        assertFindsNothing("coordinator-silent");
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
    public void brokenLink_breaksNothing() {
        assertFindsNothing("link-break");
    }

    @Test
    public void memberIsRemoved_breaksNothing() {
        assertFindsNothing("remove-member");
    }

    @Test
    public void coordinatorIsRemoved_breaksNothing() {
        assertFindsNothing("remove-coordinator");
    }

    @Test
    public void restartFromACheckpoint_breaksNothing() {
        assertFindsNothing("checkpoint-restart");
    }

    @Test
    public void checkpointThatIsLateOrDamaged_breaksNothing() {
        assertFindsNothing("checkpoint-damaged");
    }

    @Test
    public void crashWhileAStateIsInstalled_breaksNothing() {
        assertFindsNothing("state-transfer");
    }

    @Test
    public void installedStateAndWhatItsLogFeeds_breaksNothing() {
        assertFindsNothing("behind");
    }

    @Test
    public void memberIsAdmitted_breaksNothing() {
        assertFindsNothing("add-member");
    }

    private static void assertFound(String missing, Scope scope, String words) {
        Failure failure = new Explorer(ISS.without(missing), scope)
                .run(Integer.MAX_VALUE, MAX_STATES)
                .failure();
        assertNotNull("without " + missing + " nothing was found", failure);
        assertTrue(failure.message(), failure.message().contains(words));
        System.out.println("without " + missing + ": " + Choice.print(failure.schedule()));
    }

    @Test
    public void restartedLeaderThatSpeaks_isFound() {
        Scope scope = Scope.led().withWrites(2, 0, 0).withCrashes(1, 1, 1, 0, 0);
        assertFound("RESTARTED_LEADER_IS_SILENT", scope, "agreement");
    }

    @Test
    public void takeoverWithoutQuorum_isFound() {
        assertFound("QUORUM_OF_PROMISES", SCOPES.get("takeover"), "agreement");
    }

    @Test
    public void readWithoutQuorum_isFound() {
        Scope scope = Scope.led().withWrites(1, 0, 0).withReads(0, 0, 1);
        assertFound("QUORUM_OF_ANSWERS", scope, "linearizability");
    }

    /** Else a scope would show less than its name says. */
    @Test
    public void shortEpoch_isTheSecondAndOneWriteEndsIt() {
        List<String> told = new ArrayList<>();
        Scope scope = Scope.shortEpochOfTwo().withWrites(0, 1);
        assertNull(new Schedules(ISS, scope).replay(Choice.parse("propose 2"), told::add));
        String words = String.join("\n", told);
        assertTrue(words, words.contains("epoch=2") && words.contains("epoch=3"));
    }

    @Test
    public void scopeAsOptions_readsBack() {
        for (Scope scope : SCOPES.values()) {
            String[] words = ScopeOptions.print(scope).split(" ");
            Map<String, String> options = new TreeMap<>();
            for (int i = 0; i < words.length; i += 2) {
                options.put(words[i], words[i + 1]);
            }
            assertEquals(
                    List.of(scope),
                    List.copyOf(ScopeOptions.read(options, SCOPES).values()));
        }
    }
}
