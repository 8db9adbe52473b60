package io.chainkeeper.server.storage;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.List;
import org.apache.zookeeper.server.persistence.FileTxnLog;

/** Looks into the files of a stopped replica, and takes away what a power failure may take: all that was not forced. */
public final class StoredFiles {
    private StoredFiles() {}

    /**
     * @param log a file of the log
     * @param checkpointDirectory where the checkpoints lie
     * @return how many bytes of it the newest checkpoint found on stable storage
     */
    public static long forcedBytes(Path log, Path checkpointDirectory) throws IOException {
        List<Checkpoint> checkpoints = new CheckpointStore(checkpointDirectory).readForStart();
        long forcedZxid = checkpoints.get(0).coveredZxid();
        try (TxnLogScanner scanner = new TxnLogScanner(log)) {
            long bytes = 0;
            for (long zxid = scanner.next(); zxid != 0 && zxid <= forcedZxid; zxid = scanner.next()) {
                bytes = scanner.goodBytes();
            }
            return bytes;
        }
    }

    /** Cuts every file of the log to what was forced. */
    public static void loseUnforced(Path logDirectory, Path checkpointDirectory) throws IOException {
        File[] logs = FileTxnLog.getLogFiles(logDirectory.toFile().listFiles(), 0);
        for (File log : logs) {
            long forced = forcedBytes(log.toPath(), checkpointDirectory);
            try (RandomAccessFile file = new RandomAccessFile(log, "rw")) {
                file.setLength(forced);
            }
        }
    }

    /** The file of the log that the newest checkpoint's snapshot is continued from. */
    public static Path logOfNewestCheckpoint(Path logDirectory, Path checkpointDirectory) throws IOException {
        long snapshotZxid =
                new CheckpointStore(checkpointDirectory).readAll().get(0).snapshotZxid();
        return FileTxnLog.getLogFiles(logDirectory.toFile().listFiles(), snapshotZxid)[0].toPath();
    }

    /** Everything of the newest checkpoint that must be the same on all replicas at its position. */
    public static List<Object> newestReplicatedState(Path checkpointDirectory) throws IOException {
        Checkpoint newest = new CheckpointStore(checkpointDirectory).readAll().get(0);
        return List.of(newest.position(), newest.zxid(), newest.proposers(), newest.replicatedState());
    }
}
