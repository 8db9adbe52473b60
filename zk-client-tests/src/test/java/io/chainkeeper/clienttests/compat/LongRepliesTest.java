package io.chainkeeper.clienttests.compat;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.ServerProcess;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.Stat;
import org.junit.Assume;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/**
 * Replies longer than the server's jute.maxbuffer, to clients that have raised theirs and to one that has not: what
 * Apache ZooKeeper answers, every server of ours answers too, up to the memory that there is for such replies.
 */
public class LongRepliesTest {
    private static final int SESSION_TIMEOUT_MILLIS = 40_000;
    private static final long LIMIT_SECONDS = 60;
    private static final int CLIENT_MAX_BUFFER = 64 << 20;
    private static final int SERVER_MAX_BUFFER = 0xfffff;

    /** Together 20 MB, what go-zookeeper's own test asks for. */
    private static final int CHILDREN = 10_000;

    private static final int NAME_CHARS = 2_000;

    /** What a create of {@link #LARGEST} has besides its data: header, path, length, access list, flags. */
    private static final int CREATE_BYTES = 8 + 4 + 8 + 4 + 4 + 4 + 4 + 5 + 4 + 6 + 4;

    private static final String LARGEST = "/largest";
    private static final int LARGEST_BYTES = SERVER_MAX_BUFFER - CREATE_BYTES;

    /** Together less than an eighth of the heap of the servers under test, and more. */
    private static final int READS_THAT_FIT = 15;

    private static final int READS_BEYOND_THE_MEMORY = 40;
    private static final int ALL_LINES = 100_000;

    private final Ensemble ours = Ensemble.named("long-replies").build();
    private final Ensemble stock = Ensemble.named("long-replies-stock")
            .servers(1)
            .set("ordering.protocol", "zab")
            .set("standaloneEnabled", "false")
            .build();

    @Rule(order = 0)
    public final TestRule servers = ours.startedByTheTest();

    @Rule(order = 1)
    public final TestRule stockServers = stock.startedByTheTest();

    @Rule(order = 2)
    public final TestRule limit = ours.testLimit(300);

    private static ZooKeeper connect(ServerProcess server, int maxBuffer) throws Exception {
        ZKClientConfig config = new ZKClientConfig();
        config.setProperty("jute.maxbuffer", Integer.toString(maxBuffer));
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper client = new ZooKeeper(
                server.connectString(),
                SESSION_TIMEOUT_MILLIS,
                event -> {
                    if (event.getState() == KeeperState.SyncConnected) {
                        connected.countDown();
                    }
                },
                config);
        assertTrue("no session", connected.await(LIMIT_SECONDS, TimeUnit.SECONDS));
        return client;
    }

