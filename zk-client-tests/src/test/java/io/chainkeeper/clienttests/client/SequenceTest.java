package io.chainkeeper.clienttests.client;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.TreeDump;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** Sequence znodes created through all replicas at the same time. */
public class SequenceTest {
    private static final int CREATIONS_PER_CLIENT = 500;
    private static final String PARENT = "/queue";

    @ClassRule
    public static final Ensemble ensemble = Ensemble.named("sequence").build();

    @Rule
    public final TestRule limit = ensemble.testLimit(60);

    @Test
    public void clientsAtAllReplicasCreate_eachNumberIsGivenOnceAndInEachClientsOrder() throws Exception {
        List<ZooKeeper> clients = new ArrayList<>();
        for (ServerProcess server : ensemble.servers()) {
            clients.add(Clients.connect(server.connectString()));
        }
        clients.get(0).create(PARENT, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        CountDownLatch answers = new CountDownLatch(clients.size() * CREATIONS_PER_CLIENT);
        List<List<String>> names = new ArrayList<>();
        for (ZooKeeper client : clients) {
            // A linearizable read or a sync: the parent is there.
            TreeDump.sync(client, PARENT);
            List<String> namesOfClient = Collections.synchronizedList(new ArrayList<>());
            names.add(namesOfClient);
            for (int i = 0; i < CREATIONS_PER_CLIENT; i++) {
                client.create(
                        PARENT + "/item-",
                        null,
                        Ids.OPEN_ACL_UNSAFE,
                        CreateMode.PERSISTENT_SEQUENTIAL,
                        (code, path, context, name) -> {
                            namesOfClient.add(code == Code.OK.intValue() ? name : "failed: " + Code.get(code));
                            answers.countDown();
                        },
                        null);
            }
        }
        assertTrue("all creations are answered", answers.await(40, TimeUnit.SECONDS));

        TreeSet<String> all = new TreeSet<>();
        for (List<String> namesOfClient : names) {
            List<String> sorted = new ArrayList<>(namesOfClient);
            Collections.sort(sorted);
            assertEquals("names of one client in the order of its requests", sorted, namesOfClient);
            all.addAll(namesOfClient);
        }
        TreeSet<String> expected = new TreeSet<>();
        for (int number = 0; number < clients.size() * CREATIONS_PER_CLIENT; number++) {
            expected.add(String.format("%s/item-%010d", PARENT, number));
        }
        assertEquals(expected, all);
        for (ZooKeeper client : clients) {
            client.close();
        }
        TreeDump.ofAllEqual(ensemble);
    }
}
