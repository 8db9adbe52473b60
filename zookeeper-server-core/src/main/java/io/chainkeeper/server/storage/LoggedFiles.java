package io.chainkeeper.server.storage;

import java.io.File;
import java.io.IOException;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;

/** ZooKeeper's files, of which it reads all and {@link TransactionLog} appends to the log. */
public final class LoggedFiles extends FileTxnSnapLog {
    private final TransactionLog log;

    /**
     * @param logDirectory {@code dataLogDir}
     * @param snapshotDirectory {@code dataDir}
     * @throws IOException as ZooKeeper's class does
     */
    public LoggedFiles(File logDirectory, File snapshotDirectory) throws IOException {
        super(logDirectory, snapshotDirectory);
        log = new TransactionLog(getDataLogDir());
    }

    /** Bytes of all transactions that have been appended; any thread. */
    public long appendedBytes() {
        return log.appendedBytes();
    }

    @Override
    public boolean append(Request request) throws IOException {
        if (request.getHdr() == null) {
            return false;
        }
        log.append(request.getHdr(), request.getTxn(), request.getTxnDigest());
        return true;
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
