package io.chainkeeper.clienttests.client;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.TreeDump;
import io.chainkeeper.clienttests.harness.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/**
 * A short look at ISS in every build. {@code -Densemble.protocol=iss} runs all other tests of this module with it.
 */
public class IssTest {
    private static final int SUSPICION_TIMEOUT_MILLIS = 1_000;
    private static final Duration LIMIT = Duration.ofSeconds(30);

    @ClassRule
    public static final Ensemble ensemble = Ensemble.named("iss")
            .set("ordering.protocol", "iss")
            .suspicionTimeoutMillis(SUSPICION_TIMEOUT_MILLIS)
            .build();

    @Rule
    public final TestRule limit = ensemble.testLimit(240);

    @Test
    public void clientsAtAllServers_seeEachOthersWritesEphemeralsAndWatches() throws Exception {
        List<ZooKeeper> clients = new ArrayList<>();
        try {
            for (ServerProcess server : ensemble.servers()) {
                clients.add(Clients.connect(server.connectString()));
            }
            clients.get(0).create("/iss", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            CountDownLatch events = new CountDownLatch(clients.size());
            for (ZooKeeper client : clients) {
                client.exists("/iss/ephemeral", event -> events.countDown());
            }
            int version = 0;
            for (ZooKeeper writer : clients) {
                byte[] value = {(byte) ++version};
                assertEquals(version, writer.setData("/iss", value, version - 1).getVersion());
                for (ZooKeeper reader : clients) {
                    assertArrayEquals("read without a sync", value, reader.getData("/iss", false, null));
                }
            }
            try (ZooKeeper owner = Clients.connect(ensemble.server(2).connectString())) {
                owner.create("/iss/ephemeral", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
                assertTrue("watches fire", events.await(LIMIT.toSeconds(), TimeUnit.SECONDS));
            }
            for (ZooKeeper client : clients) {
                Await.until("the ephemeral is gone", LIMIT, () -> client.exists("/iss/ephemeral", false) == null);
            }
            clients.get(1).delete("/iss", version);
        } finally {
            for (ZooKeeper client : clients) {
                client.close();
            }
        }
        TreeDump.ofAllEqual(ensemble);
    }

    /** SIGKILL to the first, to the last, which coordinates, and to all at once, while clients write and read. */
    @Test
    public void serversAreKilledAndRestarted_nothingIsLostAndTheHistoryIsLinearizable() throws Exception {
        try (Workload workload = new Workload(ensemble, 70)) {
            for (ServerProcess victim : List.of(ensemble.server(1), ensemble.server(3))) {
                workload.during("iss: server " + victim.id() + " killed", ensemble.behind(victim), victim::kill);
                victim.start();
                workload.awaitRecovered();
            }
            ensemble.killAll();
            ensemble.startAll();
            workload.finish();
        }
    }
}
