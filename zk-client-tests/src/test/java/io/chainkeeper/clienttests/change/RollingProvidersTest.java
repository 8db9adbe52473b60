package io.chainkeeper.clienttests.change;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Combinations;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.TreeDump;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.junit.Assume;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/**
 * A provider of the user's own is added and removed, one server after the other, while clients use its scheme. With one
 * protocol, because only execution sees it, or with all ({@link Combinations}).
 */
@RunWith(Parameterized.class)
public class RollingProvidersTest {
    private static final String KEY_PROVIDER = "org.apache.zookeeper.server.auth.KeyAuthenticationProvider";
    private static final List<ACL> BY_KEY =
            Arrays.asList(new ACL(Perms.ALL, new Id("key", "")), new ACL(Perms.READ, Ids.ANYONE_ID_UNSAFE));

    /** Of the client that tries all the time: beside one that does nothing else, servers start slowly. */
    private static final Duration PAUSE = Duration.ofMillis(10);

    private final Ensemble ensemble;

    @Rule(order = 0)
    public final TestRule servers;

    @Rule(order = 1)
    public final TestRule limit;

    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final AtomicInteger taken = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private volatile boolean over;

    public RollingProvidersTest(String protocol) {
        ensemble = Ensemble.named("rolling-providers-" + protocol)
                .set("ordering.protocol", protocol)
                .set("ordering.digestAuditSeconds", "2")
                .build();
        servers = ensemble.startedByTheTest();
        limit = ensemble.testLimit(300);
    }

    @Parameters(name = "{0}")
    public static List<String> protocols() {
        String asked = Ensemble.defaultProtocol();
        return Combinations.areAllAsked() ? List.of("chain", "iss", "disk") : List.of(asked);
    }

    @Before
    public void startEnsemble() throws Exception {
        Assume.assumeFalse("the stock server has no order", ensemble.isStock());
        ensemble.start();
        try (ZooKeeper client = Clients.connect(ensemble.connectString())) {
            client.create("/by-key", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            client.create("/tried", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
    }

    @Test
    public void providerIsAddedAndRemovedServerByServer_itsSchemeCountsWhileAllHaveIt() throws Exception {
        Thread client = new Thread(this::createAllTheTime, "client");
        client.start();
        for (ServerProcess server : ensemble.servers()) {
            assertKeyCounts(server, false);
            restart(server, KEY_PROVIDER);
        }
        for (ServerProcess server : ensemble.servers()) {
            assertKeyCounts(server, true);
        }
        Await.counts("taken", taken, failure);
        for (ServerProcess server : ensemble.servers()) {
            restart(server, null);
            for (ServerProcess other : ensemble.servers()) {
                assertKeyCounts(other, false);
            }
        }
        Await.counts("refused", refused, failure);
        over = true;
        client.join();
        assertNull(failure.get());
        assertEqualEverywhere();
    }

    private void restart(ServerProcess server, String provider) throws Exception {
        server.terminate();
        Map<String, String> line = new HashMap<>();
        line.put("authProvider.key", provider);
        server.configure(line);
        server.start();
        server.awaitServing();
        // What the others have ordered in the meantime is replayed with the other set of providers.
        server.kill();
        server.start();
        server.awaitServing();
    }

    private static void assertKeyCounts(ServerProcess server, boolean counts) throws Exception {
        try (ZooKeeper client = Clients.connect(server.connectString());
                ZooKeeper nobody = Clients.connect(server.connectString())) {
            if (counts) {
                client.addAuthInfo("key", new byte[0]);
                String path = client.create("/by-key/node-", null, BY_KEY, CreateMode.PERSISTENT_SEQUENTIAL);
                client.setData(path, new byte[] {1}, -1);
                assertThrows(KeeperException.NoAuthException.class, () -> nobody.setData(path, null, -1));
                return;
            }
            assertThrows(
                    KeeperException.InvalidACLException.class,
                    () -> nobody.create("/by-key/node-", null, BY_KEY, CreateMode.PERSISTENT_SEQUENTIAL));
            for (String child : nobody.getChildren("/by-key", false)) {
                assertThrows(KeeperException.NoAuthException.class, () -> nobody.setData("/by-key/" + child, null, -1));
            }
        }
    }

    /** Without an identity, and it depends on what all servers know whether the access list is taken. */
    private void createAllTheTime() {
        try (ZooKeeper client = Clients.connect(ensemble.connectString())) {
            while (!over) {
                Await.pass(PAUSE);
                try {
                    client.create("/tried/node", null, BY_KEY, CreateMode.EPHEMERAL);
                    client.setData("/tried/node", new byte[1], -1);
                    throw new AssertionError("permitted without an identity");
                } catch (KeeperException.NoAuthException | KeeperException.NodeExistsException e) {
                    taken.incrementAndGet();
                    delete(client);
                } catch (KeeperException.InvalidACLException e) {
                    refused.incrementAndGet();
                } catch (KeeperException.ConnectionLossException | KeeperException.NoNodeException e) {
                    Thread.yield();
                }
            }
        } catch (Exception | AssertionError e) {
            failure.set(e);
        }
    }

    private static void delete(ZooKeeper client) throws Exception {
        try {
            client.delete("/tried/node", -1);
        } catch (KeeperException.ConnectionLossException | KeeperException.NoNodeException e) {
            Thread.yield(); // Found again with the next create, if it is still there.
        }
    }

    /** Also after a start that replays what was ordered while the scheme counted, and while it did not. */
    private void assertEqualEverywhere() throws Exception {
        ensemble.killAll();
        ensemble.startAll();
        ensemble.awaitCaughtUp();
        List<String> lines = TreeDump.of(ensemble.server(1)).lines();
        for (ServerProcess server : ensemble.servers()) {
            assertEquals("server " + server.id(), lines, TreeDump.of(server).lines());
            assertEquals(0, server.gauge("ordering_diverged"));
            assertEquals(0, server.gauge("ordering_audit_undecided"));
        }
    }
}
