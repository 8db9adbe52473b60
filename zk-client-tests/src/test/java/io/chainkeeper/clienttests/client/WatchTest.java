package io.chainkeeper.clienttests.client;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;

import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.TreeDump;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.After;
import org.junit.Before;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestName;
import org.junit.rules.TestRule;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** Watches at one replica for changes made through the next one. */
@RunWith(Parameterized.class)
public class WatchTest {
    private static final int ANY_VERSION = -1;
    private static final long EVENT_LIMIT_SECONDS = 20;

    @ClassRule
    public static final Ensemble ensemble = Ensemble.named("watches").build();

    @Rule
    public final TestRule limit = ensemble.testLimit(60);

    @Rule
    public final TestName testName = new TestName();

    private final int replica;
    private final BlockingQueue<WatchedEvent> events = new LinkedBlockingQueue<>();
    private final Watcher watcher = event -> {
        if (event.getType() != EventType.None) {
            events.add(event);
        }
    };
    private ZooKeeper watching;
    private ZooKeeper changing;
    private String path;

    public WatchTest(int replica) {
        this.replica = replica;
    }

    @Parameters(name = "at replica {0}")
    public static List<Integer> replicas() {
        return List.of(1, 2, 3);
    }

    @Before
    public void openSessions() throws Exception {
        List<ServerProcess> servers = ensemble.servers();
        watching = Clients.connect(servers.get(replica - 1).connectString());
        changing = Clients.connect(servers.get(replica % servers.size()).connectString());
        path = "/" + testName.getMethodName().replaceAll("[^A-Za-z0-9]", "-");
    }

    @After
    public void closeSessions() throws Exception {
        watching.close();
        changing.close();
    }

    @Test
    public void existsWatch_firesAtCreationSetAndDeletion() throws Exception {
        assertNull(watching.exists(path, watcher));
        create(path);
        assertNext(EventType.NodeCreated, path);
        assertNotNull(watching.exists(path, watcher));
        changing.setData(path, null, ANY_VERSION);
        assertNext(EventType.NodeDataChanged, path);
        assertNotNull(watching.exists(path, watcher));
        changing.delete(path, ANY_VERSION);
        assertNext(EventType.NodeDeleted, path);
    }

    @Test
    public void dataWatch_firesOnceAndTheChangeIsReadableThen() throws Exception {
        createAndSee(path);
        watching.getData(path, watcher, null);

        changing.setData(path, new byte[] {1}, ANY_VERSION);
        changing.setData(path, new byte[] {1, 2}, ANY_VERSION);

        assertNext(EventType.NodeDataChanged, path);
        assertNotNull(watching.getData(path, false, null));
        assertNoMoreEvents();
    }

    @Test
    public void childWatch_firesForChildrenNotForData() throws Exception {
        createAndSee(path);
        watching.getChildren(path, watcher);
        changing.setData(path, null, ANY_VERSION);
        create(path + "/child");
        assertNext(EventType.NodeChildrenChanged, path);
        watching.getChildren(path, watcher);
        changing.delete(path + "/child", ANY_VERSION);
        assertNext(EventType.NodeChildrenChanged, path);
        assertNoMoreEvents();
    }

    @Test
    public void persistentWatch_firesForEveryChangeOfTheZnode() throws Exception {
        createAndSee(path);
        watching.addWatch(path, watcher, AddWatchMode.PERSISTENT);
        changing.setData(path, null, ANY_VERSION);
        changing.setData(path, null, ANY_VERSION);
        create(path + "/child");
        assertNext(EventType.NodeDataChanged, path);
        assertNext(EventType.NodeDataChanged, path);
        assertNext(EventType.NodeChildrenChanged, path);
        watching.removeWatches(path, watcher, Watcher.WatcherType.Any, false);
        assertNext(EventType.PersistentWatchRemoved, path);
        changing.setData(path, null, ANY_VERSION);
        assertNoMoreEvents();
    }

    @Test
    public void persistentRecursiveWatch_firesForTheWholeSubtreeInOrder() throws Exception {
        createAndSee(path);
        watching.addWatch(path, watcher, AddWatchMode.PERSISTENT_RECURSIVE);
        create(path + "/a");
        create(path + "/a/b");
        changing.setData(path + "/a/b", null, ANY_VERSION);
        changing.delete(path + "/a/b", ANY_VERSION);
        assertNext(EventType.NodeCreated, path + "/a");
        assertNext(EventType.NodeCreated, path + "/a/b");
        assertNext(EventType.NodeDataChanged, path + "/a/b");
        assertNext(EventType.NodeDeleted, path + "/a/b");
        assertNoMoreEvents();
    }

    @Test
    public void ephemeralOfAClosedSession_firesDeletion() throws Exception {
        ZooKeeper owner = Clients.connect(ensemble.server(replica).connectString());
        owner.create(path, null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
        TreeDump.sync(watching, path);
        assertNotNull(watching.exists(path, watcher));
        owner.close();
        assertNext(EventType.NodeDeleted, path);
    }

    /** Events come before the answer to any read that shows the change: ZooKeeper's ordering guarantee. */
    @Test
    public void readShowsAChange_itsEventHasArrivedBefore() throws Exception {
        createAndSee(path);
        for (int round = 0; round < 100; round++) {
            List<String> seen = new ArrayList<>();
            int version = round;
            watching.getData(path, event -> seen.add("event"), (code, ignored, context, data, stat) -> {}, null);
            changing.setData(path, null, ANY_VERSION, (code, ignored, context, stat) -> {}, null);
            BlockingQueue<Integer> versions = new LinkedBlockingQueue<>();
            do {
                watching.getData(
                        path,
                        false,
                        (code, ignored, context, data, stat) -> {
                            seen.add(stat.getVersion() > version ? "change" : "before");
                            versions.add(stat.getVersion());
                        },
                        null);
            } while (versions.take() <= version);
            assertEquals("in round " + round, "change", seen.get(seen.size() - 1));
            // The watch may be set after the change: then no event belongs to this round.
            if (seen.contains("before")) {
                assertEquals("in round " + round + ": " + seen, "event", seen.get(seen.size() - 2));
            }
        }
    }

    private void create(String created) throws Exception {
        changing.create(created, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    }

    private void createAndSee(String created) throws Exception {
        create(created);
        TreeDump.sync(watching, created);
    }

    private void assertNext(EventType type, String eventPath) throws InterruptedException {
        WatchedEvent event = events.poll(EVENT_LIMIT_SECONDS, TimeUnit.SECONDS);
        assertNotNull("no event within " + EVENT_LIMIT_SECONDS + " s, expected " + type + " of " + eventPath, event);
        assertEquals(type + " " + eventPath, event.getType() + " " + event.getPath());
    }

    /** What other changes would fire has been executed when the sync is answered, and its event sent before. */
    private void assertNoMoreEvents() throws Exception {
        TreeDump.sync(watching, path);
        assertEquals(List.of(), List.copyOf(events));
    }
}
