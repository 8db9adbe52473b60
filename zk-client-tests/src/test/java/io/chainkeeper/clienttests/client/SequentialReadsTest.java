package io.chainkeeper.clienttests.client;

import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.TreeDump;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** {@code reads=sequential}: a session sees its own writes and never goes back; it may be behind others. */
public class SequentialReadsTest {
    private static final int ROUNDS = 500;
    private static final List<String> PATHS = List.of("/k0", "/k1", "/k2");

    @ClassRule
    public static final Ensemble ensemble =
            Ensemble.named("sequential-reads").set("reads", "sequential").build();

    @Rule
    public final TestRule limit = ensemble.testLimit(60);

    private final AtomicReference<String> violation = new AtomicReference<>();

    @Test
    public void clientsAtAllReplicas_readTheirOwnWritesAndNeverGoBack() throws Exception {
        List<ZooKeeper> clients = new ArrayList<>();
        for (ServerProcess server : ensemble.servers()) {
            clients.add(Clients.connect(server.connectString()));
        }
        for (String path : PATHS) {
            clients.get(0).create(path, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
        CountDownLatch answers = new CountDownLatch(clients.size() * ROUNDS * (1 + PATHS.size()));
        for (ZooKeeper client : clients) {
            TreeDump.sync(client, "/");
        }
        for (ZooKeeper client : clients) {
            new Session(client, answers).run();
        }
        assertTrue("everything is answered", answers.await(50, TimeUnit.SECONDS));
        if (violation.get() != null) {
            throw new AssertionError(violation.get());
        }
        for (ZooKeeper client : clients) {
            client.close();
        }
    }

    /** One client's requests and what it has seen; its callbacks run one after the other. */
    private final class Session {
        private final ZooKeeper client;
        private final CountDownLatch answers;
        private final Map<String, Stat> lastSeen = new HashMap<>();
        private long greatestZxid;

        private Session(ZooKeeper client, CountDownLatch answers) {
            this.client = client;
            this.answers = answers;
        }

        private void run() {
            for (int round = 0; round < ROUNDS; round++) {
                String path = PATHS.get(round % PATHS.size());
                byte[] data = Integer.toString(round).getBytes(StandardCharsets.US_ASCII);
                client.setData(path, data, -1, (code, asked, context, stat) -> wrote(code, asked, stat), null);
                for (String each : PATHS) {
                    client.getData(each, false, (code, asked, context, read, stat) -> read(code, asked, stat), null);
                }
            }
        }

        private void wrote(int code, String path, Stat stat) {
            if (code != Code.OK.intValue()) {
                violation.compareAndSet(null, "setData " + path + ": " + Code.get(code));
            } else if (stat.getMzxid() <= greatestZxid) {
                violation.compareAndSet(
                        null, "write of " + path + " has zxid " + stat.getMzxid() + " after " + greatestZxid);
            } else {
                greatestZxid = stat.getMzxid();
                lastSeen.put(path, stat);
            }
            answers.countDown();
        }

        private void read(int code, String path, Stat stat) {
            Stat last = lastSeen.get(path);
            if (code != Code.OK.intValue()) {
                violation.compareAndSet(null, "getData " + path + ": " + Code.get(code));
            } else if (last != null && stat.getVersion() < last.getVersion()) {
                violation.compareAndSet(
                        null,
                        path + " was at version " + last.getVersion() + ", then read at version " + stat.getVersion());
            } else {
                greatestZxid = Math.max(greatestZxid, stat.getMzxid());
                lastSeen.put(path, stat);
            }
            answers.countDown();
        }
    }
}
