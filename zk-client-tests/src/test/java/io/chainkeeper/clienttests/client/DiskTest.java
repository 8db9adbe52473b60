package io.chainkeeper.clienttests.client;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.EnsembleDisks;
import io.chainkeeper.clienttests.harness.Scripts;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.Workload;
import java.nio.file.Files;
import java.util.List;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/**
 * A short look at Disk Paxos in every build: two servers and three disks, which are files. {@code
 * -Densemble.protocol=disk} runs all other tests of this module with it.
 */
public class DiskTest {
    private static final int SUSPICION_TIMEOUT_MILLIS = 1_000;

    /** About the least that the largest requests allow. */
    private static final int REGION_BYTES = 33 << 20;

    private static final int LARGE_VALUE_BYTES = 500_000;
    private static final EnsembleDisks disks = new EnsembleDisks(3);

    @ClassRule
    public static final Ensemble ensemble = Ensemble.named("disk")
            .set("ordering.protocol", "disk")
            .servers(2)
            .disks(disks)
            .set("disk.regionBytes", Integer.toString(REGION_BYTES))
            // As users have it: neither snapshots nor bytes of transactions make room in time.
            .set("snapCount", "100000")
            .set("ordering.checkpointBytes", "67108864")
            .suspicionTimeoutMillis(SUSPICION_TIMEOUT_MILLIS)
            .build();

    @Rule
    public final TestRule limit = ensemble.testLimit(240);

    private static void assertDone(Scripts.Result result) {
        assertEquals(result.toString(), 0, result.exitCode());
    }

    /** SIGKILL to the leader, then to both; whoever is alone goes on, and knows what the other has acknowledged. */
    @Test
    public void eitherServerAloneGoesOn_andTheHistoryIsLinearizable() throws Exception {
        try (Workload workload = new Workload(ensemble, 90)) {
            ServerProcess leader = ensemble.leader();
            ServerProcess other = ensemble.behind(leader).get(0);
            workload.during("disk: leader killed", List.of(other), leader::kill);
            other.kill();
            leader.start();
            leader.awaitServing();
            workload.during("disk: the first one alone", List.of(leader), () -> {});
            other.start();
            workload.finish();
        }
    }

    /** The file of a disk is gone, and a new one takes its place, while clients write. */
    @Test
    public void diskIsReplacedWhileClientsWrite_nothingIsLost() throws Exception {
        try (Workload workload = new Workload(ensemble, 91)) {
            ServerProcess first = ensemble.server(1);
            ServerProcess second = ensemble.server(2);
            workload.during("disk: a disk is lost", List.of(second), () -> {
                Files.delete(disks.file(2));
                first.kill();
                first.start();
                first.awaitServing();
            });
            assertDone(disks.tool(first, "replace", "2", "--yes"));
            for (ServerProcess server : ensemble.servers()) {
                // It has counted the disk that was replaced, and says so.
                server.awaitExit();
                String last = server.lastLogLines(3).toString();
                assertTrue(last, last.contains("replaced"));
            }
            ensemble.startAll();
            workload.finish();
        }
        assertDone(disks.tool(ensemble.server(1), "inspect"));
        try (ZooKeeper client = Clients.connect(ensemble.connectString())) {
            client.create("/kept", new byte[] {7}, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
        ensemble.killAll();
        Files.delete(disks.file(3));
        ensemble.startAll();
        // A new client: one that was refused a moment ago, by a server just before it served, may lose its next read.
        try (ZooKeeper client = Clients.connect(ensemble.connectString())) {
            assertArrayEquals("two disks are enough", new byte[] {7}, client.getData("/kept", false, null));
        }
    }

    @Test
    public void moreThanARingHolds_isWrittenAndKept() throws Exception {
        try (ZooKeeper client = Clients.connect(ensemble.connectString())) {
            client.create("/large", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            byte[] large = new byte[LARGE_VALUE_BYTES];
            for (int written = 0; written < 2 * REGION_BYTES; written += large.length) {
                client.setData("/large", large, -1);
            }
            client.setData("/large", new byte[] {1}, -1);
        }
        // What the rings do not hold any more, each server has by itself.
        ensemble.killAll();
        ensemble.startAll();
        for (ServerProcess server : ensemble.servers()) {
            try (ZooKeeper client = Clients.connect(server.connectString())) {
                assertArrayEquals(new byte[] {1}, client.getData("/large", false, null));
            }
        }
    }
}
