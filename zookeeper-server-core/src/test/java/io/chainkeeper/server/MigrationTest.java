package io.chainkeeper.server;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.command.Command;
import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.config.MoveInRequest;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.ProposedCommand;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.PurgeTxnLog;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Data directories that come from Apache ZooKeeper, and go back to it. */
public class MigrationTest {
    private static final int LONG_TIMEOUT_MILLIS = 30_000;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    /** The stock server on a directory. */
    private static final class Apache implements AutoCloseable {
        private final ZooKeeperServer server;
        private final ServerCnxnFactory factory;

        Apache(Path directory) throws Exception {
            this(directory, 1);
        }

        Apache(Path directory, int serverId) throws Exception {
            server = new ZooKeeperServer(
                    new FileTxnSnapLog(directory.toFile(), directory.toFile()), TestEnsemble.TICK_MILLIS, "");
            server.setCreateSessionTrackerServerId(serverId);
            // Twenty short ticks would be too little for sessions that are to outlive a start.
            server.setMaxSessionTimeout(LONG_TIMEOUT_MILLIS);
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
            RawClient live = new RawClient(apache.port(), LONG_TIMEOUT_MILLIS);
            sessionId = live.sessionId();
            password = live.password();
            RawClient left = new RawClient(apache.port(), 4_000);
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
        RawClient attached = new RawClient(ensemble.clientPort(2), LONG_TIMEOUT_MILLIS, sessionId, password);
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

    /** Its server had the id that belongs to times to live, and is none of the ensemble any more. */
    @Test
    public void sessionOfAServer255ThatIsGone_isNotTakenOver() throws Exception {
        Path apacheDirectory = folder.newFolder("apache").toPath();
        System.clearProperty("zookeeper.extendedTypesEnabled"); // With it there is no such server.
        try (Apache apache = new Apache(apacheDirectory, 255)) {
            new RawClient(apache.port(), 4_000).close();
        }
        try (TestEnsemble ensemble =
                new TestEnsemble(folder.newFolder("ensemble").toPath(), 1)) {
            copyFiles(
                    apacheDirectory.resolve("version-2"),
                    ensemble.dataDirectory(1).resolve("version-2"));
            IOException refusal = assertThrows(IOException.class, () -> ensemble.start(1));
            assertTrue(refusal.getMessage(), refusal.getMessage().contains("server.255"));
        }
    }

    private static Object exists(TestEnsemble ensemble, String path) {
        return ensemble.server(3).getZKDatabase().getNode(path);
    }

    /** Directories of an ensemble's members: {@code /a} in all, {@code /b} in the last {@code ahead} of them. */
    private TestEnsemble membersOfApache(int ahead) throws Exception {
        Path apacheDirectory = folder.newFolder("apache").toPath();
        TestEnsemble ensemble = new TestEnsemble(folder.newFolder("ensemble").toPath(), 3);
        for (int id = 1; id <= 3; id++) {
            if (id == 1 || id == 4 - ahead) {
                try (Apache apache = new Apache(apacheDirectory)) {
                    RawClient client = new RawClient(apache.port(), 4_000);
                    create(client, 1, id == 1 ? "/a" : "/b", CreateMode.PERSISTENT);
                    client.close();
                }
            }
            Path version2 = ensemble.dataDirectory(id).resolve("version-2");
            copyFiles(apacheDirectory.resolve("version-2"), version2);
            Files.writeString(version2.resolve("acceptedEpoch"), "0");
            Files.writeString(version2.resolve("currentEpoch"), "0");
        }
        return ensemble;
    }

    private static Map<String, byte[]> content(Path directory) throws IOException {
        Map<String, byte[]> content = new TreeMap<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                content.put(file.getFileName().toString(), Files.readAllBytes(file));
            }
        }
        return content;
    }

    /** Every file is still there and has the same bytes. Others may come and go: the server may be writing. */
    private static void assertKept(Path directory, Map<String, byte[]> before) throws IOException {
        for (Map.Entry<String, byte[]> file : before.entrySet()) {
            assertArrayEquals(file.getKey(), file.getValue(), Files.readAllBytes(directory.resolve(file.getKey())));
        }
    }

