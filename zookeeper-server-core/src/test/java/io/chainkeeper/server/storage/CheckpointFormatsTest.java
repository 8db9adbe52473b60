package io.chainkeeper.server.storage;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.release.FormatSamples;
import io.chainkeeper.release.NewerFormatException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Checkpoints of each version that was ever written are read; one of a newer version stops the start. */
public class CheckpointFormatsTest {
    private static final int NEWEST = 2;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    @Test
    public void eachVersion_isRead() throws Exception {
        Checkpoint expected = new Checkpoint(
                9,
                0x100000006L,
                0x100000007L,
                0x100000009L,
                ByteSlice.of(new byte[] {1, 2, 3}),
                ByteSlice.of(new byte[] {4, 5, 6, 7}));
        for (int version = 1; version <= NEWEST; version++) {
            assertEquals(expected, Checkpoint.decode(FormatSamples.bytes("checkpoint", version), "a checkpoint"));
        }
    }

    /** A start must not go on from an older one: it would take what is behind that for all there is. */
    @Test
    public void newerVersion_isRefusedAlthoughAnOlderOneIsThere() throws Exception {
        Path directory = folder.getRoot().toPath();
        Files.write(directory.resolve("checkpoint.100000007"), FormatSamples.bytes("checkpoint", NEWEST));
        Path newer = directory.resolve("checkpoint.100000009");
        Files.write(newer, FormatSamples.newerBinary("checkpoint", NEWEST));
        CheckpointStore store = new CheckpointStore(directory);
        String refusal =
                assertThrows(NewerFormatException.class, store::readForStart).getMessage();
        assertTrue(refusal, refusal.startsWith(newer + " has format version 3, written by release "));
        assertTrue(refusal, refusal.contains("start release " + FormatSamples.LATER_RELEASE + " or later"));
    }
}