    private static void write(Ensemble ensemble) throws Exception {
        try (ZooKeeper client = connect(ensemble.server(1), CLIENT_MAX_BUFFER)) {
            client.create("/many", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            CountDownLatch answered = new CountDownLatch(CHILDREN);
            AtomicInteger created = new AtomicInteger();
            for (int i = 0; i < CHILDREN; i++) {
                client.create(
                        "/many/" + i + "-" + "n".repeat(NAME_CHARS),
                        null,
                        Ids.OPEN_ACL_UNSAFE,
                        CreateMode.PERSISTENT,
                        (rc, path, context, made) -> {
                            created.addAndGet(rc == Code.OK.intValue() ? 1 : 0);
                            answered.countDown();
                        },
                        null);
            }
            assertTrue("not created in time", answered.await(LIMIT_SECONDS, TimeUnit.SECONDS));
            assertEquals(CHILDREN, created.get());
            byte[] data = new byte[LARGEST_BYTES];
            Arrays.fill(data, (byte) 'd');
            client.create(LARGEST, data, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            client.create("/after", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
        try (ZooKeeper client = connect(ensemble.server(1), CLIENT_MAX_BUFFER)) {
            assertThrows(
                    "a request beyond the server's limit",
                    KeeperException.ConnectionLossException.class,
                    () -> client.create(
                            "/toolong", new byte[LARGEST_BYTES + 1], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));
        }
    }

    private static String names(List<String> children) {
        List<String> sorted = new ArrayList<>(children);
        Collections.sort(sorted);
        return children.size() + " names " + sorted.hashCode();
    }

    private static String data(byte[] data) {
        return data == null ? "none" : data.length + " bytes " + Arrays.hashCode(data);
    }

    private static String results(List<OpResult> results) {
        List<String> words = new ArrayList<>();
        for (OpResult result : results) {
            if (result instanceof OpResult.GetDataResult read) {
                words.add(data(read.getData()) + " version " + read.getStat().getVersion());
            } else if (result instanceof OpResult.GetChildrenResult read) {
                words.add(names(read.getChildren()));
            } else {
                words.add(result instanceof OpResult.ErrorResult error ? "error " + error.getErr() : result.toString());
            }
        }
        return words.toString();
    }

    private static String outcome(Callable<String> asked) throws Exception {
        try {
            return asked.call();
        } catch (KeeperException e) {
            return e.code().toString();
        }
    }

    private static List<String> ask(ServerProcess server) throws Exception {
        List<String> answers = new ArrayList<>();
        try (ZooKeeper client = connect(server, CLIENT_MAX_BUFFER)) {
            client.sync("/");
            long session = client.getSessionId();
            Stat stat = new Stat();
            answers.add(outcome(() -> names(client.getChildren("/many", false))));
            answers.add(
                    outcome(() -> names(client.getChildren("/many", false, stat)) + " of " + stat.getNumChildren()));
            answers.add(outcome(() -> data(client.getData(LARGEST, false, null))));
            answers.add(outcome(() -> results(client.multi(Collections.nCopies(READS_THAT_FIT, Op.getData(LARGEST))))));
            answers.add(outcome(() -> results(
                    client.multi(List.of(Op.getData(LARGEST), Op.getChildren("/missing"), Op.getData("/after"))))));
            answers.add(outcome(() -> results(client.multi(List.of(Op.getChildren("/many"), Op.getData("/after"))))));
            assertEquals("the session goes on", session, client.getSessionId());
        }
        for (String path : List.of("/many", LARGEST)) {
            try (ZooKeeper client = connect(server, SERVER_MAX_BUFFER)) {
                answers.add(outcome(() -> path.equals(LARGEST)
                        ? data(client.getData(path, false, null))
                        : names(client.getChildren(path, false))));
            }
        }
        return answers;
    }

    @Test
    public void longReplies_areThoseOfApacheZooKeeper() throws Exception {
        Assume.assumeFalse("stock servers need not be compared with themselves", ours.isStock());
        ours.start();
        write(ours);
        for (ServerProcess server : ours.servers()) {
            beyondTheMemory_isRefusedByName(server);
        }
        List<List<String>> answers = new ArrayList<>();
        for (ServerProcess server : ours.servers()) {
            answers.add(ask(server));
        }
        ours.killAll();
        stock.start();
        write(stock);
        List<String> expected = ask(stock.server(1));
        for (int i = 0; i < answers.size(); i++) {
            assertEquals("server " + (i + 1), expected, answers.get(i));
        }
        assertTrue(expected.toString(), expected.get(0).startsWith(CHILDREN + " names "));
        assertTrue(expected.toString(), expected.get(2).startsWith(LARGEST_BYTES + " bytes "));
    }

    /** Here Apache ZooKeeper makes the reply, as long as its heap lasts. */
    private static void beyondTheMemory_isRefusedByName(ServerProcess server) throws Exception {
        try (ZooKeeper client = connect(server, CLIENT_MAX_BUFFER)) {
            client.sync("/");
            long session = client.getSessionId();
            KeeperException refused = assertThrows(
                    KeeperException.class,
                    () -> client.multi(Collections.nCopies(READS_BEYOND_THE_MEMORY, Op.getData(LARGEST))));
            assertEquals(Code.MARSHALLINGERROR, refused.code());
            List<String> log = server.lastLogLines(ALL_LINES);
            assertTrue(
                    "the server says why",
                    log.stream()
                            .anyMatch(line -> line.contains("the reply to multiRead of " + LARGEST + " would have ")
                                    && line.contains("ask for less, or set ZK_SERVER_HEAP to more")));
            assertEquals(LARGEST_BYTES, client.getData(LARGEST, false, null).length);
            assertEquals("the session goes on", session, client.getSessionId());
            assertTrue(server.gauge("ordering_long_replies_refused") >= 1);
        }
    }
}
