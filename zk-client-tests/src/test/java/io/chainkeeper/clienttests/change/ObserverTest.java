package io.chainkeeper.clienttests.change;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.FourLetterWord;
import io.chainkeeper.clienttests.harness.LoadGenerator;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.TreeDump;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.AfterParam;
import org.junit.runners.Parameterized.BeforeParam;
import org.junit.runners.Parameterized.Parameters;

/** Three participants and two observers: observers serve everything and count for nothing. */
@RunWith(Parameterized.class)
public class ObserverTest {
    private static final int WRITES = 50;
    private static final int LOAD_WRITES = 300;
    private static final Duration LOOKING_LIMIT = Duration.ofSeconds(60);

    private static Ensemble ensemble;

    @Rule
    public final TestRule limit = ensemble.testLimit(300);

    /** @param reads only for the name of the tests: their ensemble runs already */
    public ObserverTest(String reads) {}

    @BeforeParam
    public static void startEnsemble(String reads) throws Exception {
        ensemble = Ensemble.named("observers-" + reads)
                .servers(5)
                .observers(2)
                .set("reads", reads)
                .build();
        ensemble.start();
    }

    @AfterParam
    public static void endEnsemble() {
        ensemble.close();
    }

    @Parameters(name = "{0}")
    public static List<String> reads() {
        return List.of("linearizable", "sequential");
    }

    @Test
    public void observers_serveReadsAndWrites() throws Exception {
        for (int id : new int[] {4, 5}) {
            assertEquals("observer", ensemble.server(id).modeOnce());
            assertTrue(FourLetterWord.ask(ensemble.server(id), "conf").contains("peerType=1"));
        }
        try (ZooKeeper writer = Clients.connect(ensemble.server(4).connectString());
                ZooKeeper reader = Clients.connect(ensemble.server(5).connectString())) {
            writer.create("/o", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            for (int i = 0; i < WRITES; i++) {
                byte[] data = {(byte) i};
                writer.setData("/o", data, i);
                if (!ensemble.readsAreLinearizable()) {
                    reader.sync("/o", (rc, path, context) -> {}, null);
                }
                assertArrayEquals(data, reader.getData("/o", false, null));
            }
        }
    }

    @Test
    public void observersKilled_nobodyElseNotices() throws Exception {
        List<ServerProcess> participants = ensemble.servers().subList(0, 3);
        try (LoadGenerator load = new LoadGenerator(ensemble, participants)) {
            load.start();
            load.awaitProgress(LOAD_WRITES);
            for (int id : new int[] {4, 5}) {
                ensemble.server(id).kill();
            }
            load.awaitProgress(LOAD_WRITES);
            ensemble.startAll();
            load.stop();
            load.writes().check(TreeDump.ofAllEqual(ensemble));
        }
    }

    @Test
    public void majorityOfParticipantsKilled_observersDoNotMakeItUp() throws Exception {
        for (int id : new int[] {1, 2}) {
            ensemble.server(id).kill();
        }
        if (ensemble.hasDisks()) {
            assertTheOneThatIsLeftGoesOn();
            ensemble.startAll();
            return;
        }
        for (ServerProcess server : Arrays.asList(ensemble.server(3), ensemble.server(4), ensemble.server(5))) {
            Await.until(
                    "server " + server.id() + " stops serving",
                    LOOKING_LIMIT,
                    () -> server.mode() == null || "looking".equals(server.mode()));
        }
        ensemble.startAll();
        try (ZooKeeper client = Clients.connect(ensemble.server(5).connectString())) {
            client.create("/again", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
    }

    /** Over shared disks one participant is enough, whoever does not count. */
    private static void assertTheOneThatIsLeftGoesOn() throws Exception {
        for (int id : new int[] {3, 4, 5}) {
            ensemble.server(id).awaitServing();
            try (ZooKeeper client = Clients.connect(ensemble.server(id).connectString())) {
                client.create("/alone" + id, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            }
        }
        ensemble.server(3).kill();
        for (int id : new int[] {4, 5}) {
            Await.until(
                    "server " + id + " stops serving",
                    LOOKING_LIMIT,
                    () -> ensemble.server(id).mode() == null
                            || "looking".equals(ensemble.server(id).mode()));
        }
    }
}
