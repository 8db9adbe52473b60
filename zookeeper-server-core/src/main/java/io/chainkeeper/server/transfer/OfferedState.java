package io.chainkeeper.server.transfer;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.server.state.ReplicatedState;
import io.chainkeeper.server.state.Zxids;
import io.chainkeeper.server.storage.Checkpoint;
import io.chainkeeper.server.storage.CheckpointStore;
import io.chainkeeper.server.storage.DataFiles;
import io.chainkeeper.server.storage.TxnLogScanner;
import io.chainkeeper.server.transfer.StateManifest.Kind;
import io.chainkeeper.server.transfer.StateManifest.StateFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.zip.CRC32C;
import org.apache.zookeeper.server.persistence.SnapStream;

/**
 * The files of one state, kept open so that they stay readable when they are purged. Safe for use by any thread, but
 * {@link #prepare} is meant for one at a time.
 */
final class OfferedState implements Closeable {
    private static final int CHECKSUM_BUFFER_BYTES = 1 << 18;
    private static final int ENTRIES_BETWEEN_LOOKS_AT_THE_CLOCK = 256;

    private final Checkpoint checkpoint;
    private final List<OpenFile> files = new ArrayList<>();
    private final List<TxnLogScanner> scanners = new ArrayList<>();
    private int scanned;
    private StateManifest manifest;

    private static final class OpenFile {
        private final Kind kind;
        private final Path path;
        private final FileChannel channel;
        private long length;

        OpenFile(Kind kind, Path path) throws IOException {
            this.kind = kind;
            this.path = path;
            this.channel = FileChannel.open(path, StandardOpenOption.READ);
            this.length = channel.size();
        }
    }

    private OfferedState(Checkpoint checkpoint) {
        this.checkpoint = checkpoint;
    }

    /**
     * Opens the files of a state.
     *
     * @param checkpoints the checkpoints
     * @param snapshotDirectory where the snapshots lie
     * @param logDirectory where the transaction log lies
     * @param preferredSnapshotZxid the snapshot to offer if it is still there, or {@link StateRequest#NEWEST}
     * @return null if there is no whole snapshot that has a checkpoint
     * @throws IOException if a file cannot be read
     */
    static OfferedState open(
            CheckpointStore checkpoints, Path snapshotDirectory, Path logDirectory, long preferredSnapshotZxid)
            throws IOException {
        List<Checkpoint> candidates = new ArrayList<>(checkpoints.readAll());
        candidates.stream()
                .filter(candidate -> candidate.snapshotZxid() == preferredSnapshotZxid)
                .findFirst()
                .ifPresent(preferred -> candidates.add(0, preferred));
        for (Checkpoint candidate : candidates) {
            Path snapshot = snapshot(snapshotDirectory, candidate.snapshotZxid());
            if (snapshot == null || !SnapStream.isValidSnapshot(snapshot.toFile())) {
                continue; // the snapshot gets its name after its checkpoint was written
            }
            OfferedState state = new OfferedState(candidate);
            try {
                state.openFiles(checkpoints.file(candidate.snapshotZxid()), snapshot, logDirectory);
            } catch (IOException | RuntimeException e) {
                state.close();
                throw e;
            }
            return state;
        }
        return null;
    }

    private static Path snapshot(Path directory, long zxid) throws IOException {
        return DataFiles.snapshots(directory).stream()
                .filter(file -> DataFiles.snapshotZxid(file) == zxid)
                .findFirst()
                .orElse(null);
    }

    private void openFiles(Path checkpointFile, Path snapshot, Path logDirectory) throws IOException {
        files.add(new OpenFile(Kind.CHECKPOINT, checkpointFile));
        files.add(new OpenFile(Kind.SNAPSHOT, snapshot));
        if (checkpoint.coveredZxid() <= checkpoint.snapshotZxid()) {
            return;
        }
        for (Path log : DataFiles.logs(logDirectory, Zxids.next(checkpoint.snapshotZxid()))) {
            if (DataFiles.logZxid(log) > checkpoint.coveredZxid()) {
                break;
            }
            if (files.size() == StateManifest.MAX_FILES) {
                throw new IOException(
                        logDirectory + " holds too many transaction logs to send; take a snapshot with the"
                                + " snapshot command of the AdminServer");
            }
            files.add(new OpenFile(Kind.TRANSACTIONS, log));
            scanners.add(new TxnLogScanner(log));
        }
        if (scanners.isEmpty()) {
            throw new IOException(logDirectory + " holds no transactions up to " + Zxids.text(checkpoint.coveredZxid())
                    + " although snapshot " + snapshot + " needs them");
        }
    }

