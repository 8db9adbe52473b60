package io.chainkeeper.server.maintenance;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.config.NewClusterRequest;
import io.chainkeeper.release.FeatureLevel;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.Rule;
import org.junit.Test;
import org.junit.function.ThrowingRunnable;
import org.junit.rules.TemporaryFolder;

/** What a directory says of its cluster, and which names it bears in the order. */
public final class ClusterNamingTest {
    private static final FeatureLevel SECOND = new FeatureLevel(2, "0.2.0");
    private static final UUID FORMER = new UUID(0, 1);
    private static final UUID PRESENT = new UUID(0, 2);
    private static final UUID OTHER = new UUID(0, 3);

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private FeatureLevel levelAfterPreparing(FeatureLevel recovered) throws IOException {
        Path directory = folder.getRoot().toPath();
        new ClusterNaming(directory, 1, "chain", () -> 0, UUID::randomUUID, () -> {}).prepare(recovered);
        return ClusterIdentity.read(directory).level();
    }

    /** As with one that was fetched: a former release would else change the directory before it refuses it. */
    @Test
    public void stateIsOfALaterLevelThanTheDirectorySays_itIsNotedAtOnce() throws Exception {
        assertEquals(FeatureLevel.NONE, levelAfterPreparing(FeatureLevel.NONE));
        assertEquals(FeatureLevel.FIRST, levelAfterPreparing(FeatureLevel.FIRST));
        assertEquals(SECOND, levelAfterPreparing(SECOND));
    }

    /** The level was noted, and the server ended before it had executed it. */
    @Test
    public void stateIsOfAnEarlierLevelThanTheDirectorySays_nothingChanges() throws Exception {
        levelAfterPreparing(SECOND);
        assertEquals(SECOND, levelAfterPreparing(FeatureLevel.FIRST));
    }

    private ClusterNaming starts(UUID clusterId) throws IOException {
        Path directory = folder.getRoot().toPath();
        new ClusterIdentity(1, clusterId, "chain").write(directory);
        return startsAgain();
    }

    private ClusterNaming startsAgain() throws IOException {
        Path directory = folder.getRoot().toPath();
        ClusterNaming naming = new ClusterNaming(directory, 1, "chain", () -> 0, UUID::randomUUID, () -> {});
        naming.prepare(FeatureLevel.FIRST);
        return naming;
    }

    private static void assertRefuses(ThrowingRunnable names) {
        String message = assertThrows(IllegalStateException.class, names).getMessage();
        assertTrue(message, message.contains("but the other members form cluster"));
    }

    /** It joined behind a force, and crashed before it had a checkpoint: it executes everything once more. */
    @Test
    public void joinerReplaysTheFormerName_theNameThatItCatchesUpWithCounts() throws Exception {
        ClusterNaming joiner = starts(PRESENT);
        joiner.named(FORMER, null);
        joiner.named(PRESENT, FORMER);
        joiner.caughtUp(PRESENT);
        assertEquals(PRESENT, joiner.clusterId());
    }

    @Test
    public void directoryOfAnotherCluster_isRefusedWhenItHasCaughtUp() throws Exception {
        ClusterNaming stranger = starts(PRESENT);
        stranger.named(OTHER, null);
        assertRefuses(() -> stranger.caughtUp(OTHER));
        assertEquals(PRESENT, startsAgain().clusterId());
    }

    @Test
    public void ownNameIsReplaced_theDirectoryIsRefusedBeforeItHasCaughtUp() throws Exception {
        ClusterNaming leftBehind = starts(FORMER);
        leftBehind.named(FORMER, null);
        assertRefuses(() -> leftBehind.named(PRESENT, FORMER));
    }

    @Test
    public void ownNameIsReplacedBehindAFormerOne_theDirectoryIsRefused() throws Exception {
        ClusterNaming leftBehind = starts(PRESENT);
        leftBehind.named(FORMER, null);
        leftBehind.named(PRESENT, FORMER);
        assertRefuses(() -> leftBehind.named(OTHER, PRESENT));
    }

    @Test
    public void anotherNameThanTheOwnOneWhileItServes_isRefused() throws Exception {
        ClusterNaming serving = starts(PRESENT);
        serving.caughtUp(PRESENT);
        assertRefuses(() -> serving.named(OTHER, null));
    }

    /** It was told to go on alone before it had executed its first name, and crashes before the new one is ordered. */
    @Test
    public void formerNameIsExecutedByWhoGoesOnAlone_itIsNoted() throws Exception {
        new NewClusterRequest(1, PRESENT, Instant.EPOCH).write(folder.getRoot().toPath());
        ClusterNaming survivor = starts(null);
        survivor.named(FORMER, null);
        survivor.caughtUp(FORMER);
        ClusterNaming later = startsAgain();
        assertEquals(
                List.of(FORMER), ClusterIdentity.read(folder.getRoot().toPath()).formerClusterIds());
        assertEquals(PRESENT, later.clusterId());
        later.named(FORMER, null);
        assertEquals(
                "once",
                List.of(FORMER),
                ClusterIdentity.read(folder.getRoot().toPath()).formerClusterIds());
    }
}
