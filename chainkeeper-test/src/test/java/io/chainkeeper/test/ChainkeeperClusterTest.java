package io.chainkeeper.test;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.TimeZone;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a test can do to servers. */
class ChainkeeperClusterTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final byte[] VALUE = "value".getBytes(UTF_8);

    private static void create(ZooKeeper client, String path) throws Exception {
        client.create(path, VALUE, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    }

    /** Until the client is connected again. */
    private static byte[] read(ZooKeeper client, String path) throws IOException {
        byte[][] found = new byte[1][];
        assertTrue(Await.within(SOON, () -> {
            try {
                found[0] = client.getData(path, false, null);
                return true;
            } catch (KeeperException.ConnectionLossException e) {
                return false;
            } catch (KeeperException | InterruptedException e) {
                throw new IOException(e);
            }
        }));
        return found[0];
    }

    @Test
    void server_keepsWhatWasWrittenWhenItIsKilledAndStartedAgain() throws Exception {
        try (ChainkeeperCluster cluster = ChainkeeperCluster.start(1);
                ZooKeeper client = Clients.connect(cluster.connectString())) {
            create(client, "/a");
            cluster.kill(1);
            assertFalse(cluster.server(1).isRunning());
            cluster.server(1).start();
            assertArrayEquals(VALUE, read(client, "/a"));
            assertNotNull(cluster.serverOf(client), "the session goes on");
            cluster.server(1).restart();
            assertArrayEquals(VALUE, read(client, "/a"));
        }
    }

    /** ISO-8859-1 has some of these characters, Unicode the others, and a backslash is a sign of its own. */
    @Test
    void directory_mayHaveAnyNameAndHoldsEverything(@TempDir Path parent) throws Exception {
        assumeTrue("UTF-8".equals(System.getProperty("sun.jnu.encoding")), "a locale without these letters");
        Path directory = parent.resolve("größe\\new 日本");
        for (int count : List.of(1, 3)) {
            try (ChainkeeperCluster cluster = ChainkeeperCluster.builder()
                            .servers(count)
                            .directory(directory)
                            .start();
                    ZooKeeper client = Clients.connect(cluster.connectString())) {
                create(client, "/of-" + count);
            }
            try (Stream<Path> all = Files.list(parent)) {
                assertEquals(List.of(directory), all.toList());
            }
            TestDirectory.delete(directory);
        }
    }

    @Test
    void ensemble_goesOnWhenItsLeaderIsKilled() throws Exception {
        for (String protocol : List.of("chain", "iss")) {
            try (ChainkeeperCluster cluster = ChainkeeperCluster.builder()
                            .servers(3)
                            .protocol(protocol)
                            .start();
                    ZooKeeper client = Clients.connect(cluster.connectString())) {
                create(client, "/a");
                int killed = cluster.leader().id();
                cluster.kill(killed);
                assertArrayEquals(VALUE, read(client, "/a"));
                cluster.server(killed).start();
                cluster.awaitServing();
                try (ZooKeeper other = Clients.connect(cluster.server(killed).connectString())) {
                    assertArrayEquals(VALUE, other.getData("/a", false, null));
                }
            }
        }
    }

    @Test
    void partition_letsTheMajorityGoOnAndTheRestNot() throws Exception {
        try (ChainkeeperCluster cluster = ChainkeeperCluster.start(3)) {
            TestServer alone = cluster.leader();
            TestServer other = cluster.server(alone.id() % 3 + 1);
            cluster.partition(alone.id());
            try (ZooKeeper client = Clients.connect(other.connectString())) {
                create(client, "/a");
            }
            assertTrue(Await.within(SOON, () -> !alone.isServing()), "a server without a majority serves nobody");
            cluster.heal();
            cluster.awaitServing();
            try (ZooKeeper client = Clients.connect(alone.connectString())) {
                assertArrayEquals(VALUE, client.getData("/a", false, null));
            }
        }
    }

    @Test
    void pausedServer_answersWhenItIsResumedAndNotBefore() throws Exception {
        try (ChainkeeperCluster cluster = ChainkeeperCluster.start(3);
                ZooKeeper client = Clients.connect(cluster.server(1).connectString())) {
            create(client, "/a");
            cluster.server(1).pause();
            CompletableFuture<Integer> answer = new CompletableFuture<>();
            AsyncCallback.DataCallback told = (code, path, context, data, stat) -> answer.complete(code);
            client.getData("/a", false, told, null);
            try (ZooKeeper other = Clients.connect(
                    cluster.server(2).connectString() + "," + cluster.server(3).connectString())) {
                create(other, "/b");
            }
            assertFalse(answer.isDone(), "it is paused, and the others have gone on for a while");
            cluster.server(1).resume();
            assertEquals(0, answer.get(SOON.toSeconds(), TimeUnit.SECONDS));
            cluster.awaitServing();
            assertArrayEquals(VALUE, read(client, "/b"));
        }
    }

    @Test
    void expiredSession_isToldToItsClientAndItsNodesGo() throws Exception {
        try (ChainkeeperCluster cluster = ChainkeeperCluster.start(3);
                ZooKeeper other = Clients.connect(cluster.connectString())) {
            CountDownLatch expired = new CountDownLatch(1);
            CountDownLatch connected = new CountDownLatch(1);
            try (ZooKeeper client = new ZooKeeper(cluster.connectString(), Clients.TIMEOUT_MILLIS, event -> {
                if (event.getState() == KeeperState.SyncConnected) {
                    connected.countDown();
                } else if (event.getState() == KeeperState.Expired) {
                    expired.countDown();
                }
            })) {
                assertTrue(connected.await(SOON.toSeconds(), TimeUnit.SECONDS));
                client.create("/e", VALUE, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
                cluster.expireSession(client);
                assertTrue(expired.await(SOON.toSeconds(), TimeUnit.SECONDS));
                assertNull(other.exists("/e", false));
            }
        }
    }

    @Test
    void advancedTime_endsWhatItsTimeHasPassedAndKeepsConnectedClients() throws Exception {
        for (int servers : new int[] {1, 3}) {
            try (ChainkeeperCluster cluster = ChainkeeperCluster.start(servers);
                    ZooKeeper connected = Clients.connect(cluster.connectString(), 4_000);
                    LostClient lost = LostClient.connect(cluster.server(1), 20_000)) {
                connected.create("/e", VALUE, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
                connected.create("/ttl", VALUE, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_WITH_TTL, null, 3_600_000);
                lost.close();
                cluster.advanceTime(Duration.ofSeconds(15));
                assertTrue(cluster.hasSession(lost.sessionId()), "its timeout is 20 s");
                cluster.advanceTime(Duration.ofSeconds(10));
                assertFalse(cluster.hasSession(lost.sessionId()));
                assertNotNull(connected.exists("/ttl", false), "an hour has not passed");
                cluster.advanceTime(Duration.ofHours(1));
                assertNull(connected.exists("/ttl", false));
                assertNotNull(connected.exists("/e", false), "a client that is connected keeps its session");
            }
        }
    }

    @Test
    void ensemblesBesideEachOther_doNotDisturbEachOther() throws Exception {
        try (ChainkeeperCluster one = ChainkeeperCluster.start(1);
                ChainkeeperCluster three =
                        ChainkeeperCluster.builder().servers(3).protocol("iss").start();
                ZooKeeper ofOne = Clients.connect(one.connectString());
                ZooKeeper ofThree = Clients.connect(three.connectString())) {
            create(ofOne, "/one");
            create(ofThree, "/three");
            assertNull(ofOne.exists("/three", false));
            assertNull(ofThree.exists("/one", false));
            one.close();
            create(ofThree, "/more");
        }
    }

    @Test
    void closedEnsembles_leaveNothingBehindInTheJvm(@TempDir Path parent) throws Exception {
        System.setProperty("zookeeper.of.the.user", "kept");
        TimeZone.getDefault(); // when it is asked first, the JDK keeps it in a property
        Properties before = new Properties();
        before.putAll(System.getProperties());
        Set<Thread> threadsBefore = Thread.getAllStackTraces().keySet();
        ChainkeeperCluster cluster = ChainkeeperCluster.builder()
                .servers(3)
                .setting("globalOutstandingLimit", "999")
                .start();
        Path files = cluster.server(1).directory().getParent();
        assertEquals("999", System.getProperty("zookeeper.globalOutstandingLimit"), "of the whole JVM, while it runs");
        try (ZooKeeper client = Clients.connect(cluster.connectString())) {
            create(client, "/a");
        }
        cluster.close();
        assertEquals(before, System.getProperties());
        assertFalse(QuorumPeerConfig.isReconfigEnabled());
        assertTrue(QuorumPeerConfig.isStandaloneEnabled());
        assertFalse(Files.exists(files));
        assertTrue(
                Await.within(
                        Duration.ofSeconds(5), () -> threadsSince(threadsBefore).isEmpty()),
                () -> "threads of servers are left: " + threadsSince(threadsBefore));
        System.clearProperty("zookeeper.of.the.user");
    }

    @Test
    void interruptedThread_waitsForTheEndOfServersAllTheSame() throws Exception {
        Set<Thread> threadsBefore = Thread.getAllStackTraces().keySet();
        ChainkeeperCluster cluster = ChainkeeperCluster.start(3);
        Path files = cluster.server(1).directory().getParent();
        Thread.currentThread().interrupt();
        cluster.server(1).stop();
        assertTrue(Thread.interrupted(), "it is for the caller to react");
        cluster.server(1).start();
        cluster.awaitServing();
        Thread.currentThread().interrupt();
        cluster.close();
        assertTrue(Thread.interrupted(), "it is for the caller to react");
        assertFalse(Files.exists(files));
        assertTrue(
                Await.within(
                        Duration.ofSeconds(5), () -> threadsSince(threadsBefore).isEmpty()),
                () -> "threads of servers are left: " + threadsSince(threadsBefore));
    }

    private static Set<String> threadsSince(Set<Thread> before) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !before.contains(thread))
                .map(Thread::getName)
                .collect(Collectors.toSet());
    }

    @Test
    void directoryOfTheUser_stays(@TempDir Path own) throws Exception {
        for (int start = 1; start <= 2; start++) {
            try (ChainkeeperCluster cluster =
                            ChainkeeperCluster.builder().directory(own).start();
                    ZooKeeper client = Clients.connect(cluster.connectString())) {
                if (start == 1) {
                    create(client, "/a");
                }
                assertArrayEquals(VALUE, client.getData("/a", false, null));
            }
        }
        assertTrue(Files.exists(own.resolve("server-1")));
    }

    @Test
    void mistakes_areNamed() {
        IOException unknown = assertThrows(
                IOException.class,
                () -> ChainkeeperCluster.builder().protocol("raft").start().close());
        assertTrue(unknown.getMessage().contains("ordering.protocol=raft"), unknown.getMessage());
        assertThrows(
                IllegalArgumentException.class,
                () -> ChainkeeperCluster.builder().servers(0));
        try (ChainkeeperCluster cluster = ChainkeeperCluster.start(1)) {
            cluster.server(1).stop();
            IOException stopped =
                    assertThrows(IOException.class, () -> cluster.server(1).pause());
            assertTrue(stopped.getMessage().contains("start it"), stopped.getMessage());
        } catch (IOException e) {
            fail(e);
        }
    }
}
