package io.chainkeeper.server.transfer;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.server.state.Zxids;
import io.chainkeeper.server.transfer.StateManifest.StateFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

/** Puts in words what the manifest of a state that is being fetched says. Stateless. */
public final class ManifestWords {
    private ManifestWords() {}

    /**
     * Reads a manifest.
     *
     * @param file its file
     * @return one line
     * @throws MalformedMessageException if it is damaged
     * @throws IOException if it cannot be read, or a later release wrote it
     */
    public static String of(Path file) throws IOException, MalformedMessageException {
        StateManifest manifest = StateManifest.decode(ByteSlice.of(Files.readAllBytes(file)), file.toString());
        return "state of another member at position " + manifest.position() + ", snapshot "
                + Zxids.text(manifest.snapshotZxid()) + ", transactions up to " + Zxids.text(manifest.coveredZxid())
                + ", " + manifest.totalBytes() + " bytes in "
                + manifest.files().stream().map(StateFile::name).collect(Collectors.joining(", "))
                + ", checksum right";
    }
}
