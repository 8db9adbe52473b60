package io.chainkeeper.server.maintenance;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.release.FeatureLevel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What a directory says of its cluster before anything is executed. */
public final class ClusterNamingTest {
    private static final FeatureLevel SECOND = new FeatureLevel(2, "0.2.0");

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

    private ClusterNaming named(UUID clusterId) throws IOException {
        Path directory = folder.getRoot().toPath();
        new ClusterIdentity(1, clusterId, "chain").write(directory);
        ClusterNaming naming = new ClusterNaming(directory, 1, "chain", () -> 0, UUID::randomUUID, () -> {});
        naming.prepare(FeatureLevel.FIRST);
        return naming;
    }

    /** It joined behind a force, and crashed before it had a checkpoint: it executes everything once more. */
    @Test
    public void pastOfAJoinerHasAFormerName_onlyTheLatestCounts() throws Exception {
        UUID former = new UUID(0, 1);
        UUID present = new UUID(0, 2);
        ClusterNaming joiner = named(present);
        joiner.named(former);
        joiner.named(present);
        joiner.caughtUp(present);
        ClusterNaming stranger = named(present);
        stranger.named(former);
        assertThrows(IllegalStateException.class, () -> stranger.caughtUp(former));
    }
}
