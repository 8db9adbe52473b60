package io.chainkeeper.clienttests.change;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Combinations;
import io.chainkeeper.clienttests.harness.Combinations.DrawnWith;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.TreeDump;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.admin.ZooKeeperAdmin;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.data.Stat;
import org.junit.Assume;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/**
 * Settings that one server after the other is restarted with, while clients write. Those that only execution sees are
 * drawn with one protocol each ({@link Combinations}). {@code -Densemble.protocol=disk}
 * runs it with shared disks.
 */
@RunWith(Parameterized.class)
public class RollingSettingsTest {
    private static final int MIB = 1 << 20;

    /** Of a client that tries something all the time: beside one that does nothing else, servers start slowly. */
    private static final Duration PAUSE = Duration.ofMillis(25);

    /** Sixteen of the longest batches with the jute.maxbuffer that servers come to have. */
    private static final int RING_FOR_LARGE_REQUESTS = 136 * MIB;

    private static final String QUOTA = "/zookeeper/quota/limited";
    private static final String ALICE = "alice:secret";

    private final Ensemble ensemble;

    @Rule(order = -1)
    public final TestRule drawn;

    @Rule(order = 0)
    public final TestRule servers;

    @Rule(order = 1)
    public final TestRule limit;

    public RollingSettingsTest(String protocol) {
        Ensemble.Builder builder = Ensemble.named("rolling-settings-" + protocol)
                .set("ordering.protocol", protocol)
                .set("ordering.digestAuditSeconds", "2");
        if (protocol.equals("disk")) {
            builder.set("disk.regionBytes", Integer.toString(RING_FOR_LARGE_REQUESTS))
                    .set("disk.slots", "4");
        }
        ensemble = builder.build();
        drawn = Combinations.drawn(protocol, protocols());
        servers = ensemble.startedByTheTest();
        limit = ensemble.testLimit(300);
    }

    @Parameters(name = "{0}")
    public static List<String> protocols() {
        String asked = Ensemble.defaultProtocol();
        return List.of("zab", "disk").contains(asked) ? List.of(asked) : List.of("chain", "iss");
    }

    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final AtomicInteger written = new AtomicInteger();
    private final AtomicInteger permitted = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private volatile boolean over;

