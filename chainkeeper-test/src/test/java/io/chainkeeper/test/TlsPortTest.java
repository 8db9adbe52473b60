package io.chainkeeper.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.zookeeper.ClientCnxnSocketNetty;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients of {@code secureClientPort} are clients like all others. */
class TlsPortTest {
    private static final String PASSWORD = "not-a-secret";

    @TempDir
    static Path directory;

    private static Path store;
    private static Path trusted;

    @BeforeAll
    static void createStores() throws Exception {
        store = directory.resolve("server.p12");
        trusted = directory.resolve("server.pem");
        keytool("-genkeypair", "-dname", "CN=server", "-ext", "san=ip:127.0.0.1,dns:localhost", "-keyalg", "EC");
        keytool("-exportcert", "-rfc", "-file", trusted.toString());
    }

    private static void keytool(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        command.addAll(List.of(arguments));
        command.addAll(List.of("-alias", "server", "-keystore", store.toString(), "-storepass", PASSWORD));
        assertEquals(0, new ProcessBuilder(command).start().waitFor());
    }

    private static ChainkeeperCluster start(int port) throws Exception {
        return ChainkeeperCluster.builder()
                .setting("secureClientPort", Integer.toString(port))
                .setting("ssl.keyStore.location", store.toString())
                .setting("ssl.keyStore.password", PASSWORD)
                .setting("ssl.trustStore.location", trusted.toString())
                .setting("ssl.clientAuth", "none")
                .start();
    }

    private static ZooKeeper connect(int port) throws Exception {
        ZKClientConfig config = new ZKClientConfig();
        config.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
        config.setProperty(ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, ClientCnxnSocketNetty.class.getName());
        config.setProperty("zookeeper.ssl.trustStore.location", trusted.toString());
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper client = new ZooKeeper(
                "127.0.0.1:" + port,
                Clients.TIMEOUT_MILLIS,
                event -> {
                    if (event.getState() == KeeperState.SyncConnected) {
                        connected.countDown();
                    }
                },
                config);
        assertTrue(connected.await(30, TimeUnit.SECONDS), "not connected");
        return client;
    }

    @Test
    void connectedClient_keepsItsSessionWhenTheClocksAreMovedOn() throws Exception {
        int port = InstanceSpec.getRandomPort();
        try (ChainkeeperCluster cluster = start(port);
                ZooKeeper client = connect(port)) {
            cluster.advanceTime(Duration.ofSeconds(25));
            assertTrue(cluster.hasSession(client.getSessionId()), "its timeout is 10 s");
        }
    }

    @Test
    void connectedClient_isFoundAtItsServer() throws Exception {
        int port = InstanceSpec.getRandomPort();
        try (ChainkeeperCluster cluster = start(port);
                ZooKeeper client = connect(port)) {
            assertSame(cluster.server(1), cluster.serverOf(client));
        }
    }

    @Test
    void pausedServer_answersNobody() throws Exception {
        int port = InstanceSpec.getRandomPort();
        try (ChainkeeperCluster cluster = start(port);
                ZooKeeper client = connect(port)) {
            cluster.server(1).pause();
            CompletableFuture<Void> answered = new CompletableFuture<>();
            client.exists("/a", false, (code, path, context, stat) -> answered.complete(null), null);
            assertFalse(Await.within(Duration.ofSeconds(1), answered::isDone));
            cluster.server(1).resume();
            assertTrue(Await.within(Duration.ofSeconds(20), answered::isDone));
        }
    }

    @Test
    void closedEnsemble_leavesNoThread() throws Exception {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        int port = InstanceSpec.getRandomPort();
        try (ChainkeeperCluster cluster = start(port);
                ZooKeeper client = connect(port)) {
            client.exists("/a", false);
        }
        assertTrue(
                Await.within(Duration.ofSeconds(5), () -> since(before).isEmpty()),
                () -> "threads are left: " + since(before));
    }

    private static Set<String> since(Set<Thread> before) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !before.contains(thread))
                .map(Thread::getName)
                .collect(Collectors.toSet());
    }
}
