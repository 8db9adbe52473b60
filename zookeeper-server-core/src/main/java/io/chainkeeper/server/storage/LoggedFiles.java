package io.chainkeeper.server.storage;

import io.chainkeeper.config.AtomicFile;
import io.chainkeeper.config.DataDirectories;
import io.chainkeeper.replica.Scheduler;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.jute.Record;
import org.apache.zookeeper.KeeperException.NoNodeException;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;
import org.apache.zookeeper.server.persistence.SnapshotInfo;
import org.apache.zookeeper.txn.TxnHeader;

/** ZooKeeper's files, of which it reads all and {@link TransactionLog} appends to the log. */
public final class LoggedFiles extends FileTxnSnapLog {
    /** From how many bytes on a server's writes of the transaction log go past the system's cache. */
    public static final int LARGE_WRITE_BYTES = TransactionLog.LARGE_WRITE_BYTES;

    private final TransactionLog log;
    private final Path logs;
    private final Path snapshots;
    private volatile SnapshotInfo taken;

    /**
     * Creates what is missing of the directories.
     *
     * @param logDirectory {@code dataLogDir}
     * @param snapshotDirectory {@code dataDir}
     * @param scheduler gives what writes the log in the background
     * @param writerName a thread's name
     * @param largeWriteBytes from how many bytes on a write of the log goes past the cache
     * @throws IOException as ZooKeeper's class does
     */
    public LoggedFiles(
            Path logDirectory, Path snapshotDirectory, Scheduler scheduler, String writerName, int largeWriteBytes)
            throws IOException {
        super(created(logDirectory).toFile(), created(snapshotDirectory).toFile());
        logs = logDirectory.resolve(DataDirectories.VERSION_DIRECTORY);
        snapshots = snapshotDirectory.resolve(DataDirectories.VERSION_DIRECTORY);
        log = new TransactionLog(logs, scheduler, writerName, largeWriteBytes);
    }

    /** ZooKeeper's class would create it without the file system that the path is of. */
    private static Path created(Path directory) throws IOException {
        AtomicFile.createDirectories(directory.resolve(DataDirectories.VERSION_DIRECTORY));
        return directory;
    }

    /** Where the transaction log lies: {@link #getDataLogDir} on the file system that was handed in. */
    public Path logDirectory() {
        return logs;
    }

    /** Where the snapshots lie: {@link #getSnapDir} on the file system that was handed in. */
    public Path snapshotDirectory() {
        return snapshots;
    }

    /** Bytes of all transactions that have been appended; any thread. */
    public long appendedBytes() {
        return log.appendedBytes();
    }

    /**
     * The last transaction that was appended since the start, 0 if none was; any thread. It may be about to be applied,
     * in part perhaps already.
     */
    long lastAppendedZxid() {
        return log.lastZxid();
    }

    /** A snapshot that ZooKeeper's class has not written under its name is there now. */
    void snapshotTaken(SnapshotInfo snapshot) {
        taken = snapshot;
    }

    /** @return the newest snapshot, null if none has been read or written; any thread */
    @Override
    public SnapshotInfo getLastSnapshotInfo() {
        SnapshotInfo sinceStart = taken;
        return sinceStart == null ? super.getLastSnapshotInfo() : sinceStart;
    }

    @Override
    public boolean append(Request request) throws IOException {
        if (request.getHdr() == null) {
            return false;
        }
        log.append(request.getHdr(), request.getTxn(), request.getTxnDigest());
        return true;
    }

    /**
     * Sees to it that what was appended reaches the operating system soon, which {@link #commit} waits for.
     *
     * @throws IOException if the log cannot be written
     */
    public void handOver() throws IOException {
        log.handOver();
    }

    /** Replays the log on the tree that a snapshot has brought back. */
    @Override
    public long fastForwardFromEdits(DataTree tree, Map<Long, Integer> sessions, PlayBackListener listener)
            throws IOException {
        FuzzyReplay.begin(tree);
        return super.fastForwardFromEdits(tree, sessions, listener);
    }

    /** Replays one of them. */
    @Override
    public void processTransaction(TxnHeader header, DataTree tree, Map<Long, Integer> sessions, Record transaction)
            throws NoNodeException {
        FuzzyReplay.forgetLater(tree, header, transaction);
        super.processTransaction(header, tree, sessions, transaction);
        FuzzyReplay.checkCreated(tree, header, transaction);
    }

    @Override
    public void commit() throws IOException {
        log.commit();
    }

    @Override
    public void rollLog() throws IOException {
        log.roll();
    }

    @Override
    public void close() throws IOException {
        log.close();
        super.close();
    }
}
