package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.server.connection.NettyConnections;
import io.chainkeeper.server.tls.TlsStores;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.net.ssl.SSLSocket;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.NoAuthException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.ZooKeeper.States;
import org.apache.zookeeper.client.FourLetterWordMain;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ClientX509Util;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.auth.ProviderRegistry;
import org.junit.After;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.slf4j.LoggerFactory;

/** Clients with TLS: a port of their own, the ordinary port, certificates as identities, new certificates. */
public class TlsClientTest {
    private static final String NETTY = "org.apache.zookeeper.server.NettyServerCnxnFactory";
    private static final String KEY_STORE = "zookeeper.ssl.keyStore.location";
    private static final String KEY_PASSWORD = "zookeeper.ssl.keyStore.password";

    @ClassRule
    public static final TemporaryFolder FOLDER = new TemporaryFolder();

    private static TlsStores stores;
    private static Path serverStore;
    private static TestEnsemble ensemble;
    private ZooKeeper client;

    @BeforeClass
    public static void startEnsemble() throws Exception {
        Path directory = FOLDER.getRoot().toPath();
        stores = new TlsStores(directory);
        for (String name : List.of("server", "renewed", "alice", "bob", "stranger")) {
            stores.create(name, "ip:127.0.0.1,dns:localhost");
        }
        serverStore = directory.resolve("current.p12");
        use("server");
        Map<String, String> settings = Map.of(
                "serverCnxnFactory",
                NETTY,
                "client.portUnification",
                "true",
                "ssl.keyStore.location",
                serverStore.toString(),
                "ssl.keyStore.password",
                TlsStores.PASSWORD,
                "ssl.trustStore.location",
                trustStore("alice", "bob"));
        Path data = FOLDER.newFolder("data").toPath();
        ensemble = new TestEnsemble(data, 2, ReadConsistency.LINEARIZABLE, settings).withSecurePorts();
        ensemble.startAll();
    }

    @AfterClass
    public static void stopEnsemble() throws Exception {
        ensemble.close();
        List<String> set = System.getProperties().stringPropertyNames().stream()
                .filter(name -> Stream.of(
                                "zookeeper.ssl.",
                                "zookeeper.client.portUnification",
                                "zookeeper.serverCnxnFactory",
                                "zookeeper.authProvider.")
                        .anyMatch(name::startsWith))
                .toList();
        set.forEach(System::clearProperty);
        ProviderRegistry.reset();
    }

    @After
    public void closeClient() throws Exception {
        if (client != null) {
            client.close(1_000);
        }
        use("server");
    }

    private static void use(String identity) throws IOException {
        Files.copy(store(identity), serverStore, StandardCopyOption.REPLACE_EXISTING);
    }

    private static Path store(String identity) {
        return FOLDER.getRoot().toPath().resolve(identity + ".p12");
    }

    private static String trustStore(String... trusted) throws IOException {
        return stores.config(trusted[0], trusted).getProperty("zookeeper.ssl.quorum.trustStore.location");
    }

    private static ZKClientConfig config(String identity, String... trusted) throws IOException {
        ZKClientConfig config = new ZKClientConfig();
        config.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
        config.setProperty(ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, "org.apache.zookeeper.ClientCnxnSocketNetty");
        config.setProperty(KEY_STORE, store(identity).toString());
        config.setProperty(KEY_PASSWORD, TlsStores.PASSWORD);
        config.setProperty("zookeeper.ssl.trustStore.location", trustStore(trusted));
        return config;
    }

    private ZooKeeper connect(String address, ZKClientConfig config) throws Exception {
        if (client != null) {
            client.close(1_000);
        }
        client = new ZooKeeper(address, 10_000, event -> {}, config);
        ZooKeeper opened = client;
        TestEnsemble.await("the client is connected to " + address, () -> opened.getState() == States.CONNECTED);
        return client;
    }

