package io.chainkeeper.simulation.explore;

import io.chainkeeper.simulation.explore.Scope.Start;
import org.junit.Test;

/** Explores the named scopes of Disk Paxos, and shows that exploring finds what goes wrong without its rules. */
public class SharedDiskExploreTest {
    private static final int SILENT_LEADER_TICKS = 6;
    private static final String ANOTHER_VALUE = "agreement";

    private static final ExploredProtocol DISK = new ExploredProtocol("disk", "What was exhausted of Disk Paxos");

    @Test
    public void writesAtLeaderAndFollower_breakNothing() {
        DISK.assertFindsNothing("two-writes");
    }

    @Test
    public void writeAndRead_breakNothing() {
        DISK.assertFindsNothing("write-and-read");
    }

    @Test
    public void takeoverOverThreeDisks_breaksNothing() {
        DISK.assertFindsNothing("takeover");
    }

    @Test
    public void diskThatFails_breaksNothing() {
        DISK.assertFindsNothing("disk-fails");
    }

    @Test
    public void serversThatHaveJustStarted_breakNothing() {
        DISK.assertFindsNothing("one-disk-cold-start");
    }

    @Test
    public void takeoverWhileBothWrite_breaksNothing() {
        DISK.assertFindsNothing("one-disk-takeover");
    }

    @Test
    public void readAtADeposedLeader_breaksNothing() {
        DISK.assertFindsNothing("one-disk-deposed-reads");
    }

    @Test
    public void silentLeader_breaksNothing() {
        DISK.assertFindsNothing("one-disk-silent-leader");
    }

    @Test
    public void bothTakeOver_breaksNothing() {
        DISK.assertFindsNothing("one-disk-duel");
    }

    @Test
    public void ringThatGoesRoundWhileItIsRead_breaksNothing() {
        DISK.assertFindsNothing("one-disk-ring-goes-round");
    }

    @Test
    public void crashOfTheOnlyServer_breaksNothing() {
        DISK.assertFindsNothing("one-disk-alone");
    }

    @Test
    public void crashOfTheLeader_breaksNothing() {
        DISK.assertFindsNothing("one-disk-restart");
    }

    @Test
    public void crashAndTakeover_breakNothing() {
        DISK.assertFindsNothing("one-disk-restart-and-takeover");
    }

    // ---------------------------------------------------------------- without a rule

    @Test
    public void headersNotReadBehindTheWrite_isFound() {
        DISK.assertFound("READ_AFTER_WRITE", DISK.scope("one-disk-takeover"), ANOTHER_VALUE);
    }

    @Test
    public void headersReadWithTheWrite_isFound() {
        DISK.assertFound("READ_BEGINS_BEHIND_THE_DURABLE_WRITE", DISK.scope("one-disk-takeover"), ANOTHER_VALUE);
    }

    @Test
    public void ringsReadBeforeTheOwnHeaderIsThere_isFound() {
        DISK.assertFound("TAKEOVER_READS_BEHIND_ITS_HEADER", DISK.scope("one-disk-takeover"), ANOTHER_VALUE);
    }

    @Test
    public void ringNotReadAgain_isFound() {
        DISK.assertFound(
                "RING_IS_READ_AGAIN_WHERE_ITS_TAIL_MOVED", DISK.scope("one-disk-ring-goes-round"), ANOTHER_VALUE);
    }

    @Test
    public void readWithoutHeaders_isFound() {
        DISK.assertFound("READ_BARRIER_READS_HEADERS", DISK.scope("one-disk-deposed-reads"), "linearizability");
    }

    @Test
    public void majorityOfServers_isFound() {
        DISK.assertFound("MAJORITY_OF_DISKS", Scope.begin(Start.LED, 1).withWrites(1), "durability");
    }

    /** 1 takes over again, with a value of its own in its ring that was not decided. */
    @Test
    public void valueOfALowerBallot_isFound() {
        Scope scope = Scope.begin(Start.OVERTAKEN, 2).withTicks(SILENT_LEADER_TICKS, 1, 0);
        DISK.assertFound("VALUE_OF_THE_HIGHEST_BALLOT", scope, ANOTHER_VALUE);
    }

    @Test
    public void scopeAsOptions_readsBack() {
        DISK.assertScopesReadBack();
    }
}
