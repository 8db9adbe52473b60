package io.chainkeeper.server.inspection;

import io.chainkeeper.config.AtomicFile;
import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.release.NewerFormatException;
import io.chainkeeper.replica.ProposerTable;
import io.chainkeeper.server.state.ReplicatedState;
import io.chainkeeper.server.state.Zxids;
import io.chainkeeper.server.storage.Checkpoint;
import io.chainkeeper.server.storage.CheckpointStore;
import io.chainkeeper.server.storage.StopMarker;
import io.chainkeeper.server.transfer.InstalledState;
import io.chainkeeper.server.transfer.ManifestWords;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Reads what lies beside an acceptor log: identity and other small files, checkpoints, the manifest of a state that is
 * being fetched. Changes nothing; a file that a running server deletes meanwhile is left out. Used by one thread.
 */
public final class StateFiles {
    /** A file of our own that is damaged. */
    public static final class DamagedFileException extends IOException {
        private static final long serialVersionUID = 1L;

        /** @param message one line: file, byte if it is known, what is wrong */
        DamagedFileException(String message) {
            super(message);
        }
    }

    private static final List<String> MANIFESTS = List.of("manifest", "complete", "installing");
    private static final String INCOMING = "incoming";
    private static final String CHECKPOINT_PREFIX = "checkpoint.";

    private final Consumer<String> lines;
    private long checkpointPosition = -1;

    /** @param lines gets one line for each file that is whole */
    public StateFiles(Consumer<String> lines) {
        this.lines = lines;
    }

    /** @return the highest position that a checkpoint read so far stands for; -1 if none was read */
    public long checkpointPosition() {
        return checkpointPosition;
    }

    /**
     * @param orderingDirectory the directory; need not exist
     * @return the files in it that this class reads, in the order in which they are best read
     * @throws IOException if a directory cannot be read
     */
    public static List<Path> in(Path orderingDirectory) throws IOException {
        TreeSet<Path> files = new TreeSet<>();
        for (Path directory : List.of(
                orderingDirectory,
                orderingDirectory.resolve(CheckpointStore.DIRECTORY),
                orderingDirectory.resolve(INCOMING))) {
            if (Files.isDirectory(directory)) {
                try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, StateFiles::isOne)) {
                    entries.forEach(files::add);
                }
            }
        }
        return List.copyOf(files);
    }

    /**
     * @param file a file
     * @return whether this class reads it, by its name
     */
    public static boolean isOne(Path file) {
        String name = file.getFileName().toString();
        boolean isSmall = name.equals(ClusterIdentity.FILE_NAME)
                || name.equals(StopMarker.FILE_NAME)
                || name.equals(InstalledState.FILE_NAME);
        return isSmall || MANIFESTS.contains(name) || isCheckpoint(name);
    }

    private static boolean isCheckpoint(String name) {
        return name.startsWith(CHECKPOINT_PREFIX) && !name.endsWith(AtomicFile.TEMPORARY_SUFFIX);
    }

    /**
     * Reads one file.
     *
     * @param file for which {@link #isOne} holds
     * @throws DamagedFileException if it is damaged
     * @throws NewerFormatException if a later release wrote it
     * @throws IOException if it cannot be read
     */
    public void read(Path file) throws IOException {
        String name = file.getFileName().toString();
        try {
            if (isCheckpoint(name)) {
                lines.accept(file + ": " + checkpoint(file));
            } else if (MANIFESTS.contains(name)) {
                lines.accept(file + ": " + ManifestWords.of(file));
            } else {
                lines.accept(file + ": " + small(file, name));
            }
        } catch (NoSuchFileException e) {
            return; // a running server has replaced or deleted it
        } catch (MalformedMessageException e) {
            throw new DamagedFileException(file + ": " + e.getMessage());
        }
    }

    private String checkpoint(Path file) throws IOException, MalformedMessageException {
        byte[] content = Files.readAllBytes(file);
        Checkpoint checkpoint = Checkpoint.decode(content, file.toString());
        ProposerTable proposers = ProposerTable.decode(checkpoint.proposers());
        ReplicatedState state = ReplicatedState.decode(checkpoint.replicatedState());
        checkpointPosition = Math.max(checkpointPosition, checkpoint.position());
        return "position " + checkpoint.position() + ", zxid " + Zxids.text(checkpoint.zxid()) + ", snapshot "
                + Zxids.text(checkpoint.snapshotZxid()) + " with effects up to "
                + Zxids.text(checkpoint.coveredZxid())
                + (state.clusterId() == null ? ", no cluster yet" : ", cluster " + state.clusterId())
                + (state.membership() == null ? "" : ", members " + state.membership()) + ", last commands " + proposers
                + ", " + content.length
                + " bytes, checksum right";
    }

    /** The readers of these files check them; what they say is in them word for word. */
    private static String small(Path file, String name) throws IOException {
        String text = text(file);
        Path directory = file.toAbsolutePath().getParent();
        try {
            switch (name) {
                case ClusterIdentity.FILE_NAME -> ClusterIdentity.read(directory);
                case InstalledState.FILE_NAME -> InstalledState.read(directory);
                default -> StopMarker.stopped(directory);
            }
        } catch (NewerFormatException | NoSuchFileException e) {
            throw e;
        } catch (IOException e) {
            throw new DamagedFileException(e.getMessage());
        }
        return text.lines().collect(Collectors.joining(", "));
    }

    /** Of bytes that are no text Java says only how many they are. */
    private static String text(Path file) throws IOException {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (CharacterCodingException e) {
            throw new DamagedFileException(file + " is damaged: it holds bytes that are no text");
        }
    }
}
