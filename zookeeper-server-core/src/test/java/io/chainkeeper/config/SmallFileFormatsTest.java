package io.chainkeeper.config;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.release.FormatSamples;
import io.chainkeeper.release.NewerFormatException;
import io.chainkeeper.release.Release;
import io.chainkeeper.server.maintenance.DivergenceMarker;
import io.chainkeeper.server.storage.StopMarker;
import io.chainkeeper.server.storage.StopMarker.Stopped;
import io.chainkeeper.server.transfer.InstalledState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The text files of the ordering directory: each version that was ever written is read; a newer one is refused. */
public class SmallFileFormatsTest {
    private static final UUID CLUSTER = new UUID(3, 4);
    private static final UUID FORMER = new UUID(5, 6);
    private static final ByteSlice PROMISE = ByteSlice.of(new byte[] {1, 2, -1});

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private Path directory;

    @Before
    public void findDirectory() {
        directory = folder.getRoot().toPath();
    }

    private interface Reader {
        Object read(Path directory) throws IOException;
    }

    private void assertReads(String name, int version, Object expected, Reader reader) throws IOException {
        assertEquals(name + "-" + version, expected, reader.read(FormatSamples.in(directory, name, version)));
    }

    private void assertRefusesNewer(String name, int newest, Reader reader) throws IOException {
        FormatSamples.newerText(directory, name, newest);
        String refusal = assertThrows(NewerFormatException.class, () -> reader.read(directory))
                .getMessage();
        assertTrue(refusal, refusal.startsWith(directory.resolve(name) + " has format version " + (newest + 1)));
        assertTrue(refusal, refusal.contains("start release " + FormatSamples.LATER_RELEASE + " or later"));
        Files.delete(directory.resolve(name));
    }

    @Test
    public void identityOfEachVersion_isReadAndANewerOneRefused() throws IOException {
        Reader reader = ClusterIdentity::read;
        assertReads("identity", 1, new ClusterIdentity(2, CLUSTER, null), reader);
        assertReads("identity", 2, new ClusterIdentity(2, CLUSTER, List.of(FORMER), null), reader);
        assertReads("identity", 3, new ClusterIdentity(2, CLUSTER, List.of(FORMER), "chain"), reader);
        ClusterIdentity newest =
                new ClusterIdentity(2, CLUSTER, List.of(FORMER), "chain", new FeatureLevel(2, "0.2.0"));
        assertReads("identity", 4, newest, reader);
        newest.write(directory);
        assertEquals(newest, ClusterIdentity.read(directory));
        assertRefusesNewer("identity", 4, reader);
    }

    @Test
    public void installedOfEachVersion_isReadAndANewerOneRefused() throws IOException {
        Reader reader = InstalledState::read;
        assertReads("installed", 0, new InstalledState(7, true, ByteSlice.EMPTY), reader);
        assertReads("installed", 1, new InstalledState(7, true, PROMISE), reader);
        assertReads("installed", 2, new InstalledState(7, true, PROMISE), reader);
        assertRefusesNewer("installed", 2, reader);
    }

    @Test
    public void stoppedOfEachVersion_isReadAndANewerOneRefused() throws IOException {
        Reader reader = StopMarker::stopped;
        assertReads("stopped", 1, Optional.of(new Stopped(0x1a, StopMarker.NO_POSITION)), reader);
        assertReads("stopped", 2, Optional.of(new Stopped(0x1a, 12)), reader);
        assertReads("stopped", 3, Optional.of(new Stopped(0x1a, 12)), reader);
        assertRefusesNewer("stopped", 3, reader);
    }

    @Test
    public void divergedOfEachVersion_isReadAndANewerOneRefused() throws IOException {
        for (int version = 1; version <= 2; version++) {
            assertReads("diverged", version, new DivergenceMarker(3, "digests differ"), DivergenceMarker::read);
        }
        assertRefusesNewer("diverged", 2, DivergenceMarker::read);
    }

    @Test
    public void requestsOfEachVersion_isReadAndANewerOneRefused() throws IOException {
        NewClusterRequest alone = new NewClusterRequest(2, CLUSTER, Instant.parse("2026-11-23T10:00:00Z"));
        for (int version = 1; version <= 2; version++) {
            assertReads("move-in", version, new MoveInRequest(List.of(2, 3)), MoveInRequest::read);
            assertReads("force-new-cluster", version, alone, NewClusterRequest::read);
        }
        assertRefusesNewer("move-in", 2, MoveInRequest::read);
        assertRefusesNewer("force-new-cluster", 2, NewClusterRequest::read);
    }

    @Test
    public void whatIsWritten_namesThisRelease() throws IOException {
        new ClusterIdentity(2, null, "iss").write(directory);
        assertEquals(
                "release=" + Release.name(),
                Files.readAllLines(directory.resolve("identity")).get(1));
    }
}
