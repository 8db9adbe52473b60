package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertThrows;

import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.proto.SetWatches;
import org.junit.AfterClass;
import org.junit.Before;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Clients of a server may have {@code ordering.maxWatches} watches, and never believe in one that is not set. */
public class WatchBoundTest {
    private static final int BOUND = 5;
    private static final long LIMIT_SECONDS = 30;

    @ClassRule
    public static final TemporaryFolder FOLDER = new TemporaryFolder();

    private static TestEnsemble ensemble;
    private ZooKeeper client;

    @BeforeClass
    public static void startEnsemble() throws Exception {
        ensemble = new TestEnsemble(FOLDER.getRoot().toPath(), 3)
                .withMaxWatches(BOUND)
                .startAll();
    }

    @AfterClass
    public static void stopEnsemble() throws Exception {
        ensemble.close();
    }

    @Before
    public void connect() throws Exception {
        TestEnsemble.await(
                "no watches are left of earlier tests",
                () -> ensemble.server(1).getZKDatabase().getDataTree().getWatchCount() == 0);
        client = ensemble.client(1);
    }

    private interface Call {
        void run() throws Exception;
    }

    private static void assertRefused(Call call) {
        KeeperException refusal = assertThrows(KeeperException.class, call::run);
        assertEquals(Code.THROTTLEDOP, refusal.code());
    }

    private void fill() throws Exception {
        for (int i = 0; i < BOUND; i++) {
            client.exists("/not-there-" + i, event -> {});
        }
    }

    @Test
    public void readBeyondTheBound_isRefusedAndWithoutItsWatchAnswered() throws Exception {
        fill();
        assertRefused(() -> client.exists("/other", event -> {}));
        assertRefused(() -> client.getData("/", event -> {}, null));
        assertRefused(() -> client.getChildren("/", event -> {}));
        assertRefused(() -> client.getChildren("/", event -> {}, null));
        assertRefused(() -> client.addWatch("/other", event -> {}, AddWatchMode.PERSISTENT));
        assertNotNull(client.getData("/", false, null));
        assertNotNull(client.getChildren("/", false));
        client.exists("/not-there-0", event -> {});
        client.close();
    }

    @Test
    public void watchThatFired_makesRoom() throws Exception {
        CountDownLatch fired = new CountDownLatch(1);
        fill();
        client.exists("/not-there-0", event -> fired.countDown());
        client.create("/not-there-0", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        fired.await(LIMIT_SECONDS, TimeUnit.SECONDS);
        TestEnsemble.await("there is room for one more", this::mayWatchTheRoot);
        client.delete("/not-there-0", -1);
        client.close();
    }

    private boolean mayWatchTheRoot() {
        try {
            client.getData("/", event -> {}, null);
            return true;
        } catch (KeeperException refusal) {
            assertEquals(Code.THROTTLEDOP, refusal.code());
            return false;
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts this thread", e);
        }
    }

    @Test
    public void watchesOfAClientThatReconnects_areSetOrItsConnectionIsClosed() throws Exception {
        fill();
        try (RawClient other = new RawClient(ensemble.clientPort(1), 10_000)) {
            List<String> brought = Collections.nCopies(BOUND, "/brought");
            other.request(-8, OpCode.setWatches, new SetWatches(0, brought, List.of(), List.of()));
            other.reply();
        }
        try (RawClient other = new RawClient(ensemble.clientPort(1), 10_000)) {
            List<String> brought = Collections.nCopies(2 * BOUND + 1, "/brought");
            other.request(-8, OpCode.setWatches, new SetWatches(0, brought, List.of(), List.of()));
            assertThrows(IOException.class, other::reply);
        }
        client.close();
    }
}
