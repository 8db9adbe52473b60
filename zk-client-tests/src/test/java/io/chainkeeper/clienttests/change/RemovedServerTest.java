package io.chainkeeper.clienttests.change;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.ServerProcess;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** A server that is taken out of the ensemble by editing the files of the others, without a {@code reconfig}. */
public class RemovedServerTest {
    private static final int SESSION_TIMEOUT_MILLIS = 4000;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Ensemble ensemble = Ensemble.named("removed-server").build();
    private final ServerProcess asked = ensemble.server(1);
    private final ServerProcess removed = ensemble.server(3);

    @Rule(order = 0)
    public final TestRule servers = ensemble;

    @Rule(order = 1)
    public final TestRule limit = ensemble.testLimit(180);

    private static void createEphemeral(ZooKeeper client, String path) throws Exception {
        client.create(path, null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
    }

    /** Those that are left have never seen it go silent, so nobody has taken its sessions over. */
    @Test
    public void linesAreEditedWhileAllAreDown_sessionsAtTheServerThatIsGoneEnd() throws Exception {
        try (ZooKeeper ofTheRemoved = Clients.connect(removed.connectString(), SESSION_TIMEOUT_MILLIS);
                ZooKeeper ofAnother = Clients.connect(asked.connectString())) {
            createEphemeral(ofTheRemoved, "/of-the-removed");
            createEphemeral(ofAnother, "/of-another");
            ensemble.killAll();
            List<ServerProcess> left = List.of(asked, ensemble.server(2));
            for (ServerProcess server : left) {
                server.configure(Collections.singletonMap("server.3", null));
                server.start();
            }
            for (ServerProcess server : left) {
                server.awaitServing();
            }
            try (ZooKeeper client = Clients.connect(ensemble.server(2).connectString())) {
                Await.until(
                        "the session at the removed server ends",
                        LIMIT,
                        () -> client.exists("/of-the-removed", false) == null);
                assertNotNull("a session that is served goes on", client.exists("/of-another", false));
                assertEquals(0, ofAnother.getData("/", false, null).length);
            }
        }
    }
}