    long snapshotZxid() {
        return checkpoint.snapshotZxid();
    }

    /** The position that the receiver will need next is the one after it. */
    long position() {
        return checkpoint.position();
    }

    /** The name that the cluster had then, null if it had none. */
    UUID clusterId() throws IOException {
        try {
            return ReplicatedState.decode(checkpoint.replicatedState()).clusterId();
        } catch (MalformedMessageException e) {
            throw new IOException(
                    "the checkpoint of position " + position() + " does not decode: " + e.getMessage(), e);
        }
    }

    /** Whether {@link #prepare} has given the manifest. */
    synchronized boolean isReady() {
        return manifest != null;
    }

    /**
     * Finds out how much of the transaction log belongs to the state.
     *
     * @param promise what this replica has promised by now
     * @param mayGoOn asked from time to time
     * @return the manifest, or null if it was interrupted: to be called again
     * @throws IOException if a log cannot be read
     */
    synchronized StateManifest prepare(ByteSlice promise, BooleanSupplier mayGoOn) throws IOException {
        while (manifest == null && scanned < scanners.size()) {
            TxnLogScanner scanner = scanners.get(scanned);
            int entries = 0;
            while (scanner.lastZxid() < checkpoint.coveredZxid() && scanner.next() != 0) {
                if (++entries % ENTRIES_BETWEEN_LOOKS_AT_THE_CLOCK == 0 && !mayGoOn.getAsBoolean()) {
                    return null;
                }
            }
            OpenFile log = files.get(files.size() - scanners.size() + scanned);
            log.length = scanner.goodBytes();
            scanned++;
            if (scanned == scanners.size() && scanner.lastZxid() < checkpoint.coveredZxid()) {
                throw new IOException("transaction log " + log.path + " ends at " + Zxids.text(scanner.lastZxid())
                        + " but its checkpoint says that it reaches " + Zxids.text(checkpoint.coveredZxid()));
            }
        }
        if (manifest == null) {
            manifest = new StateManifest(
                    checkpoint.position(),
                    checkpoint.snapshotZxid(),
                    checkpoint.coveredZxid(),
                    promise,
                    files.stream()
                            .map(file -> new StateFile(
                                    file.kind, file.path.getFileName().toString(), file.length))
                            .toList());
        }
        return manifest;
    }

    /**
     * Reads a part of a file.
     *
     * @throws IOException if the file cannot be read, has become shorter, or there is no such part
     */
    ByteSlice read(int index, long offset, int length) throws IOException {
        OpenFile file = part(index, offset, length);
        ByteBuffer bytes = ByteBuffer.allocate(length);
        fill(file, bytes, offset);
        return ByteSlice.of(bytes.array());
    }

    /**
     * Computes the CRC32C of a part of a file.
     *
     * @throws IOException as {@link #read}
     */
    int checksum(int index, long offset, int length) throws IOException {
        OpenFile file = part(index, offset, length);
        return checksum(file.channel, file.path, offset, length);
    }

    static int checksum(FileChannel channel, Path path, long offset, int length) throws IOException {
        CRC32C crc = new CRC32C();
        ByteBuffer bytes = ByteBuffer.allocate(Math.min(length, CHECKSUM_BUFFER_BYTES));
        for (int done = 0; done < length; done += bytes.limit()) {
            bytes.clear().limit(Math.min(bytes.capacity(), length - done));
            fill(channel, path, bytes, offset + done);
            crc.update(bytes.array(), 0, bytes.limit());
        }
        return (int) crc.getValue();
    }

    private OpenFile part(int index, long offset, int length) throws IOException {
        if (index < 0 || index >= files.size()) {
            throw new IOException("asked for file " + index + " of " + files.size());
        }
        OpenFile file = files.get(index);
        if (offset < 0 || length < 0 || offset > file.length || length > file.length - offset) {
            throw new IOException("asked for " + length + " bytes at " + offset + " of " + file.path
                    + ", of which the state has " + file.length);
        }
        return file;
    }

    private static void fill(OpenFile file, ByteBuffer bytes, long offset) throws IOException {
        fill(file.channel, file.path, bytes, offset);
    }

    private static void fill(FileChannel channel, Path path, ByteBuffer bytes, long offset) throws IOException {
        while (bytes.hasRemaining()) {
            if (channel.read(bytes, offset + bytes.position()) < 0) {
                throw new IOException(path + " has become shorter than " + (offset + bytes.limit()) + " bytes");
            }
        }
    }

    @Override
    public synchronized void close() throws IOException {
        for (OpenFile file : files) {
            file.channel.close();
        }
        for (TxnLogScanner scanner : scanners) {
            scanner.close();
        }
    }
}
