package io.chainkeeper.clienttests.faults;

import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.AcceptorLogFiles;
import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.TreeDump;
import java.time.Duration;
import java.util.List;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** A server whose directory was emptied, as error messages and the documents advise. */
@RunWith(Parameterized.class)
public class LostDiskTest {
    private static final Duration CLOCK_SET_BACK = Duration.ofHours(2);

    @Rule(order = 0)
    public final Ensemble ensemble;

    @Rule(order = 1)
    public final TestRule limit;

    public LostDiskTest(String protocol) {
        ensemble = Ensemble.named("lost-disk-" + protocol)
                .set("ordering.protocol", protocol)
                .build();
        limit = ensemble.testLimit(180);
    }

    @Parameters(name = "{0}")
    public static List<String> protocols() {
        return List.of("chain", "iss", "disk");
    }

    /**
     * For the server the clock is two hours behind what it was in its former life. Not where disks are shared: there is
     * no acceptor log that a test could say so in, and the directory is emptied only.
     */
    @Test
    public void directoryIsEmptiedAndTheClockSetBack_serverServesAgainAndItsWritesCount() throws Exception {
        ServerProcess server = ensemble.server(3);
        server.kill();
        if (!ensemble.hasDisks()) {
            AcceptorLogFiles.of(server).moveIncarnationAhead(CLOCK_SET_BACK);
        }
        server.start();
        server.awaitServing();
        create(server, "/before");

        server.kill();
        server.emptyData();
        server.start();
        server.awaitServing();
        create(server, "/after");

        if (!ensemble.hasDisks()) {
            assertTrue("the order knew better", server.gauge("ordering_starts_superseded") >= 1);
        }
        TreeDump.ofAllEqual(ensemble);
    }

    private static void create(ServerProcess server, String path) throws Exception {
        try (ZooKeeper client = Clients.connect(server.connectString())) {
            client.create(path, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
    }
}
