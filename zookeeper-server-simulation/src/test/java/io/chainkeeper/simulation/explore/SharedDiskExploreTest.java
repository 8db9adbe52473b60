package io.chainkeeper.simulation.explore;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertTrue;
import static org.junit.Assert.fail;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.simulation.Protocols;
import io.chainkeeper.simulation.explore.Scope.Start;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.Test;

/** Explores the named scopes of Disk Paxos, and shows that exploring finds what goes wrong without its rules. */
public class SharedDiskExploreTest {
    private static final int MAX_STATES = 1_000_000;
    private static final int SILENT_LEADER_TICKS = 6;
    private static final String ANOTHER_VALUE = "agreement";

    private static final OrderingProtocolFactory DISK = Protocols.named("disk");
    private static final Map<String, Scope> SCOPES = Scopes.named("disk");

    private static void assertFindsNothing(String name) {
        Scope scope = SCOPES.get(name);
        Explorer.Result result = new Explorer(DISK, scope).run(Integer.MAX_VALUE, MAX_STATES);
        System.out.println("exploration of disk, " + name + ": " + result);
        if (result.failure() != null) {
            fail(Explore.report(DISK, scope, result.failure()));
        }
        assertTrue(result.toString(), result.exhausted());
        DocumentedScopes.assertAsLarge("What was exhausted of Disk Paxos", name, result);
    }

    @Test
    public void writesAtLeaderAndFollower_breakNothing() {
        assertFindsNothing("two-writes");
    }

    @Test
    public void writeAndRead_breakNothing() {
        assertFindsNothing("write-and-read");
    }

    @Test
    public void takeoverOverThreeDisks_breaksNothing() {
        assertFindsNothing("takeover");
    }

    @Test
    public void diskThatFails_breaksNothing() {
        assertFindsNothing("disk-fails");
    }

    @Test
    public void serversThatHaveJustStarted_breakNothing() {
        assertFindsNothing("one-disk-cold-start");
    }

    @Test
    public void takeoverWhileBothWrite_breaksNothing() {
        assertFindsNothing("one-disk-takeover");
    }

    @Test
    public void readAtADeposedLeader_breaksNothing() {
        assertFindsNothing("one-disk-deposed-reads");
    }

    @Test
    public void silentLeader_breaksNothing() {
        assertFindsNothing("one-disk-silent-leader");
    }

    @Test
    public void bothTakeOver_breaksNothing() {
        assertFindsNothing("one-disk-duel");
    }

    @Test
    public void ringThatGoesRoundWhileItIsRead_breaksNothing() {
        assertFindsNothing("one-disk-ring-goes-round");
    }

    @Test
    public void crashOfTheOnlyServer_breaksNothing() {
        assertFindsNothing("one-disk-alone");
    }

    @Test
    public void crashOfTheLeader_breaksNothing() {
        assertFindsNothing("one-disk-restart");
    }

    @Test
    public void crashAndTakeover_breakNothing() {
        assertFindsNothing("one-disk-restart-and-takeover");
    }

    // ---------------------------------------------------------------- without a rule

    private static void assertFound(String missing, Scope scope, String words) {
        OrderingProtocolFactory broken = DISK.without(missing);
        Failure failure =
                new Explorer(broken, scope).run(Integer.MAX_VALUE, MAX_STATES).failure();
        assertNotNull("without " + missing + " nothing was found", failure);
        assertTrue(failure.message(), failure.message().contains(words));
        System.out.println("without " + missing + ", " + failure.schedule().size() + " steps: "
                + Choice.print(failure.schedule()));
        Failure again = new Schedules(broken, scope).replay(failure.schedule(), null);
        assertEquals(failure.message(), again.message());
    }

    @Test
    public void headersNotReadBehindTheWrite_isFound() {
        assertFound("READ_AFTER_WRITE", SCOPES.get("one-disk-takeover"), ANOTHER_VALUE);
    }

    @Test
    public void headersReadWithTheWrite_isFound() {
        assertFound("READ_BEGINS_BEHIND_THE_DURABLE_WRITE", SCOPES.get("one-disk-takeover"), ANOTHER_VALUE);
    }

    @Test
    public void ringsReadBeforeTheOwnHeaderIsThere_isFound() {
        assertFound("TAKEOVER_READS_BEHIND_ITS_HEADER", SCOPES.get("one-disk-takeover"), ANOTHER_VALUE);
    }

    @Test
    public void ringNotReadAgain_isFound() {
        assertFound("RING_IS_READ_AGAIN_WHERE_ITS_TAIL_MOVED", SCOPES.get("one-disk-ring-goes-round"), ANOTHER_VALUE);
    }

    @Test
    public void readWithoutHeaders_isFound() {
        assertFound("READ_BARRIER_READS_HEADERS", SCOPES.get("one-disk-deposed-reads"), "linearizability");
    }

    @Test
    public void majorityOfServers_isFound() {
        assertFound("MAJORITY_OF_DISKS", Scope.begin(Start.LED, 1).withWrites(1), "durability");
    }

    /** 1 takes over again, with a value of its own in its ring that was not decided. */
    @Test
    public void valueOfALowerBallot_isFound() {
        Scope scope = Scope.begin(Start.OVERTAKEN, 2).withTicks(SILENT_LEADER_TICKS, 1, 0);
        assertFound("VALUE_OF_THE_HIGHEST_BALLOT", scope, ANOTHER_VALUE);
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