    @Test
    public void membersOfDifferingProgress_theMostAdvancedWins() throws Exception {
        try (TestEnsemble ensemble = membersOfApache(1)) {
            Path last = ensemble.dataDirectory(3).resolve("version-2");
            Map<String, byte[]> before = content(last);
            ensemble.startAll();
            for (int id = 1; id <= 3; id++) {
                assertNotNull("server " + id, ensemble.client(id).exists("/b", false));
            }
            ensemble.client(1).create("/c", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            EnsembleChecks.assertReplicasEqual(ensemble, 3);
            assertKept(last, before);
            ensemble.stop(1);
            ensemble.start(1);
            ensemble.awaitServing(1);
            assertNotNull(ensemble.client(1).exists("/c", false));
        }
    }

    /** In the order it finds what an earlier start of its own has reported of directories that are gone. */
    @Test
    public void directoriesAreLostAfterMovingIn_stateIsFetched() throws Exception {
        try (TestEnsemble ensemble = membersOfApache(3).startAll()) {
            ensemble.client(1).create("/c", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            ensemble.stop(2);
            delete(ensemble.dataDirectory(2).resolve("version-2"));
            delete(ensemble.orderingDirectory(2));
            ensemble.start(2);
            ensemble.awaitServing(2);
            assertNotNull(ensemble.client(2).exists("/a", false));
            EnsembleChecks.assertReplicasEqual(ensemble, 3);
        }
    }

    private static void delete(Path directory) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                if (Files.isDirectory(file)) {
                    delete(file);
                } else {
                    Files.delete(file);
                }
            }
        }
        Files.delete(directory);
    }

    @Test
    public void memberIsMissing_nobodyServesBeforeItOrTheUserComes() throws Exception {
        try (TestEnsemble ensemble = membersOfApache(1)) {
            Path version2 = ensemble.dataDirectory(1).resolve("version-2");
            Map<String, byte[]> before = content(version2);
            ensemble.start(1);
            ensemble.start(2);
            TestEnsemble.await(
                    "both have reported",
                    () -> states(ensemble, 1).equals(List.of(1, 2))
                            && states(ensemble, 2).equals(List.of(1, 2)));
            assertFalse(ensemble.server(1).isServing());
            ensemble.stop(2);
            new MoveInRequest(List.of(3)).write(ensemble.orderingDirectory(2));
            ensemble.start(2);
            ensemble.awaitServing(2);
            ensemble.awaitServing(1);
            assertNotNull(ensemble.client(1).exists("/a", false));
            assertFalse(Files.exists(ensemble.orderingDirectory(2).resolve(MoveInRequest.FILE_NAME)));
            assertKept(version2, before);

            Map<String, byte[]> late = content(ensemble.dataDirectory(3).resolve("version-2"));
            ensemble.start(3);
            assertEquals(1, TestEnsemble.awaitShutdown("its data would be lost", ensemble.replica(3)));
            String message = ensemble.replica(3).failureMessage();
            assertTrue(message, message.contains("would be lost"));
            assertKept(ensemble.dataDirectory(3).resolve("version-2"), late);
        }
    }

    /** What a request may do is decided by the cluster's rules, and until it is formed there are none. */
    @Test
    public void clusterIsNotFormedYet_noClientIsServedAndNothingOfAClientIsOrdered() throws Exception {
        try (TestEnsemble ensemble = membersOfApache(1)) {
            ensemble.start(1);
            ensemble.start(2);
            TestEnsemble.await(
                    "both have reported",
                    () -> states(ensemble, 1).equals(List.of(1, 2))
                            && states(ensemble, 2).equals(List.of(1, 2)));
            int leader = ensemble.replica(1).view().leads() ? 1 : 2;
            TestEnsemble.await("no client is let in while the leader looks at the order many times", () -> {
                assertNoSession(ensemble, 1);
                assertNoSession(ensemble, 2);
                return ensemble.replica(leader).view().leaderUptimeMillis() > 20 * TestEnsemble.TICK_MILLIS;
            });
            ensemble.start(3);
            for (int id = 1; id <= 3; id++) {
                ensemble.awaitServing(id);
                ensemble.client(id).create("/after" + id, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            }
            List<Class<?>> ordered = new ArrayList<>();
            for (ByteSlice value : ensemble.order().log()) {
                for (ProposedCommand proposed : BatchCodec.decode(value)) {
                    ordered.add(CommandCodec.decode(proposed.command()).getClass());
                }
            }
            int formed = ordered.indexOf(Command.ClusterFormed.class);
            assertTrue(ordered.toString(), formed > 0);
            assertTrue(ordered.toString(), ordered.indexOf(Command.ClientRequest.class) > formed);
        }
    }

    private static void assertNoSession(TestEnsemble ensemble, int id) {
        assertThrows(IOException.class, () -> new RawClient(ensemble.clientPort(id), 4_000).close());
    }

    private static List<Integer> states(TestEnsemble ensemble, int id) {
        return List.copyOf(ensemble.replica(id)
                .replicatedState()
                .importedStates()
                .reports()
                .keySet());
    }

    @Test
    public void dataComesLateToAClusterThatBeganEmpty_isRefusedAndKept() throws Exception {
        try (TestEnsemble ensemble = membersOfApache(1)) {
            for (int id = 1; id <= 2; id++) {
                try (DirectoryStream<Path> files =
                        Files.newDirectoryStream(ensemble.dataDirectory(id).resolve("version-2"))) {
                    for (Path file : files) {
                        Files.delete(file);
                    }
                }
                ensemble.start(id);
            }
            ensemble.awaitServing(1);
            ensemble.start(3);
            assertEquals(1, TestEnsemble.awaitShutdown("the cluster began empty", ensemble.replica(3)));
            String message = ensemble.replica(3).failureMessage();
            assertTrue(message, message.contains("began empty"));
        }
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

    @Test
    public void purgeRightAfterMovingIn_leavesWhatARestartNeeds() throws Exception {
        Path apacheDirectory = folder.newFolder("apache").toPath();
        try (Apache apache = new Apache(apacheDirectory);
                RawClient client = new RawClient(apache.port(), 4_000)) {
            for (int i = 1; i <= 5; i++) {
                create(client, i, "/old" + i, CreateMode.PERSISTENT);
                apache.server.takeSnapshot(true);
            }
        }
        TestEnsemble ensemble = new TestEnsemble(folder.newFolder("ensemble").toPath(), 2);
        for (int id = 1; id <= 2; id++) {
            copyFiles(
                    apacheDirectory.resolve("version-2"),
                    ensemble.dataDirectory(id).resolve("version-2"));
        }
        try (ensemble) {
            ensemble.startAll();
            for (int id = 1; id <= 2; id++) {
                File data = ensemble.dataDirectory(id).toFile();
                PurgeTxnLog.purge(data, data, 3);
            }
            ensemble.client(1).create("/new", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            ensemble.closeClients();
            for (int id = 1; id <= 2; id++) {
                ensemble.stop(id);
            }
            for (int id = 1; id <= 2; id++) {
                ensemble.start(id);
            }
            ensemble.awaitServing(2);
            assertEquals(7, ensemble.client(2).getChildren("/", false).size());
            EnsembleChecks.assertReplicasEqual(ensemble, 2);
        }
    }

    /** docs/operations.md, "Settings that all servers must have in common". */
    @Test
    public void settingsOfExecutionAreChanged_newClusterGoesOnWithDataAndSessions() throws Exception {
        Path directory = folder.newFolder("settings").toPath();
        TestEnsemble before = new TestEnsemble(directory, 3).startAll();
        RawClient live = new RawClient(before.clientPort(1), 30_000);
        create(live, 1, "/a", CreateMode.PERSISTENT);
        create(live, 2, "/mine", CreateMode.EPHEMERAL);
        before.awaitEqualPositions();
        long zxid = before.server(2).getZKDatabase().getDataTreeLastProcessedZxid();
        for (int id = 1; id <= 3; id++) {
            before.stop(id);
        }
        OtherAddresses.configure();
        try {
            String message = messageOfRefusal(before);
            assertTrue(message, message.contains("docs/operations.md"));
            before.close();
            for (int id = 1; id <= 3; id++) {
                Path data = before.dataDirectory(id);
                Files.delete(data.resolve("zoo.cfg"));
                Files.move(data.resolve("ordering"), data.resolve("ordering.before"));
            }
            try (TestEnsemble after = new TestEnsemble(directory, 3).startAll()) {
                RawClient attached = new RawClient(after.clientPort(3), 30_000, live.sessionId(), live.password());
                assertEquals(live.sessionId(), attached.sessionId());
                ZooKeeper client = after.client(1);
                assertEquals(live.sessionId(), client.exists("/mine", false).getEphemeralOwner());
                client.create("/b", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
                assertTrue(client.exists("/b", false).getCzxid() > zxid);
                assertTrue(client.exists("/a", false).getCzxid() <= zxid);
                EnsembleChecks.assertReplicasEqual(after, 3);
                attached.close();
            }
        } finally {
            OtherAddresses.remove();
        }
    }

    /** At once if a checkpoint names the settings, else as soon as the order has come to them. */
    private static String messageOfRefusal(TestEnsemble refused) throws Exception {
        try {
            refused.start(1);
        } catch (IOException e) {
            return e.getMessage();
        }
        TestEnsemble.await(
                "the replica says why it stops", () -> refused.replica(1).failureMessage() != null);
        return refused.replica(1).failureMessage();
    }
}
