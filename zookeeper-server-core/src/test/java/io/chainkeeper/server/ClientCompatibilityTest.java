package io.chainkeeper.server;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.junit.AfterClass;
import org.junit.Before;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.TestName;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.AfterParam;
import org.junit.runners.Parameterized.BeforeParam;
import org.junit.runners.Parameterized.Parameters;

/** What ordinary ZooKeeper clients expect, on every replica, with both promises of reads. */
@RunWith(Parameterized.class)
public class ClientCompatibilityTest {
    @ClassRule
    public static final TemporaryFolder FOLDER = new TemporaryFolder();

    private static final int REPLICAS = 3;
    private static TestEnsemble ensemble;
    private static ReadConsistency reads;
    private static ZooKeeper[] clients;

    @Rule
    public final TestName name = new TestName();

    private String root;

    @Parameters(name = "{0}")
    public static List<ReadConsistency> promises() {
        return List.of(ReadConsistency.values());
    }

    public ClientCompatibilityTest(ReadConsistency promise) {
        assertEquals(promise, reads);
    }

    @BeforeParam
    public static void startEnsemble(ReadConsistency promise) throws Exception {
        reads = promise;
        System.setProperty("zookeeper.extendedTypesEnabled", "true");
        System.setProperty("znode.container.checkIntervalMs", "200");
        System.setProperty("znode.container.maxPerMinute", "100000");
        ensemble = new TestEnsemble(
                        FOLDER.newFolder(promise.name()).toPath(),
                        REPLICAS,
                        promise,
                        Map.of("serverCnxnFactory", factory(promise)))
                .startAll();
        clients = new ZooKeeper[] {ensemble.client(1), ensemble.client(2), ensemble.client(3)};
    }

    /** Both of ZooKeeper's connection layers get their turn. */
    private static String factory(ReadConsistency promise) {
        return promise == ReadConsistency.SEQUENTIAL
                ? "org.apache.zookeeper.server.NettyServerCnxnFactory"
                : "org.apache.zookeeper.server.NIOServerCnxnFactory";
    }

    @AfterParam
    public static void stopEnsemble() throws Exception {
        try (TestEnsemble closed = ensemble) {
            EnsembleChecks.assertReplicasEqual(closed, REPLICAS);
        }
    }

    @AfterClass
    public static void clearProperties() {
        for (String property : List.of(
                "zookeeper.extendedTypesEnabled",
                "znode.container.checkIntervalMs",
                "znode.container.maxPerMinute",
                "zookeeper.serverCnxnFactory")) {
            System.clearProperty(property);
        }
    }

