package io.chainkeeper.server.transfer;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.release.FormatSamples;
import io.chainkeeper.release.NewerFormatException;
import io.chainkeeper.server.transfer.StateManifest.Kind;
import io.chainkeeper.server.transfer.StateManifest.StateFile;
import java.util.List;
import org.junit.Test;

/** Manifests of this version and the one before are read; a newer one is refused. */
public class ManifestFormatsTest {
    @Test
    public void versions_areRead() throws Exception {
        StateManifest expected = new StateManifest(
                9,
                7,
                8,
                ByteSlice.of(new byte[] {1, 2, -1}),
                List.of(
                        new StateFile(Kind.CHECKPOINT, "checkpoint.7", 120),
                        new StateFile(Kind.SNAPSHOT, "snapshot.7", 4000),
                        new StateFile(Kind.TRANSACTIONS, "log.5", 77)));
        for (int version = 2; version <= 3; version++) {
            ByteSlice sample = ByteSlice.of(FormatSamples.bytes("manifest", version));
            assertEquals(expected, StateManifest.decode(sample, "a manifest"));
        }
    }

    @Test
    public void newerVersion_isRefused() {
        ByteSlice newer = ByteSlice.of(FormatSamples.newerBinary("manifest", 3));
        String refusal = assertThrows(NewerFormatException.class, () -> StateManifest.decode(newer, "/data/manifest"))
                .getMessage();
        assertTrue(refusal, refusal.startsWith("/data/manifest has format version 4, written by release 9.8.7;"));
    }
}
