package io.chainkeeper.clienttests.change;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.LoadGenerator;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.TreeDump;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.admin.ZooKeeperAdmin;
import org.apache.zookeeper.data.Stat;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** Servers are added, removed and replaced while clients write. */
public class ReconfigTest {
    private static final int WRITES_BETWEEN_CHANGES = 500;
    private static final int LAST_LOG_LINES = 200;
    private static final Duration CHANGE_LIMIT = Duration.ofSeconds(120);

    private final Ensemble ensemble = Ensemble.named("reconfig")
            .set("reconfigEnabled", "true")
            .superUser()
            .build();

    @Rule(order = 0)
    public final TestRule servers = ensemble;

    @Rule(order = 1)
    public final TestRule limit = ensemble.testLimit(400);

    private ZooKeeperAdmin admin(ServerProcess server) throws Exception {
        ZooKeeperAdmin admin = Clients.admin(server.connectString());
        admin.addAuthInfo("digest", Ensemble.SUPER_USER.getBytes(StandardCharsets.UTF_8));
        // Until the order has taken up the first configuration, a change of it counts as one in progress.
        Await.until("the first configuration", CHANGE_LIMIT, () -> isRefusedForItsVersion(admin, "server.9=x:1:2"));
        return admin;
    }

    /** A change waits for a new member only as long as one that is there may take to catch up. */
    private void startJoiner(ServerProcess joiner) throws Exception {
        joiner.start();
        if (!ensemble.isStock()) {
            Await.until(
                    "server " + joiner.id() + " waits to be added",
                    CHANGE_LIMIT,
                    () -> joiner.lastLogLines(LAST_LOG_LINES).stream()
                            .anyMatch(line -> line.contains("listens for its peers")));
        }
    }

    private static String text(byte[] config) {
        return new String(config, StandardCharsets.UTF_8);
    }

    @Test
    public void fourthServerIsAddedUnderLoad_nothingAcknowledgedIsLost() throws Exception {
        try (LoadGenerator load = new LoadGenerator(ensemble);
                ZooKeeperAdmin admin = admin(ensemble.server(2))) {
            load.start();
            load.awaitProgress(WRITES_BETWEEN_CHANGES);
            ServerProcess joiner = ensemble.addServer("participant");
            startJoiner(joiner);
            byte[] config = admin.reconfigure(ensemble.serverLine(joiner.id(), "participant"), null, null, -1, null);
            assertTrue(text(config), text(config).contains("server.4="));
            joiner.awaitServing();
            load.awaitProgress(WRITES_BETWEEN_CHANGES);
            load.stop();
            assertEquals("expired sessions", 0, load.writes().expiredSessionCount());
            load.writes().check(TreeDump.ofAllEqual(ensemble));
            try (ZooKeeper client = Clients.connect(joiner.connectString())) {
                assertArrayEquals(config, client.getConfig(false, null));
            }
        }
    }

    @Test
    public void serverIsRemovedAndAddedAgainUnderLoad_nothingAcknowledgedIsLost() throws Exception {
        ServerProcess leader = ensemble.leader();
        ServerProcess other = ensemble.server(leader.id() == 1 ? 2 : 1);
        try (LoadGenerator load = new LoadGenerator(ensemble);
                ZooKeeperAdmin admin = admin(other)) {
            load.start();
            load.awaitProgress(WRITES_BETWEEN_CHANGES);
            admin.reconfigure(null, Integer.toString(leader.id()), null, -1, null);
            Await.until("the removed leader serves nobody", CHANGE_LIMIT, () -> leader.mode() == null);
            assertTrue("it stays up", leader.isRunning());
            load.awaitProgress(WRITES_BETWEEN_CHANGES);
            admin.reconfigure(ensemble.serverLine(leader.id(), "participant"), null, null, -1, null);
            leader.awaitServing();
            load.awaitProgress(WRITES_BETWEEN_CHANGES);
            load.stop();
            load.writes().check(TreeDump.ofAllEqual(ensemble));
        }
    }

    @Test
    public void killedServerIsReplacedByANewIdUnderLoad_nothingAcknowledgedIsLost() throws Exception {
        ServerProcess dead = ensemble.server(3);
        List<ServerProcess> stay = List.of(ensemble.server(1), ensemble.server(2));
        try (LoadGenerator load = new LoadGenerator(ensemble, stay);
                ZooKeeperAdmin admin = admin(ensemble.server(1))) {
            load.start();
            load.awaitProgress(WRITES_BETWEEN_CHANGES);
            dead.kill();
            ServerProcess joiner = ensemble.addServer("participant");
            startJoiner(joiner);
            String config =
                    text(admin.reconfigure(ensemble.serverLine(joiner.id(), "participant"), "3", null, -1, new Stat()));
            assertFalse(config, config.contains("server.3="));
            joiner.awaitServing();
            load.awaitProgress(WRITES_BETWEEN_CHANGES);
            ensemble.server(2).kill();
            load.awaitProgress(WRITES_BETWEEN_CHANGES);
            ensemble.server(2).start();
            ensemble.server(2).awaitServing();
            load.stop();
            ensemble.forget(dead);
            load.writes().check(TreeDump.ofAllEqual(ensemble));
        }
    }

