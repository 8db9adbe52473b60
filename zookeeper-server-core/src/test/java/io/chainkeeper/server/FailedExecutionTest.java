package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.server.bootstrap.ChainkeeperServer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.server.RequestThrottler;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** A command fails half-way while reads wait for it. */
public class FailedExecutionTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private TestEnsemble ensemble;

    @Before
    public void startEnsemble() throws Exception {
        ensemble = new TestEnsemble(folder.getRoot().toPath(), 1, ReadConsistency.SEQUENTIAL, Map.of()).startAll();
    }

    @After
    public void stopEnsemble() throws Exception {
        RequestThrottler.setMaxRequests(0);
        // One that hangs would keep its closing waiting for ever.
        TestEnsemble.awaitShutdown("a command has failed", ensemble.replica(1));
        ensemble.close();
    }

    /** Stands for whatever can be wrong with a replica: the apply thread runs it while it executes a command. */
    private static final class FailsWhenTold implements Watcher {
        private final CountDownLatch executing = new CountDownLatch(1);
        private final CountDownLatch told = new CountDownLatch(1);

        @Override
        public void process(WatchedEvent event) {
            executing.countDown();
            try {
                told.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            throw new IllegalStateException("a fault in the middle of a command");
        }
    }

    private static boolean waitsForExecution(Thread thread) {
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (frame.getClassName().endsWith("ExecutionLock") && thread.getState() == Thread.State.WAITING) {
                return true;
            }
        }
        return false;
    }

    private void assertStopsAlthoughAReadWaits() throws Exception {
        ZooKeeper writer = ensemble.client(1);
        ZooKeeper reader = ensemble.client(1);
        writer.create("/a", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        ChainkeeperServer replica = ensemble.replica(1);
        FailsWhenTold fault = new FailsWhenTold();
        replica.server().getZKDatabase().getDataTree().getData("/a", new Stat(), fault);
        writer.setData("/a", new byte[1], -1, (rc, path, context, stat) -> {}, null);
        fault.executing.await();
        CompletableFuture<Integer> read = new CompletableFuture<>();
        reader.getData("/a", false, (rc, path, context, data, stat) -> read.complete(rc), null);
        TestEnsemble.await(
                "the read waits",
                () -> Thread.getAllStackTraces().keySet().stream().anyMatch(FailedExecutionTest::waitsForExecution));
        fault.told.countDown();
        assertEquals(1, TestEnsemble.awaitShutdown("a command has failed", replica));
        assertEquals(
                "half a command is not shown",
                Code.CONNECTIONLOSS,
                Code.get(read.get(TestEnsemble.DEADLINE_SECONDS, TimeUnit.SECONDS)));
        TestEnsemble.await(
                "no thread is left",
                () -> Thread.getAllStackTraces().keySet().stream().noneMatch(FailedExecutionTest::waitsForExecution));
    }

    @Test
    public void readWaitsOnItsConnectionsThread_replicaStopsAndNobodyIsLeftWaiting() throws Exception {
        assertStopsAlthoughAReadWaits();
    }

    @Test
    public void readWaitsInTheThrottle_replicaStops() throws Exception {
        RequestThrottler.setMaxRequests(1_000);
        assertStopsAlthoughAReadWaits();
    }
}
