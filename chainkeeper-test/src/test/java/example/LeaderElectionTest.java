package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.chainkeeper.test.junit5.ChainkeeperExtension;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class LeaderElectionTest {
    @RegisterExtension
    static final ChainkeeperExtension ZOOKEEPER = new ChainkeeperExtension(3);

    private static ZooKeeper connect() throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper client = new ZooKeeper(ZOOKEEPER.connectString(), 10_000, event -> {
            if (event.getState() == KeeperState.SyncConnected) {
                connected.countDown();
            }
        });
        connected.await();
        return client;
    }

    @Test
    void leaderWhoseSessionEnds_isReplaced() throws Exception {
        try (ZooKeeper first = connect();
                ZooKeeper second = connect()) {
            first.create("/leader", new byte[] {1}, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
            ZOOKEEPER.cluster().expireSession(first);
            second.create("/leader", new byte[] {2}, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
        }
    }

    @Test
    void clients_survive_theEndOfTheirServer() throws Exception {
        try (ZooKeeper client = connect()) {
            client.create("/config", new byte[] {1}, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            int id = ZOOKEEPER.cluster().serverOf(client).id();
            ZOOKEEPER.cluster().kill(id);
            while (true) {
                try {
                    assertEquals(1, client.getData("/config", false, null)[0]);
                    break;
                } catch (KeeperException.ConnectionLossException e) {
                    // the client finds another server by itself
                }
            }
            ZOOKEEPER.cluster().server(id).start();
            ZOOKEEPER.cluster().awaitServing();
        }
    }

    @Test
    void offers_endWithTheirTime() throws Exception {
        try (ZooKeeper client = connect()) {
            client.create("/offer", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_WITH_TTL, null, 3_600_000);
            ZOOKEEPER.cluster().advanceTime(Duration.ofMinutes(50));
            assertNotNull(client.exists("/offer", false));
            ZOOKEEPER.cluster().advanceTime(Duration.ofMinutes(15));
            assertNull(client.exists("/offer", false));
        }
    }
}