    @Test
    public void fullListAndRestart_configurationIsKept() throws Exception {
        ServerProcess joiner = ensemble.addServer("participant");
        startJoiner(joiner);
        try (ZooKeeperAdmin admin = admin(ensemble.server(1))) {
            String members = String.join(
                    ",",
                    ensemble.serverLine(1, "participant"),
                    ensemble.serverLine(2, "observer"),
                    ensemble.serverLine(3, "participant"),
                    ensemble.serverLine(4, "participant"));
            byte[] config = admin.reconfigure(null, null, members, 0, null);
            joiner.awaitServing();
            Await.until(
                    "server 2 observes",
                    CHANGE_LIMIT,
                    () -> "observer".equals(ensemble.server(2).mode()));
            // Each server writes it by itself, behind the answer to whoever asked for the change.
            for (ServerProcess server : ensemble.servers()) {
                Await.until(
                        "server " + server.id() + " keeps the configuration",
                        CHANGE_LIMIT,
                        () -> Files.readString(server.configFile()).contains("dynamicConfigFile="));
            }
            ensemble.killAll();
            ensemble.startAll();
            assertEquals("observer", ensemble.server(2).modeOnce());
            for (ServerProcess server : ensemble.servers()) {
                try (ZooKeeper client = Clients.connect(server.connectString())) {
                    assertArrayEquals(config, client.getConfig(false, null));
                }
            }
        }
    }

    @Test
    public void wrongRequests_areRefusedAsByZooKeeper() throws Exception {
        ServerProcess absent = ensemble.addServer("participant");
        String line = ensemble.serverLine(absent.id(), "participant");
        try (ZooKeeperAdmin admin = admin(ensemble.server(1));
                ZooKeeperAdmin nobody = Clients.admin(ensemble.server(2).connectString())) {
            assertTrue(isRefusedForItsVersion(admin, line));
            assertThrows(KeeperException.NoAuthException.class, () -> nobody.reconfigure(line, null, null, -1, null));
            assertThrows(
                    KeeperException.BadArgumentsException.class, () -> admin.reconfigure(null, "2,3", null, -1, null));
            assertThrows(KeeperException.NewConfigNoQuorum.class, () -> admin.reconfigure(line, null, null, -1, null));
            String config = text(admin.getConfig(false, null));
            assertTrue(config, config.endsWith("version=0"));
            nobody.create("/still", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
    }

    private static boolean isRefusedForItsVersion(ZooKeeperAdmin admin, String line) throws Exception {
        try {
            admin.reconfigure(line, null, null, 12345, null);
            throw new AssertionError("reconfigured although the version is wrong");
        } catch (KeeperException.BadVersionException e) {
            return true;
        } catch (KeeperException.ReconfigInProgress e) {
            return false;
        }
    }

    @Test
    public void serverListUpdated_clientMovesToTheNewServer() throws Exception {
        ServerProcess joiner = ensemble.addServer("participant");
        startJoiner(joiner);
        CountDownLatch changed = new CountDownLatch(1);
        try (ZooKeeperAdmin admin = admin(ensemble.server(1));
                ZooKeeper client = Clients.connect(ensemble.server(3).connectString())) {
            client.getConfig(event -> changed.countDown(), null);
            client.create("/mine", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
            long session = client.getSessionId();
            admin.reconfigure(ensemble.serverLine(joiner.id(), "participant"), "3", null, -1, null);
            assertTrue(changed.await(CHANGE_LIMIT.toSeconds(), TimeUnit.SECONDS));
            client.updateServerList(joiner.connectString());
            joiner.awaitServing();
            Await.until("the client is served by the new server", CHANGE_LIMIT, () -> {
                try {
                    return client.exists("/mine", false) != null;
                } catch (KeeperException.ConnectionLossException e) {
                    return false;
                }
            });
            assertEquals(session, client.getSessionId());
            Await.until(
                    "server 3 serves nobody",
                    CHANGE_LIMIT,
                    () -> ensemble.server(3).mode() == null);
            assertNull(client.exists("/nothing", false));
        }
    }
}