    @Before
    public void createRoot() throws Exception {
        root = "/" + name.getMethodName().replaceAll("\\[.*", "");
        clients[0].create(root, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        for (ZooKeeper client : clients) {
            sync(client, root);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void sync(ZooKeeper client, String path) throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        client.sync(path, (rc, syncedPath, context) -> done.countDown(), null);
        assertTrue(done.await(TestEnsemble.DEADLINE_SECONDS, TimeUnit.SECONDS));
    }

    /** A read that sees what any client has seen, whatever reads promise. */
    private static void before(ZooKeeper client, String path) throws Exception {
        if (reads == ReadConsistency.SEQUENTIAL) {
            sync(client, path);
        }
    }

    private String create(ZooKeeper client, String path, CreateMode mode) throws Exception {
        return client.create(root + path, bytes(path), Ids.OPEN_ACL_UNSAFE, mode);
    }

    @Test
    public void writeAtOneReplica_isReadAtEveryOther() throws Exception {
        for (int round = 0; round < 30; round++) {
            clients[round % 3].setData(root, bytes("round " + round), -1);
            for (ZooKeeper reader : clients) {
                before(reader, root);
                assertArrayEquals(bytes("round " + round), reader.getData(root, false, null));
            }
        }
    }

    @Test
    public void watches_fireOnceForChangesMadeElsewhere() throws Exception {
        LinkedBlockingQueue<WatchedEvent> events = new LinkedBlockingQueue<>();
        create(clients[0], "/a", CreateMode.PERSISTENT);
        before(clients[2], root);
        assertNotNull(clients[2].exists(root + "/a", events::add));
        assertNull(clients[2].exists(root + "/b", events::add));
        clients[2].getChildren(root, events::add);
        clients[0].setData(root + "/a", bytes("new"), -1);
        assertEquals(EventType.NodeDataChanged, next(events).getType());
        clients[1].create(root + "/b", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        List<EventType> two =
                new ArrayList<>(List.of(next(events).getType(), next(events).getType()));
        Collections.sort(two);
        assertEquals(List.of(EventType.NodeCreated, EventType.NodeChildrenChanged), two);
        clients[0].setData(root + "/a", bytes("newer"), -1);
        before(clients[2], root);
        clients[2].addWatch(root, events::add, AddWatchMode.PERSISTENT_RECURSIVE);
        clients[0].delete(root + "/b", -1);
        assertEquals(EventType.NodeDeleted, next(events).getType());
        assertTrue(events.isEmpty());
    }

    private static WatchedEvent next(LinkedBlockingQueue<WatchedEvent> events) throws InterruptedException {
        WatchedEvent event = events.poll(TestEnsemble.DEADLINE_SECONDS, TimeUnit.SECONDS);
        assertNotNull("no event", event);
        return event;
    }

    @Test
    public void failingOperations_giveZooKeepersErrors() throws Exception {
        create(clients[0], "/a", CreateMode.PERSISTENT);
        create(clients[0], "/a/b", CreateMode.PERSISTENT);
        create(clients[1], "/e", CreateMode.EPHEMERAL);
        before(clients[1], root);
        assertCode(Code.NODEEXISTS, () -> create(clients[1], "/a", CreateMode.PERSISTENT));
        assertCode(Code.NONODE, () -> create(clients[1], "/x/y", CreateMode.PERSISTENT));
        assertCode(Code.BADVERSION, () -> clients[1].setData(root + "/a", null, 7));
        assertCode(Code.BADVERSION, () -> clients[1].delete(root + "/a/b", 7));
        assertCode(Code.NOTEMPTY, () -> clients[1].delete(root + "/a", -1));
        assertCode(Code.NONODE, () -> clients[1].getData(root + "/x", false, null));
        assertCode(Code.NOCHILDRENFOREPHEMERALS, () -> create(clients[0], "/e/f", CreateMode.PERSISTENT));
        assertCode(Code.INVALIDACL, () -> clients[0].create(root + "/i", null, List.of(), CreateMode.PERSISTENT));
    }

    private interface Failing {
        void run() throws Exception;
    }

    private static void assertCode(Code expected, Failing operation) {
        assertEquals(
                expected, assertThrows(KeeperException.class, operation::run).code());
    }

    @Test
    public void sequenceNodesFromThreeClients_haveDistinctAscendingNames() throws Exception {
        List<String> names = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch done = new CountDownLatch(90);
        for (int i = 0; i < 90; i++) {
            clients[i % 3].create(
                    root + "/n-",
                    null,
                    Ids.OPEN_ACL_UNSAFE,
                    CreateMode.PERSISTENT_SEQUENTIAL,
                    (rc, path, context, created) -> {
                        names.add(created);
                        done.countDown();
                    },
                    null);
        }
        assertTrue(done.await(TestEnsemble.DEADLINE_SECONDS, TimeUnit.SECONDS));
        Collections.sort(names);
        for (int i = 0; i < 90; i++) {
            assertEquals(root + String.format("/n-%010d", i), names.get(i));
        }
    }

    @Test
    public void multi_appliesAllOrNothing() throws Exception {
        List<OpResult> results = clients[0].multi(List.of(
                Op.create(root + "/a", bytes("1"), Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT),
                Op.setData(root + "/a", bytes("2"), 0),
                Op.check(root + "/a", 1),
                Op.create(root + "/b", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT),
                Op.delete(root + "/b", -1)));
        assertEquals(5, results.size());
        before(clients[1], root);
        assertArrayEquals(bytes("2"), clients[1].getData(root + "/a", false, null));
        KeeperException failure = assertThrows(
                KeeperException.class,
                () -> clients[1].multi(List.of(
                        Op.create(root + "/c", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT),
                        Op.check(root + "/a", 99),
                        Op.delete(root + "/a", -1))));
        assertEquals(Code.BADVERSION, failure.code());
        assertEquals(3, failure.getResults().size());
        before(clients[2], root);
        assertNull(clients[2].exists(root + "/c", false));
        assertNotNull(clients[2].exists(root + "/a", false));
        assertEquals(0, clients[0].multi(List.of()).size());
    }

    @Test
    public void operationsOfEverySort_leaveEqualStatsOnAllReplicas() throws Exception {
        create(clients[0], "/a", CreateMode.PERSISTENT);
        clients[1].setData(root + "/a", bytes("changed"), -1);
        create(clients[2], "/a/b", CreateMode.EPHEMERAL);
        clients[0].setACL(root + "/a", Ids.OPEN_ACL_UNSAFE, -1);
        List<Stat> stats = new ArrayList<>();
        for (ZooKeeper client : clients) {
            before(client, root);
            stats.add(client.exists(root + "/a", false));
        }
        assertEquals(1, new HashSet<>(stats).size());
        assertEquals(1, stats.get(0).getVersion());
        assertEquals(1, stats.get(0).getNumChildren());
    }

    @Test
    public void digestAcls_areCheckedWithTheIdentitiesOfTheConnection() throws Exception {
        ZooKeeper owner = ensemble.client(1);
        owner.addAuthInfo("digest", bytes("owner:secret"));
        owner.create(root + "/p", bytes("private"), Ids.CREATOR_ALL_ACL, CreateMode.PERSISTENT);
        before(clients[1], root);
        assertCode(Code.NOAUTH, () -> clients[1].getData(root + "/p", false, null));
        assertCode(Code.NOAUTH, () -> clients[1].setData(root + "/p", null, -1));
        ZooKeeper elsewhere = ensemble.client(2);
        elsewhere.addAuthInfo("digest", bytes("owner:secret"));
        elsewhere.setData(root + "/p", bytes("changed"), -1);
        before(owner, root);
        assertArrayEquals(bytes("changed"), owner.getData(root + "/p", false, null));
        assertEquals(1, elsewhere.getACL(root + "/p", new Stat()).size());
        assertTrue(
                elsewhere.whoAmI().stream().anyMatch(client -> client.getUser().equals("owner")));
    }

    @Test
    public void ephemeralsVanish_whenTheirSessionIsClosed() throws Exception {
        ZooKeeper owner = ensemble.client(1);
        create(owner, "/e", CreateMode.EPHEMERAL);
        assertEquals(List.of(root + "/e"), owner.getEphemerals(root));
        CountDownLatch deleted = new CountDownLatch(1);
        before(clients[2], root);
        assertNotNull(clients[2].exists(root + "/e", event -> deleted.countDown()));
        owner.close();
        assertTrue(deleted.await(TestEnsemble.DEADLINE_SECONDS, TimeUnit.SECONDS));
        before(clients[1], root);
        assertNull(clients[1].exists(root + "/e", false));
    }

    @Test
    public void containersAndExpiredNodes_areReaped() throws Exception {
        create(clients[0], "/container", CreateMode.CONTAINER);
        create(clients[1], "/container/child", CreateMode.PERSISTENT);
        clients[1].delete(root + "/container/child", -1);
        clients[2].create(root + "/ttl", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_WITH_TTL, new Stat(), 100);
        LinkedBlockingQueue<WatchedEvent> events = new LinkedBlockingQueue<>();
        before(clients[0], root);
        clients[0].addWatch(root, events::add, AddWatchMode.PERSISTENT_RECURSIVE);
        HashSet<String> gone = new HashSet<>();
        while (clients[0].exists(root + "/container", false) != null
                || clients[0].exists(root + "/ttl", false) != null) {
            WatchedEvent event = next(events);
            if (event.getType() == EventType.NodeDeleted) {
                gone.add(event.getPath());
            }
        }
        assertTrue(gone.toString(), Set.of(root + "/container", root + "/ttl").containsAll(gone));
    }

    @Test
    public void pipelinedWritesAndReads_areAnsweredInOrderAndSeeOwnWrites() throws Exception {
        int pairs = 2000;
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        List<String> wrong = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch done = new CountDownLatch(2 * pairs);
        create(clients[1], "/p", CreateMode.PERSISTENT);
        for (int i = 0; i < pairs; i++) {
            int number = i;
            clients[1].setData(
                    root + "/p",
                    bytes("v" + i),
                    -1,
                    (rc, path, context, stat) -> {
                        order.add(2 * number);
                        if (rc != 0 || stat.getVersion() != number + 1) {
                            wrong.add("set " + number + " rc " + rc);
                        }
                        done.countDown();
                    },
                    null);
            clients[1].getData(
                    root + "/p",
                    false,
                    (rc, path, context, data, stat) -> {
                        order.add(2 * number + 1);
                        if (rc != 0 || !Arrays.equals(bytes("v" + number), data)) {
                            wrong.add("get " + number + " rc " + rc);
                        }
                        done.countDown();
                    },
                    null);
        }
        assertTrue(done.await(TestEnsemble.DEADLINE_SECONDS, TimeUnit.SECONDS));
        assertEquals(List.of(), wrong);
        for (int i = 0; i < 2 * pairs; i++) {
            assertEquals(i, (int) order.get(i));
        }
    }

    @Test
    public void configurationNode_isReadAndTheSameEverywhere() throws Exception {
        HashSet<String> configs = new HashSet<>();
        HashSet<Stat> stats = new HashSet<>();
        for (ZooKeeper client : clients) {
            Stat stat = new Stat();
            configs.add(new String(client.getConfig(false, stat), StandardCharsets.UTF_8));
            stats.add(stat);
        }
        assertEquals(1, configs.size());
        assertEquals(1, stats.size());
        assertTrue(configs.iterator().next().contains("server.1="));
    }

    @Test
    public void unicodeAndEmptyData_areKept() throws Exception {
        clients[0].create(root + "/snö-\u4e2d", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        before(clients[1], root);
        assertArrayEquals(new byte[0], clients[1].getData(root + "/snö-\u4e2d", false, null));
        assertFalse(clients[1].getChildren(root, false).isEmpty());
        assertNull(clients[1].getData(root, false, null));
    }
}