    @Test(timeout = 120_000)
    public void bytesThatAreNoTls_areLoggedWithTheirSender() throws Exception {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger =
                (Logger) LoggerFactory.getLogger(NettyConnections.class.getPackageName() + ".ConnectionLogging");
        logger.addAppender(log);
        try (HostileClient hostile =
                new HostileClient(Integer.parseInt(ensemble.secureAddress(1).split(":")[1]))) {
            String sender = "127.0.0.1:" + hostile.localPort();
            hostile.say("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            hostile.awaitClosed();
            TestEnsemble.await("a line names " + sender, () -> {
                synchronized (log) {
                    return log.list.stream()
                            .anyMatch(line -> line.getFormattedMessage().contains(sender));
                }
            });
        } finally {
            logger.detachAppender(log);
        }
    }

    /** Opens a connection and says nothing that the server must know; fails if the server keeps it. */
    private static void assertRefused(String address, ZKClientConfig config) throws Exception {
        String[] parts = address.split(":");
        try (ClientX509Util util = new ClientX509Util();
                SSLSocket socket = (SSLSocket) util.createSSLContext(config)
                        .getSocketFactory()
                        .createSocket(parts[0], Integer.parseInt(parts[1]))) {
            socket.setSoTimeout(TestEnsemble.DEADLINE_SECONDS * 1000);
            // With TLS 1.3 only the first read shows that the server has refused the certificate.
            assertThrows(IOException.class, () -> {
                socket.startHandshake();
                if (socket.getInputStream().read() < 0) {
                    throw new IOException("closed");
                }
            });
        }
    }

    @Test(timeout = 120_000)
    public void certificate_isAnIdentityThatAllReplicasKnow() throws Exception {
        ZooKeeper alice = connect(ensemble.secureAddress(1), config("alice", "server"));
        assertTrue(alice.whoAmI().stream().anyMatch(who -> who.getAuthScheme().equals("x509")));
        alice.create("/alices", null, Ids.CREATOR_ALL_ACL, CreateMode.PERSISTENT);
        ACL own = new ACL(31, new Id("x509", "CN=alice"));
        assertEquals(List.of(own), alice.getACL("/alices", null));
        ZooKeeper bob = connect(ensemble.secureAddress(2), config("bob", "server"));
        assertThrows(NoAuthException.class, () -> bob.getData("/alices", false, null));
        assertThrows(NoAuthException.class, () -> bob.setData("/alices", null, -1));
        ZooKeeper plain = ensemble.client(2);
        assertThrows(NoAuthException.class, () -> plain.setData("/alices", null, -1));
        connect(ensemble.secureAddress(2), config("alice", "server")).setData("/alices", new byte[] {1}, 0);
        EnsembleChecks.assertReplicasEqual(ensemble, 2);
    }

    @Test(timeout = 120_000)
    public void certificateThatTheServerDoesNotTrust_isRefused() throws Exception {
        assertRefused(ensemble.secureAddress(1), config("stranger", "server"));
        assertRefused(ensemble.address(1), config("stranger", "server"));
    }

    @Test(timeout = 120_000)
    public void serverThatTheClientDoesNotTrust_isRefused() throws Exception {
        assertRefused(ensemble.secureAddress(1), config("alice", "renewed"));
    }

    @Test(timeout = 120_000)
    public void plainTextOnTheSecurePort_isCutOff() throws Exception {
        int port = Integer.parseInt(ensemble.secureAddress(1).split(":")[1]);
        try (HostileClient hostile = new HostileClient(port)) {
            hostile.say("not a TLS record at all".getBytes());
            hostile.awaitClosed();
        }
        connect(ensemble.secureAddress(1), config("alice", "server"));
    }

    @Test(timeout = 120_000)
    public void unifiedPort_takesPlainAndEncryptedClientsAndFourLetterWords() throws Exception {
        ZooKeeper encrypted = connect(ensemble.address(1), config("alice", "server"));
        ZooKeeper plain = ensemble.client(1);
        encrypted.create("/unified", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        assertEquals(0, plain.exists("/unified", false).getVersion());
        String answer = FourLetterWordMain.send4LetterWord("127.0.0.1", ensemble.clientPort(1), "isro");
        assertEquals("rw", answer.trim());
    }

    @Test(timeout = 120_000)
    public void storeIsReplaced_newConnectionsGetTheNewCertificateAndOthersStay() throws Exception {
        ZooKeeper before = connect(ensemble.secureAddress(1), config("alice", "server"));
        use("renewed");
        before.exists("/", false);
        connect(ensemble.secureAddress(1), config("alice", "renewed"));
        assertRefused(ensemble.secureAddress(1), config("alice", "server"));
    }

    @Test(timeout = 120_000)
    public void storesOfAllTypes_areRead() throws Exception {
        Path jks = FOLDER.getRoot().toPath().resolve("server.jks");
        Path pem = FOLDER.getRoot().toPath().resolve("server-key.pem");
        stores.writeJks("server", jks);
        stores.writePem("server", pem);
        for (Path store : List.of(jks, pem)) {
            System.setProperty(KEY_STORE, store.toString());
            // The key in the PEM file is not encrypted.
            System.setProperty(KEY_PASSWORD, store == pem ? "" : TlsStores.PASSWORD);
            try {
                connect(ensemble.secureAddress(1), config("alice", "server"));
            } finally {
                System.setProperty(KEY_STORE, serverStore.toString());
                System.setProperty(KEY_PASSWORD, TlsStores.PASSWORD);
            }
        }
    }
}
