package io.chainkeeper.config;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.release.FeatureRange;
import io.chainkeeper.server.storage.StopMarker;
import io.chainkeeper.server.transfer.InstalledState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Our text files, of which a disk has made something else. */
public final class NoTextFilesTest {
    private static final byte[] NO_TEXT = {(byte) 0xC3, '\n'};

    private static final Map<String, Reading> READ_BY = Map.of(
            ClusterIdentity.FILE_NAME, ClusterIdentity::read,
            InstalledState.FILE_NAME, InstalledState::read,
            StopMarker.FILE_NAME, StopMarker::stopped,
            KnownDisks.FILE_NAME, KnownDisks::read,
            MoveInRequest.FILE_NAME, MoveInRequest::read,
            NewClusterRequest.FILE_NAME, NewClusterRequest::read);

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private interface Reading {
        Object of(Path orderingDirectory) throws IOException;
    }

    @Test
    public void bytesAreNoText_theFileIsNamedAsDamaged() throws IOException {
        for (Map.Entry<String, Reading> reading : READ_BY.entrySet()) {
            Path directory = folder.newFolder().toPath();
            Path file = Files.write(directory.resolve(reading.getKey()), NO_TEXT);
            IOException e =
                    assertThrows(IOException.class, () -> reading.getValue().of(directory));
            assertTrue(e.getMessage(), e.getMessage().startsWith(file + " is damaged"));
        }
    }

    @Test
    public void requestIsNoText_isRefusedAndTakenAway() throws IOException {
        Path directory = folder.newFolder().toPath();
        Path file = Files.write(directory.resolve(FeatureLevelRequest.FILE_NAME), NO_TEXT);
        assertEquals(FeatureRange.NO_LEVEL, FeatureLevelRequest.take(directory).level());
        assertTrue(Files.notExists(file));
    }
}
