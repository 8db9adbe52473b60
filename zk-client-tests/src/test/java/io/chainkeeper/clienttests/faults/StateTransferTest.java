package io.chainkeeper.clienttests.faults;

import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.AcceptorLogFiles;
import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.TreeDump;
import java.nio.file.Files;
import java.time.Duration;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.Assume;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** A server that was away for longer than the others' acceptor logs reach. */
public class StateTransferTest {
    private static final int NODES = 10;
    private static final int VALUE_BYTES = 500_000;

    /** More than two segments of the acceptor log, of which those that nobody needs are deleted. */
    private static final int WRITES = 400;

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Ensemble ensemble = Ensemble.named("state-transfer")
            .set("ordering.logRetentionBytes", "1048576")
            .set("snapCount", "40")
            .build();

    @Rule(order = 0)
    public final TestRule servers = ensemble;

    @Rule(order = 1)
    public final TestRule limit = ensemble.testLimit(180);

    @Test
    public void serverAwayLongerThanTheLogsReach_comesBackByItself() throws Exception {
        Assume.assumeFalse(
                "with shared disks the order is not in the servers' logs",
                Ensemble.defaultProtocol().equals("disk"));
        ServerProcess leader = ensemble.leader();
        ServerProcess away = ensemble.behind(leader).get(0);
        try (ZooKeeper client = Clients.connect(leader.connectString())) {
            for (int i = 0; i < NODES; i++) {
                client.create("/n" + i, new byte[1], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            }
            AcceptorLogFiles log = AcceptorLogFiles.of(leader);
            String before = log.oldestSegment();
            away.kill();
            for (int i = 0; i < WRITES; i++) {
                byte[] value = new byte[VALUE_BYTES];
                value[0] = (byte) i;
                client.setData("/n" + i % NODES, value, -1);
            }
            Await.until(
                    "the leader's log has been cut",
                    LIMIT,
                    () -> !log.oldestSegment().equals(before));
            away.start();
            away.awaitServing();
            assertTrue("the state was installed", Files.exists(away.directory().resolve("data/ordering/installed")));
            client.setData("/n0", new byte[10], -1);
        }
        try (ZooKeeper client = Clients.connect(away.connectString())) {
            client.setData("/n1", new byte[20], -1);
        }
        TreeDump.ofAllEqual(ensemble);
    }
}
