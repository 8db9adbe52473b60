package io.chainkeeper.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.Test;

/** Programs that use Curator's classes compile with these, and mean the same. */
class CuratorClassesTest {
    /** Curator's class, and what of it is left out. */
    private static final Map<Class<?>, Set<String>> CLASSES = Map.of(
            org.apache.curator.test.TestingServer.class, Set.of(),
            org.apache.curator.test.TestingCluster.class,
                    Set.of("TestingCluster(Map)", "makeSpecs(int)", "makeSpecs(int, boolean)"),
            org.apache.curator.test.InstanceSpec.class, Set.of("reset()"),
            org.apache.curator.test.TestingZooKeeperServer.class,
                    Set.of(
                            "TestingZooKeeperServer(QuorumConfigBuilder)",
                            "TestingZooKeeperServer(QuorumConfigBuilder, int)"));

    @Test
    void publicMethods_areThoseOfCurator() throws Exception {
        for (Map.Entry<Class<?>, Set<String>> each : CLASSES.entrySet()) {
            Class<?> theirs = each.getKey();
            Class<?> ours = Class.forName("io.chainkeeper.test." + theirs.getSimpleName());
            Set<String> missing = signatures(theirs);
            missing.removeAll(signatures(ours));
            assertEquals(new TreeSet<>(each.getValue()), missing, ours.getName());
        }
    }

    private static Set<String> signatures(Class<?> type) {
        List<Executable> all = new ArrayList<>();
        for (Constructor<?> constructor : type.getDeclaredConstructors()) {
            all.add(constructor);
        }
        for (Method method : type.getDeclaredMethods()) {
            all.add(method);
        }
        return all.stream()
                .filter(each -> Modifier.isPublic(each.getModifiers()))
                .map(each -> (each instanceof Constructor ? type.getSimpleName() : each.getName())
                        + Arrays.stream(each.getParameterTypes())
                                .map(Class::getSimpleName)
                                .collect(Collectors.joining(", ", "(", ")")))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static CuratorFramework client(String connectString) {
        CuratorFramework client = CuratorFrameworkFactory.newClient(connectString, new RetryOneTime(1_000));
        client.start();
        return client;
    }

    @Test
    void testingServer_keepsPortAndDataOverRestarts() throws Exception {
        TestingServer server = new TestingServer();
        File directory = server.getTempDirectory();
        try (CuratorFramework client = client(server.getConnectString())) {
            client.create().forPath("/a", new byte[] {1});
            int port = server.getPort();
            server.restart();
            assertEquals(port, server.getPort());
            assertEquals(1, client.getData().forPath("/a")[0]);
            server.stop();
            server.start();
            assertEquals(1, client.getData().forPath("/a")[0]);
        } finally {
            server.close();
        }
        assertFalse(directory.exists());
    }

    @Test
    void testingServer_whosePortIsTaken_leavesNothingBehind() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            InstanceSpec temporary = new InstanceSpec(null, taken.getLocalPort(), -1, -1, true, -1);
            assertThrows(IOException.class, () -> new TestingServer(temporary, true));
            assertFalse(temporary.getDataDirectory().exists());
            File own = Files.createTempDirectory("own").toFile();
            assertThrows(IOException.class, () -> new TestingServer(taken.getLocalPort(), own));
            assertTrue(own.exists());
            try (TestingServer again = new TestingServer(-1, own)) {
                assertTrue(again.cluster().server(1).isServing());
            }
            assertFalse(own.exists());
        }
    }

    @Test
    void testingServer_canBeMadeWithoutBeingStarted() throws Exception {
        int port = InstanceSpec.getRandomPort();
        try (TestingServer server = new TestingServer(port, false)) {
            assertFalse(server.cluster().server(1).isRunning());
            server.start();
            assertTrue(server.cluster().server(1).isServing());
            assertEquals(port, server.getPort());
        }
    }

    @Test
    void testingCluster_killsAndRestartsTheServerOfAClient() throws Exception {
        try (TestingCluster cluster = new TestingCluster(3)) {
            cluster.start();
            try (CuratorFramework client = client(cluster.getConnectString())) {
                client.create().forPath("/a", new byte[] {1});
                InstanceSpec connected = cluster.findConnectionInstance(
                        client.getZookeeperClient().getZooKeeper());
                assertNotNull(connected);
                assertTrue(cluster.killServer(connected));
                assertEquals(1, client.getData().forPath("/a")[0]);
                assertTrue(cluster.restartServer(connected));
                cluster.cluster().awaitServing();
                assertEquals(3, cluster.getServers().size());
            }
        }
    }
}
