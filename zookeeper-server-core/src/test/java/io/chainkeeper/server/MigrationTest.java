package io.chainkeeper.server;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.ClusterIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Data directories that come from Apache ZooKeeper, and go back to it. */
public class MigrationTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    /** The stock server on a directory. */
    private static final class Apache implements AutoCloseable {
        private final ZooKeeperServer server;
        private final ServerCnxnFactory factory;

        Apache(Path directory) throws Exception {
            server = new ZooKeeperServer(
                    new FileTxnSnapLog(directory.toFile(), directory.toFile()), TestEnsemble.TICK_MILLIS, "");
            factory = new NIOServerCnxnFactory();
            factory.configure(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
            factory.startup(server);
        }

        int port() {
            return factory.getLocalPort();
        }

        @Override
        public void close() throws Exception {
            factory.shutdown();
            server.getZKDatabase().close();
        }
    }

    private static void copyFiles(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(from)) {
            for (Path file : files) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }

    private static void create(RawClient client, int xid, String path, CreateMode mode) throws IOException {
        byte[] data = "apache".getBytes(StandardCharsets.UTF_8);
        client.request(xid, OpCode.create, new CreateRequest(path, data, Ids.OPEN_ACL_UNSAFE, mode.toFlag()));
        assertEquals(0, client.reply().getErr());
    }

    @Test
    public void directoryOfApacheZooKeeper_isContinuedAndCanGoBack() throws Exception {
        Path apacheDirectory = folder.newFolder("apache").toPath();
        TestEnsemble ensemble = new TestEnsemble(folder.newFolder("ensemble").toPath(), 3);
        byte[] password;
        long sessionId;
        try (Apache apache = new Apache(apacheDirectory)) {
            RawClient live = new RawClient(apache.port(), 4_000);
            sessionId = live.sessionId();
            password = live.password();
            RawClient left = new RawClient(apache.port(), 1_000);
            create(left, 1, "/a", CreateMode.PERSISTENT);
            create(left, 2, "/left", CreateMode.EPHEMERAL);
            left.close();
            live.close();
        }
        for (int id = 1; id <= 3; id++) {
            copyFiles(
                    apacheDirectory.resolve("version-2"),
                    ensemble.dataDirectory(id).resolve("version-2"));
        }
        ensemble.startAll();
        RawClient attached = new RawClient(ensemble.clientPort(2), 4_000, sessionId, password);
        assertEquals("a session of the Apache server goes on", sessionId, attached.sessionId());
        ZooKeeper client = ensemble.client(1);
        assertArrayEquals("apache".getBytes(StandardCharsets.UTF_8), client.getData("/a", false, null));
        long zxidBefore = client.exists("/a", false).getCzxid();
        client.create("/b", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        assertTrue(client.exists("/b", false).getCzxid() > zxidBefore);
        TestEnsemble.await("nobody attaches the other session", () -> exists(ensemble, "/left") == null);
        EnsembleChecks.assertReplicasEqual(ensemble, 3);
        attached.close();
        ensemble.close();
        try (Apache apache = new Apache(ensemble.dataDirectory(2));
                TestEnsemble clients = new TestEnsemble(folder.getRoot().toPath(), 1)) {
            assertNotNull(clients.client("127.0.0.1:" + apache.port(), 4_000).exists("/b", false));
        }
        IOException refusal = assertThrows(IOException.class, () -> ensemble.start(2));
        assertTrue(refusal.getMessage(), refusal.getMessage().contains("outside this cluster's order"));
    }

    private static Object exists(TestEnsemble ensemble, String path) {
        return ensemble.server(3).getZKDatabase().getNode(path);
    }

    @Test
    public void replicaWithoutItsOwnFiles_isRefused() throws Exception {
        TestEnsemble ensemble = new TestEnsemble(folder.newFolder("lost").toPath(), 3).startAll();
        TestEnsemble.await(
                "the cluster has a name", () -> ensemble.server(3) != null && named(ensemble.orderingDirectory(3)));
        ensemble.stop(3);
        Path checkpoints = ensemble.orderingDirectory(3).resolve("checkpoints");
        try (DirectoryStream<Path> files = Files.newDirectoryStream(checkpoints)) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
        IOException refusal = assertThrows(IOException.class, () -> ensemble.start(3));
        assertTrue(refusal.getMessage(), refusal.getMessage().contains("no checkpoint"));
        ensemble.close();
    }

    private static boolean named(Path orderingDirectory) {
        try {
            return ClusterIdentity.read(orderingDirectory).clusterId() != null;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    public void emptyDirectory_startsEmpty() throws Exception {
        TestEnsemble ensemble = new TestEnsemble(folder.newFolder("fresh").toPath(), 3).startAll();
        assertNull(ensemble.client(1).exists("/a", false));
        ensemble.close();
    }
}
