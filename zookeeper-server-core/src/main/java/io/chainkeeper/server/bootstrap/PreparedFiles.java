package io.chainkeeper.server.bootstrap;

import io.chainkeeper.config.DataDirectories;
import io.chainkeeper.config.NodeOwners;
import io.chainkeeper.config.OrderingConfig;
import io.chainkeeper.config.UserMistakeException;
import io.chainkeeper.config.UserMistakeException.Exit;
import io.chainkeeper.replica.Scheduler;
import io.chainkeeper.server.maintenance.DivergenceMarker;
import io.chainkeeper.server.storage.CheckpointStore;
import io.chainkeeper.server.storage.DataFiles;
import io.chainkeeper.server.storage.ForcedLogCheck;
import io.chainkeeper.server.storage.LoggedFiles;
import io.chainkeeper.server.storage.Recovery;
import io.chainkeeper.server.storage.StopMarker;
import io.chainkeeper.server.transfer.SnapshotInstaller;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files that ZooKeeper may load.
 *
 * @param files the files
 * @param check to be waited for before anything is executed
 */
record PreparedFiles(LoggedFiles files, ForcedLogCheck check) {
    private static final Logger LOG = LoggerFactory.getLogger(PreparedFiles.class);

    /** ZooKeeper's switch that forbids servers to begin with an empty directory, unless the marker is there. */
    private static final String AUTO_CREATE = "zookeeper.db.autocreate";

    private static final String INITIALIZE = "initialize";

    /**
     * Installs a state that was fetched, and cuts torn files.
     *
     * @param directories where ZooKeeper's files lie
     * @param ordering where ours lie
     * @param knows255 whether the server list has a server 255
     * @param scheduler gives what looks at the log, and what writes it, in the background
     * @param largeLogWriteBytes from how many bytes on a write of the transaction log goes past the cache
     * @throws IOException if a file cannot be used, or nothing is there where {@code db.autocreate=false} demands data;
     *     the message names it
     */
    static PreparedFiles prepare(
            DataDirectories directories,
            OrderingConfig ordering,
            boolean knows255,
            Scheduler scheduler,
            int largeLogWriteBytes)
            throws IOException {
        LoggedFiles files = new LoggedFiles(
                directories.logDirectory(),
                directories.dataDirectory(),
                scheduler,
                "transaction-log-" + ordering.replicaId(),
                largeLogWriteBytes);
        StopMarker.check(ordering.orderingDirectory(), files.logDirectory());
        CheckpointStore checkpoints = new CheckpointStore(checkpointDirectory(ordering));
        DivergenceMarker wrong = DivergenceMarker.read(ordering.orderingDirectory());
        SnapshotInstaller installer = new SnapshotInstaller(
                ordering.replicaId(),
                ordering.orderingDirectory(),
                files.snapshotDirectory(),
                files.logDirectory(),
                checkpoints);
        if (wrong != null) {
            installer.replacingWrongState();
        }
        if (installer.run() && wrong != null) {
            DivergenceMarker.delete(ordering.orderingDirectory());
        }
        refuseUnlessEmptyMayBegin(directories);
        ForcedLogCheck check = Recovery.repair(files, checkpoints, scheduler);
        putOwnersInForce(knows255, checkpoints);
        keepDigests();
        return new PreparedFiles(files, check);
    }

    /** ZooKeeper's class would load a tree that is before the first one, and look for the marker and delete it. */
    private static void refuseUnlessEmptyMayBegin(DataDirectories directories) throws IOException {
        boolean mayBegin = Boolean.parseBoolean(System.getProperty(AUTO_CREATE, "true"))
                || Files.exists(directories.logDirectory().resolve(INITIALIZE));
        if (!mayBegin
                && DataFiles.snapshots(directories.snapshots()).isEmpty()
                && DataFiles.logs(directories.transactions(), 0).isEmpty()) {
            throw new UserMistakeException(
                    Exit.DIRECTORY_INACCESSIBLE,
                    directories.snapshots() + " is empty, and " + AUTO_CREATE + "=false forbids to begin without data:"
                            + " the directory of another disk, perhaps. Put the data in place; or if this server is new"
                            + " or its data is lost, run zkServer-initialize.sh --force --myid=ID, which empties "
                            + directories.dataDirectory() + " and " + directories.logDirectory()
                            + " and lets it begin");
        }
    }

    /** Audits compare them; a server with and one without would write snapshots that the other cannot read. */
    private static void keepDigests() {
        if (!ZooKeeperServer.isDigestEnabled()) {
            LOG.warn(
                    "zookeeper.digest.enabled=false has no effect: servers keep digests, to find out when one differs");
            ZooKeeperServer.setDigestEnabled(true);
        }
    }

    /** Before ZooKeeper's classes load the tree. */
    private static void putOwnersInForce(boolean knows255, CheckpointStore checkpoints) throws IOException {
        OptionalLong formedWith = Recovery.formedWith(checkpoints);
        if (formedWith.isEmpty()) {
            NodeOwners.putInForce(knows255);
            return;
        }
        String refusal = NodeOwners.refusal(formedWith.getAsLong(), knows255);
        if (refusal != null) {
            throw new IOException(refusal);
        }
        NodeOwners.putInForce(formedWith.getAsLong());
    }

    static Path checkpointDirectory(OrderingConfig ordering) {
        return ordering.orderingDirectory().resolve(CheckpointStore.DIRECTORY);
    }
}
