package io.chainkeeper.server.bootstrap;

import io.chainkeeper.config.DataDirectories;
import io.chainkeeper.server.TestEnsemble;
import io.chainkeeper.server.guard.ExecutionLock;
import io.chainkeeper.server.storage.DataFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class RequestedSnapshotsTest {
    private static final int LIMIT_SECONDS = 30;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private static Object value(Class<?> type, String field, Object of) throws ReflectiveOperationException {
        Field found = type.getDeclaredField(field);
        found.setAccessible(true);
        return found.get(of);
    }

    private static int snapshots(Path directory) {
        try {
            return DataFiles.snapshots(directory).size();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Execution waits for the disk of the transaction log; the thread that orders must not. */
    @Test
    public void orderWantsASnapshotWhileABatchIsExecuted_itDoesNotWaitAndGetsItLater() throws Exception {
        ExecutorService executes = Executors.newSingleThreadExecutor();
        ExecutorService orders = Executors.newSingleThreadExecutor();
        try (TestEnsemble ensemble = new TestEnsemble(folder.getRoot().toPath(), 1).startAll()) {
            ensemble.client(1).create("/a", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            ReplicaLife life = (ReplicaLife) value(ChainkeeperServer.class, "life", ensemble.replica(1));
            ExecutionLock lock = ((ReplicaCore) value(ReplicaLife.class, "core", life)).lock();
            Path directory = ensemble.dataDirectory(1).resolve(DataDirectories.VERSION_DIRECTORY);
            int before = snapshots(directory);
            executes.submit(lock::beginBatch).get(LIMIT_SECONDS, TimeUnit.SECONDS);
            try {
                orders.submit(life.application()::checkpointWanted).get(LIMIT_SECONDS, TimeUnit.SECONDS);
            } finally {
                executes.submit(lock::endBatch).get(LIMIT_SECONDS, TimeUnit.SECONDS);
            }
            TestEnsemble.await("a snapshot", () -> snapshots(directory) > before);
        } finally {
            executes.shutdownNow();
            orders.shutdownNow();
        }
    }
}