    @Before
    public void startEnsemble() throws Exception {
        Assume.assumeFalse("the stock server has no order", ensemble.isStock());
        ensemble.start();
        try (ZooKeeper client = Clients.connect(ensemble.connectString())) {
            for (String path : List.of("/counter", "/limited", "/large", "/zookeeper/quota/limited")) {
                client.create(path, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            }
            client.create(
                    QUOTA + "/zookeeper_limits",
                    "count=-1,bytes=-1=;byteHardLimit=100;countHardLimit=-1".getBytes(),
                    Ids.OPEN_ACL_UNSAFE,
                    CreateMode.PERSISTENT);
            client.create(
                    QUOTA + "/zookeeper_stats",
                    "count=0,bytes=0".getBytes(),
                    Ids.OPEN_ACL_UNSAFE,
                    CreateMode.PERSISTENT);
        }
    }

    private void restart(ServerProcess server, String... flags) throws Exception {
        server.terminate();
        server.jvmFlags(flags);
        server.start();
        server.awaitServing();
    }

    @Test
    public void largerRequestsQuotasAndSessionEnds_changeServerByServer() throws Exception {
        Thread writer = new Thread(this::writeAllTheTime, "writer");
        writer.start();
        String[] flags = {
            "-Djute.maxbuffer=" + 4 * MIB, "-Dzookeeper.enforceQuota=true", "-Dzookeeper.closeSessionTxn.enabled=false"
        };
        ServerProcess first = ensemble.server(1);
        restart(first, flags);
        try (ZooKeeper client = Clients.connect(first.connectString())) {
            client.create("/large/at-first", new byte[3 * MIB / 2], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            assertThrows(
                    "the others could not read that back",
                    KeeperException.MarshallingErrorException.class,
                    () -> client.create("/large/too", new byte[3 * MIB], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));
            assertThrows(
                    KeeperException.QuotaExceededException.class, () -> client.setData("/limited", new byte[101], -1));
        }
        try (ZooKeeper client = Clients.connect(ensemble.server(2).connectString())) {
            assertEquals(3 * MIB / 2, client.exists("/large/at-first", false).getDataLength());
            client.setData("/limited", new byte[102], -1);
            client.create("/ephemeral", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
        }
        Await.counts("written", written, failure);
        restart(ensemble.server(2), flags);
        Await.counts("written", written, failure);
        restart(ensemble.server(3), flags);
        Await.counts("written", written, failure);
        for (ServerProcess server : ensemble.servers()) {
            try (ZooKeeper client = Clients.connect(server.connectString())) {
                client.create(
                        "/large/of-" + server.id(), new byte[3 * MIB], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
                assertThrows(
                        KeeperException.QuotaExceededException.class,
                        () -> client.setData("/limited", new byte[103], -1));
            }
        }
        over = true;
        writer.join();
        assertNull(failure.get());
        assertEqualEverywhere(List.of("at-first", "of-1", "of-2", "of-3"));
    }

    @Test
    @DrawnWith("chain")
    public void rightsAndDigests_changeServerByServer() throws Exception {
        String[] flags = {
            "-Dzookeeper.skipACL=yes",
            "-Dzookeeper.DigestAuthenticationProvider.enabled=false",
            "-Dzookeeper.letAnySaslUserDoX=alice",
            "-Dzookeeper.X509AuthenticationProvider.superUser=CN=alice"
        };
        Thread writer = new Thread(this::writeAllTheTime, "writer");
        Thread stranger = new Thread(this::tryAllTheTime, "stranger");
        writer.start();
        createLocked();
        stranger.start();
        for (ServerProcess server : ensemble.servers()) {
            restart(server, flags);
            // What the others have ordered under the old settings in the meantime is replayed under the new ones.
            server.kill();
            server.start();
            server.awaitServing();
            assertRights(server, true);
            for (ServerProcess later : ensemble.servers().subList(server.id(), 3)) {
                assertRights(later, false);
            }
        }
        Await.counts("permitted", permitted, failure);
        for (ServerProcess server : ensemble.servers()) {
            restart(server);
            assertRights(server, false);
        }
        Await.counts("refused", refused, failure);
        over = true;
        writer.join();
        stranger.join();
        assertNull(failure.get());
        assertEqualEverywhere(List.of());
        assertAudited();
    }

    private void assertAudited() throws Exception {
        for (ServerProcess server : ensemble.servers()) {
            long audited = server.gauge("ordering_audit_position");
            Await.until("an audit of what the servers have now", Duration.ofSeconds(60), () -> {
                write();
                return server.gauge("ordering_audit_position") > audited;
            });
            assertEquals(0, server.gauge("ordering_diverged"));
            assertEquals(0, server.gauge("ordering_audit_differing_replicas"));
        }
    }

    @Test
    @DrawnWith("iss")
    public void timesToLive_areOfferedServerByServer() throws Exception {
        Thread writer = new Thread(this::writeAllTheTime, "writer");
        writer.start();
        String reaps = "-Dznode.container.checkIntervalMs=100";
        for (ServerProcess server : ensemble.servers()) {
            restart(
                    server,
                    reaps,
                    "-Dzookeeper.extendedTypesEnabled=true",
                    "-Dzookeeper.emulate353TTLNodes=" + (server.id() == 2));
            server.kill();
            server.start();
            server.awaitServing();
            assertTimesToLive(server, true);
            for (ServerProcess later : ensemble.servers().subList(server.id(), 3)) {
                assertTimesToLive(later, false);
            }
        }
        try (ZooKeeper client = Clients.connect(ensemble.server(3).connectString())) {
            createFor(client, "/short", 5_000);
        }
        for (ServerProcess server : ensemble.servers()) {
            restart(server, reaps);
            assertTimesToLive(server, false);
        }
        try (ZooKeeper client = Clients.connect(ensemble.connectString())) {
            Await.until("its time is over", Duration.ofSeconds(60), () -> client.exists("/short", false) == null);
            assertEquals(3, client.getChildren("/large", false).size());
        }
        over = true;
        writer.join();
        assertNull(failure.get());
        assertEqualEverywhere(List.of("for-1", "for-2", "for-3"));
        assertAudited();
    }

    @Test
    @DrawnWith("chain")
    public void digestsSwitchedOff_areKeptServerByServer() throws Exception {
        Thread writer = new Thread(this::writeAllTheTime, "writer");
        writer.start();
        for (String flag : List.of("-Dzookeeper.digest.enabled=false", "-Dzookeeper.digest.enabled=true")) {
            for (ServerProcess server : ensemble.servers()) {
                restart(server, flag);
                server.kill();
                server.start();
                server.awaitServing();
            }
            assertAudited();
        }
        over = true;
        writer.join();
        assertNull(failure.get());
        assertEqualEverywhere(List.of());
        assertAudited();
    }

    @Test
    @DrawnWith("iss")
    public void encodings_changeServerByServer() throws Exception {
        createLocked();
        Thread writer = new Thread(this::writeAllTheTime, "writer");
        writer.start();
        for (String encoding : List.of("ISO-8859-1", "UTF-8")) {
            for (ServerProcess server : ensemble.servers()) {
                restart(server, "-Dfile.encoding=" + encoding);
                server.kill();
                server.start();
                server.awaitServing();
                try (ZooKeeper client = Clients.connect(server.connectString())) {
                    String path = "/limited/gr\u00fc\u00df-" + encoding + server.id();
                    client.create(path, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
                }
                int withUtf8 = encoding.equals("UTF-8") ? server.id() : 3 - server.id();
                assertEquals(0, server.gauge("ordering_diverged"));
                if (withUtf8 >= 2) {
                    assertAudited();
                }
            }
        }
        over = true;
        writer.join();
        assertNull(failure.get());
        assertEqualEverywhere(List.of());
        assertAudited();
    }

    private static void assertTimesToLive(ServerProcess server, boolean offered) throws Exception {
        try (ZooKeeper client = Clients.connect(server.connectString())) {
            if (offered) {
                createFor(client, "/large/for-" + server.id(), 3_600_000);
                return;
            }
            assertThrows(KeeperException.UnimplementedException.class, () -> createFor(client, "/large/none", 1));
            KeeperException refused = assertThrows(
                    KeeperException.class,
                    () -> client.multi(List.of(
                            Op.setData("/large", null, -1),
                            Op.create("/large/n", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_WITH_TTL, 1))));
            assertEquals(KeeperException.Code.UNIMPLEMENTED, refused.code());
        }
    }

    private static void createFor(ZooKeeper client, String path, long timeToLiveMillis) throws Exception {
        CreateMode mode = CreateMode.PERSISTENT_WITH_TTL;
        client.create(path, null, Ids.OPEN_ACL_UNSAFE, mode, new Stat(), timeToLiveMillis);
    }

    private void createLocked() throws Exception {
        try (ZooKeeper client = Clients.connect(ensemble.connectString())) {
            client.addAuthInfo("digest", ALICE.getBytes());
            List<ACL> locked =
                    Arrays.asList(new ACL(Perms.ALL, new Id("auth", "")), new ACL(Perms.READ, Ids.ANYONE_ID_UNSAFE));
            client.create("/locked", null, locked, CreateMode.PERSISTENT);
            client.create("/locked/gr\u00fc\u00df", null, locked, CreateMode.PERSISTENT);
        }
    }

    /** What a server's own clients may do, and what it takes from them, is a matter of its own settings. */
    private static void assertRights(ServerProcess server, boolean changed) throws Exception {
        try (ZooKeeper client = Clients.connect(server.connectString())) {
            String path = "/locked/gr\u00fc\u00df";
            List<ACL> bearsDigest = Arrays.asList(new ACL(Perms.ALL, new Id("digest", "alice:hash")));
            if (changed) {
                client.setData(path, new byte[] {(byte) server.id()}, -1);
                client.create("/locked/by-", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_SEQUENTIAL);
                assertThrows(KeeperException.InvalidACLException.class, () -> client.setACL(path, bearsDigest, -1));
                assertRefusesAlice(server);
            } else {
                assertThrows(KeeperException.NoAuthException.class, () -> client.setData(path, new byte[1], -1));
                assertThrows(
                        KeeperException.NoAuthException.class,
                        () -> client.multi(List.of(Op.check("/", -1), Op.setData(path, null, -1))));
                client.create("/limited/by-", null, bearsDigest, CreateMode.EPHEMERAL_SEQUENTIAL);
                client.addAuthInfo("digest", ALICE.getBytes());
                client.setData(path, new byte[] {2}, -1);
            }
        }
    }

    private static void assertRefusesAlice(ServerProcess server) throws Exception {
        try (ZooKeeper alice = Clients.connect(server.connectString())) {
            alice.addAuthInfo("digest", ALICE.getBytes());
            assertThrows(KeeperException.AuthFailedException.class, () -> alice.exists("/", false));
        }
    }

    @Test
    public void reconfig_changesServerByServer() throws Exception {
        Thread writer = new Thread(this::writeAllTheTime, "writer");
        writer.start();
        ServerProcess joiner = ensemble.addServer("participant");
        for (ServerProcess server : ensemble.servers().subList(0, 3)) {
            assertReconfigIsDisabled(server);
            server.configure(Map.of("reconfigEnabled", "true"));
            restart(server, "-Dzookeeper.skipACL=yes");
            try (ZooKeeperAdmin admin = Clients.admin(server.connectString())) {
                Await.until("the first configuration", Duration.ofSeconds(60), () -> isEnabled(admin));
                int other = server.id() % 3 + 1;
                assertConfigured(admin, null, Integer.toString(other));
                assertConfigured(admin, ensemble.serverLine(other, "participant"), null);
                ensemble.server(other).awaitServing();
            }
        }
        joiner.start();
        Await.until(
                "server 4 waits to be added",
                Duration.ofSeconds(60),
                () -> joiner.lastLogLines(200).stream().anyMatch(line -> line.contains("listens for its peers")));
        try (ZooKeeperAdmin admin = Clients.admin(ensemble.server(3).connectString())) {
            assertConfigured(admin, ensemble.serverLine(4, "participant"), null);
        }
        joiner.awaitServing();
        assertReconfigIsDisabled(joiner);
        for (ServerProcess server : ensemble.servers().subList(0, 3)) {
            server.configure(Map.of("reconfigEnabled", "false"));
            restart(server);
            assertReconfigIsDisabled(server);
        }
        over = true;
        writer.join();
        assertNull(failure.get());
        assertEqualEverywhere(List.of());
        for (ServerProcess server : ensemble.servers()) {
            try (ZooKeeper client = Clients.connect(server.connectString())) {
                String config = new String(client.getConfig(false, null), StandardCharsets.UTF_8);
                assertTrue(config, config.contains("server.4="));
            }
        }
    }

    private static void assertConfigured(ZooKeeperAdmin admin, String joining, String leaving) throws Exception {
        byte[] config = admin.reconfigure(joining, leaving, null, -1, new Stat());
        String text = new String(config, StandardCharsets.UTF_8);
        assertEquals(text, joining != null, text.contains(joining == null ? "server." + leaving + "=" : joining));
    }

    private static void assertReconfigIsDisabled(ServerProcess server) throws Exception {
        try (ZooKeeperAdmin admin = Clients.admin(server.connectString())) {
            assertThrows(
                    KeeperException.ReconfigDisabledException.class,
                    () -> admin.reconfigure(null, "2", null, -1, new Stat()));
        }
    }

    private static boolean isEnabled(ZooKeeperAdmin admin) throws Exception {
        try {
            admin.reconfigure(null, "2", null, 12345, new Stat());
            throw new AssertionError("reconfigured although the version is wrong");
        } catch (KeeperException.BadVersionException e) {
            return true;
        } catch (KeeperException.ReconfigInProgress e) {
            return false;
        }
    }

    /** Without an identity: it depends on the server whether that is permitted. */
    private void tryAllTheTime() {
        try (ZooKeeper client = Clients.connect(ensemble.connectString())) {
            while (!over) {
                Await.pass(PAUSE);
                try {
                    client.setData("/locked", new byte[permitted.get() % 100], -1);
                    permitted.incrementAndGet();
                } catch (KeeperException.NoAuthException e) {
                    refused.incrementAndGet();
                } catch (KeeperException.ConnectionLossException e) {
                    Thread.yield();
                }
            }
        } catch (Exception e) {
            failure.set(e);
        }
    }

    private void write() throws Exception {
        try (ZooKeeper client = Clients.connect(ensemble.connectString())) {
            client.setData("/counter", null, -1);
        }
    }

    /** Also after a start that replays what was written under the old settings and under the new ones. */
    private void assertEqualEverywhere(List<String> larges) throws Exception {
        ensemble.killAll();
        ensemble.startAll();
        ensemble.awaitCaughtUp();
        try (ZooKeeper client = Clients.connect(ensemble.connectString())) {
            for (String large : larges) {
                assertNotNull(client.exists("/large/" + large, false));
                client.delete("/large/" + large, -1);
            }
        }
        ensemble.awaitCaughtUp();
        List<String> lines = TreeDump.of(ensemble.server(1)).lines();
        for (ServerProcess server : ensemble.servers()) {
            assertEquals("server " + server.id(), lines, TreeDump.of(server).lines());
            assertEquals(0, server.gauge("ordering_diverged"));
            assertEquals(0, server.gauge("ordering_audit_undecided"));
        }
    }

    private void writeAllTheTime() {
        try (ZooKeeper client = Clients.connect(ensemble.connectString())) {
            while (!over) {
                Await.pass(PAUSE);
                try {
                    client.setData("/counter", new byte[written.get() % 1000], -1);
                    written.incrementAndGet();
                } catch (KeeperException.ConnectionLossException e) {
                    // The server that it is connected to is being restarted; the client finds another one.
                    Thread.yield();
                }
            }
        } catch (Exception e) {
            failure.set(e);
        }
    }
}
