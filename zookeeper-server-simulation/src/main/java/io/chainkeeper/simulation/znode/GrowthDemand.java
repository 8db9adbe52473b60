package io.chainkeeper.simulation.znode;

import io.chainkeeper.config.AtomicFile;
import io.chainkeeper.config.DataDirectories;
import io.chainkeeper.config.OrderingConfig;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.server.bootstrap.DrivenServer;
import io.chainkeeper.server.storage.CheckpointStore;
import io.chainkeeper.server.storage.DataFiles;
import io.chainkeeper.simulation.checker.ZnodeModel;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.cluster.Workload;
import io.chainkeeper.simulation.time.EventQueue;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Predicate;

/**
 * Nothing of a healthy server has grown without a bound, whatever has happened before: when it has written as many
 * snapshots as it keeps, what it does not need any more is gone from its disk. A state that has arrived in part may
 * stay, for the next transfer goes on with it.
 */
final class GrowthDemand {
    /** Until what is written in pieces is written, and what follows from it is deleted. */
    private static final long SETTLING_MICROS = 500_000;

    private static final int PATIENCE = 20;

    private final EventQueue events;
    private final Cluster cluster;
    private final IntFunction<ZnodeReplica> replicas;
    private final int snapshotsKept;

    /**
     * @param events virtual time
     * @param cluster in which nothing goes wrong any more
     * @param replicas the application of each that runs
     * @param snapshotsKept by each server
     */
    GrowthDemand(EventQueue events, Cluster cluster, IntFunction<ZnodeReplica> replicas, int snapshotsKept) {
        this.events = events;
        this.cluster = cluster;
        this.replicas = replicas;
        this.snapshotsKept = snapshotsKept;
    }

    /**
     * Lets all servers write snapshots, and looks at what they have.
     *
     * @param awaiter waits
     * @param all clients, of whom none is without a connection when something is asked
     * @param operations what clients ask for
     * @param client writes something before each snapshot, so that it is another one
     */
    void demand(Workload.Awaiter awaiter, OperationDemand all, ZnodeOperations operations, ZnodeClient client) {
        for (int i = 0; i < snapshotsKept; i++) {
            all.awaitConnections();
            operations.setData(client, "/k1", ZnodeModel.ANY_VERSION);
            awaiter.await("a last write everywhere", () -> client.outstanding() == 0 && areEqual());
            awaitSnapshots(awaiter);
        }
        long settledMicros = events.nowMicros() + SETTLING_MICROS;
        awaiter.await("servers to delete what they do not need", () -> events.nowMicros() >= settledMicros);
        cluster.configured().forEach(this::check);
    }

    private boolean areEqual() {
        long last = cluster.checker().lastPosition();
        return cluster.configured().stream().allMatch(id -> cluster.host(id).position() >= last);
    }

    /** One that is being written may be of an older state. */
    private void awaitSnapshots(Workload.Awaiter awaiter) {
        long zxid = replicas.apply(cluster.configured().get(0)).tree().lastProcessedZxid;
        for (int i = 0; i < PATIENCE && !haveSnapshots(zxid); i++) {
            cluster.configured().stream()
                    .filter(id -> newestSnapshot(id) < zxid)
                    .forEach(id -> cluster.host(id).takeCheckpoint());
            long untilMicros = events.nowMicros() + SETTLING_MICROS;
            awaiter.await("snapshots to be written", () -> haveSnapshots(zxid) || events.nowMicros() >= untilMicros);
        }
        InvariantViolated.check(haveSnapshots(zxid), "growth: servers that were asked for a snapshot write none");
    }

    private boolean haveSnapshots(long zxid) {
        return cluster.configured().stream().allMatch(id -> newestSnapshot(id) >= zxid);
    }

    private long newestSnapshot(int id) {
        List<Path> all = snapshots(id);
        return all.isEmpty() ? -1 : DataFiles.snapshotZxid(all.get(0));
    }

    private Path root(int id) {
        return cluster.replica(id).log().disk().root();
    }

    private Path directory(int id) {
        return new DataDirectories(root(id), root(id)).snapshots();
    }

    private List<Path> snapshots(int id) {
        try {
            return DataFiles.snapshots(directory(id));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void check(int id) {
        try {
            checkSnapshots(id);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        DrivenServer server = replicas.apply(id).server();
        int connections = server.server().getNumAliveConnections();
        atMost(id, "queues of requests", server.requestQueues(), connections, List.of());
    }

    private void checkSnapshots(int id) throws IOException {
        List<Path> snapshots = snapshots(id);
        atMost(id, "snapshots", snapshots.size(), snapshotsKept, snapshots);
        long oldest = DataFiles.snapshotZxid(snapshots.get(snapshots.size() - 1));
        List<Path> needed = DataFiles.logs(directory(id), oldest);
        List<Path> logs = DataFiles.logs(directory(id), 0);
        atMost(id, "transaction logs since the oldest snapshot", logs.size(), needed.size(), logs);
        Path ordering = root(id).resolve(OrderingConfig.ORDERING_DIRECTORY);
        Path ofCheckpoints = ordering.resolve(CheckpointStore.DIRECTORY);
        // One more of a snapshot that has not its name yet, and the one of the log.
        List<Path> checkpoints = named(ofCheckpoints, name -> !name.endsWith(AtomicFile.TEMPORARY_SUFFIX));
        atMost(id, "checkpoints", checkpoints.size(), snapshotsKept + 2, checkpoints);
        for (Path each : List.of(root(id), directory(id), ordering, ofCheckpoints)) {
            // One that is being written now.
            List<Path> temporary = named(each, name -> name.endsWith(AtomicFile.TEMPORARY_SUFFIX));
            atMost(id, "temporary files", temporary.size(), 1, temporary);
        }
    }

    private static List<Path> named(Path directory, Predicate<String> isMeant) throws IOException {
        List<Path> files = new ArrayList<>();
        if (Files.isDirectory(directory)) {
            for (Path file : DataFiles.all(directory)) {
                if (isMeant.test(file.getFileName().toString())) {
                    files.add(file.getFileName());
                }
            }
        }
        return files;
    }

    private static void atMost(int id, String what, long held, long bound, List<Path> files) {
        InvariantViolated.check(
                held <= bound, "growth: server %d has %d %s, the bound is %d: %s", id, held, what, bound, files);
    }
}
