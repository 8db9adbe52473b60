package io.chainkeeper.server.transfer;

import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.replica.ProposerTable;
import io.chainkeeper.replica.Scheduler;
import io.chainkeeper.replica.ThreadScheduler;
import io.chainkeeper.server.state.ReplicatedState;
import io.chainkeeper.server.state.ReplicatedStates;
import io.chainkeeper.server.storage.Checkpoint;
import io.chainkeeper.server.storage.CheckpointStore;
import io.chainkeeper.server.storage.LoggedFiles;
import io.chainkeeper.server.storage.Recovery;
import io.chainkeeper.server.transfer.SnapshotInstaller.Move;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.persistence.FileSnap;
import org.apache.zookeeper.server.persistence.FileTxnLog;
import org.apache.zookeeper.server.persistence.Util;
import org.apache.zookeeper.txn.CreateTxn;
import org.apache.zookeeper.txn.TxnHeader;

/** The files of one member, and a tree that grows by a node with each transaction. */
final class MemberFiles {
    static final UUID CLUSTER = new UUID(7, 8);

    /** What every member says that it has promised. */
    static final ByteSlice PROMISE = ByteSlice.of(new byte[] {0, 127, -1});

    private static final int NODE_BYTES = 100;

    final Path ordering;
    final CheckpointStore checkpoints;
    final LoggedFiles files;
    private final DataTree tree = new DataTree();
    private final FileTxnLog log;
    private final int replicaId;
    private long zxid;
    private long position;

    /** Whether this member knows that its state is wrong. */
    boolean isWrong;

    /** Why it can take no snapshot, or null. */
    String noRoomForSnapshots;

    /** How many were taken because somebody needed one. */
    int snapshotsOnDemand;

    MemberFiles(Path directory, int replicaId) throws IOException {
        this.replicaId = replicaId;
        Path dataLog = directory.resolve("log");
        files = new LoggedFiles(
                dataLog,
                directory.resolve("data"),
                ThreadScheduler.INSTANCE,
                "transaction-log",
                LoggedFiles.LARGE_WRITE_BYTES);
        ordering = Files.createDirectories(dataLog.resolve("ordering"));
        checkpoints = new CheckpointStore(ordering.resolve("checkpoints"));
        log = new FileTxnLog(files.getDataLogDir());
    }

    /** Executes creates, one to a position. */
    void execute(int creates) throws IOException {
        for (int i = 0; i < creates; i++) {
            zxid++;
            position++;
            byte[] data = ("data" + zxid + ".".repeat(NODE_BYTES)).getBytes(StandardCharsets.UTF_8);
            CreateTxn create = new CreateTxn("/n" + zxid, data, Ids.OPEN_ACL_UNSAFE, false, (int) zxid);
            TxnHeader header = new TxnHeader(5, (int) zxid, zxid, 1_000 + zxid, OpCode.create);
            tree.processTxn(header, create);
            log.append(new Request(5, (int) zxid, OpCode.create, header, create, zxid));
        }
        log.commit();
    }

    /** A snapshot that needs so many transactions of the log. */
    void snapshot(int transactionsAfter) throws IOException {
        log.rollLog();
        ReplicatedState state = ReplicatedStates.of(CLUSTER, zxid);
        long at = position;
        long snapshotZxid = zxid;
        File snapshot = new File(files.getSnapDir(), Util.makeSnapshotName(snapshotZxid));
        new FileSnap(files.getSnapDir()).serialize(tree, new TreeMap<>(), snapshot, true);
        execute(transactionsAfter);
        checkpoints.write(
                new Checkpoint(at, snapshotZxid, snapshotZxid, zxid, new ProposerTable().encode(), state.encode()));
    }

    /** Deletes all that has been written so far. */
    void purge() throws IOException {
        log.rollLog();
        for (Path directory : new Path[] {files.snapshotDirectory(), files.logDirectory(), checkpoints.directory()}) {
            try (DirectoryStream<Path> found = Files.newDirectoryStream(directory)) {
                for (Path file : found) {
                    Files.delete(file);
                }
            }
        }
    }

    SnapshotSender source(int chunkBytes) throws IOException {
        return source(chunkBytes, ThreadScheduler.INSTANCE);
    }

    /** One whose time somebody else gives. */
    SnapshotSender source(int chunkBytes, Scheduler scheduler) throws IOException {
        return new SnapshotSender(
                scheduler,
                "state-source-" + replicaId,
                Waiting.OF_THREADS,
                bounds(chunkBytes),
                new CheckpointStore(checkpoints.directory()),
                files.snapshotDirectory(),
                files.logDirectory(),
                Long.MAX_VALUE / 2,
                () -> isWrong,
                new SnapshotSender.Snapshots() {
                    @Override
                    public long executedPosition() {
                        return position;
                    }

                    @Override
                    public UUID clusterId() {
                        return null;
                    }

                    @Override
                    public CompletableFuture<?> take() {
                        if (noRoomForSnapshots != null) {
                            return CompletableFuture.failedFuture(new IOException(noRoomForSnapshots));
                        }
                        snapshotsOnDemand++;
                        try {
                            snapshot(0);
                            return CompletableFuture.completedFuture(null);
                        } catch (IOException e) {
                            return CompletableFuture.failedFuture(e);
                        }
                    }
                });
    }

    static TransferBounds bounds(int chunkBytes) {
        TransferBounds usual = TransferBounds.DEFAULT;
        return new TransferBounds(chunkBytes, usual.checksumBytes(), usual.forcedBytes(), usual.receivers());
    }

    /** Fetches everything, as far as nothing breaks. */
    static StateManifest fetch(StateDownload download) throws IOException {
        StateManifest complete = download.step();
        while (complete == null) {
            complete = download.step();
        }
        return complete;
    }

    SnapshotInstaller installation(IncomingState.Step step, Move move) {
        return new SnapshotInstaller(
                replicaId, ordering, files.snapshotDirectory(), files.logDirectory(), checkpoints, step, move);
    }

    void belongTo(UUID cluster) throws IOException {
        new ClusterIdentity(replicaId, cluster, "chain").write(ordering);
    }

    /** What a start brings back: last zxid, nodes, position. */
    String recovered() throws IOException {
        Recovery.repair(files, checkpoints, ThreadScheduler.INSTANCE).await();
        DataTree recovered = new DataTree();
        long last = files.restore(recovered, new TreeMap<>(), (header, record, digest) -> {});
        return last + " " + recovered.getNodeCount() + " " + recovered.approximateDataSize() + " "
                + checkpoints.readAll().get(0).position();
    }

    /** Names and lengths of what has arrived. */
    Map<String, Long> incoming() throws IOException {
        Map<String, Long> lengths = new TreeMap<>();
        Path directory = ordering.resolve(IncomingState.DIRECTORY);
        if (Files.exists(directory)) {
            try (DirectoryStream<Path> found = Files.newDirectoryStream(directory)) {
                for (Path file : found) {
                    lengths.put(file.getFileName().toString(), Files.size(file));
                }
            }
        }
        return lengths;
    }

    void close() throws IOException {
        log.close();
    }
}
