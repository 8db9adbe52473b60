package io.chainkeeper.clienttests.operation;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.LoadGenerator;
import io.chainkeeper.clienttests.harness.Scripts;
import io.chainkeeper.clienttests.harness.ServerProcess;
import io.chainkeeper.clienttests.harness.TreeDump;
import java.time.Duration;
import java.util.List;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.Assume;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** A server that is drained or stopped while clients write at all servers; compared with one that is killed. */
@RunWith(Parameterized.class)
public class LeavingServerTest {
    private static final int WRITES = 300;

    /** Shorter than a leader may be silent on any machine that runs this. */
    private static final Duration LONGEST_GAP = Duration.ofSeconds(3);

    private final Ensemble ensemble;

    @Rule(order = 0)
    public final TestRule servers;

    @Rule(order = 1)
    public final TestRule limit;

    public LeavingServerTest(String protocol) {
        ensemble = Ensemble.named("leaving-" + protocol)
                .set("ordering.protocol", protocol)
                .build();
        servers = ensemble;
        limit = ensemble.testLimit(240);
    }

    @Parameters(name = "{0}")
    public static List<String> protocols() {
        return List.of("chain", "iss", "disk");
    }

    @Before
    public void notForTheStockServer() {
        Assume.assumeFalse(
                "the stock server has its own ways", Ensemble.defaultProtocol().equals("zab"));
    }

    /** Ends a server. */
    private interface Ending {
        void end(ServerProcess server) throws Exception;
    }

    @Test
    public void leaderLeaves_sessionsGoOnAndOthersWriteAllTheTime() throws Exception {
        try (LoadGenerator load = new LoadGenerator(ensemble)) {
            load.start();
            load.awaitProgress(WRITES);
            Duration killed = longestGap("kill -9", load, ServerProcess::kill);
            Duration stopped = longestGap("stop", load, ServerProcess::terminate);
            Duration drained = longestGap("drain", load, LeavingServerTest::drain);
            load.stop();
            assertEquals("expired sessions", 0, load.writes().expiredSessionCount());
            load.writes().check(TreeDump.ofAllEqual(ensemble));
            assertTrue("stop: " + stopped + ", kill -9: " + killed, stopped.compareTo(LONGEST_GAP) < 0);
            assertTrue("drain: " + drained + ", kill -9: " + killed, drained.compareTo(LONGEST_GAP) < 0);
        }
    }

    private Duration longestGap(String what, LoadGenerator load, Ending ending) throws Exception {
        ServerProcess leader = ensemble.leader();
        List<ServerProcess> others =
                ensemble.servers().stream().filter(server -> server != leader).toList();
        load.awaitProgress(WRITES);
        long begin = System.nanoTime();
        ending.end(leader);
        load.awaitProgress(WRITES);
        Duration gap = load.longestGap(others, begin, System.nanoTime());
        System.out.println("longest gap of writers at the other servers, " + what + ": " + gap.toMillis() + " ms");
        leader.start();
        leader.awaitServing();
        return gap;
    }

    private static void drain(ServerProcess server) throws Exception {
        Scripts.Result result = server.script("drain");
        assertEquals(result.toString(), 0, result.exitCode());
        assertTrue(result.toString(), result.output().contains("STOPPED: server "));
        assertTrue(result.toString(), result.output().contains(" client connections closed"));
        assertEquals(0, server.awaitExit());
    }

    @Test
    public void othersCouldNotGoOn_serverStays() throws Exception {
        ServerProcess leader = ensemble.leader();
        // Over shared disks any one of the others could.
        List<ServerProcess> dead = ensemble.behind(leader).subList(0, ensemble.hasDisks() ? 2 : 1);
        try (ZooKeeper client = Clients.connect(leader.connectString())) {
            for (ServerProcess server : dead) {
                server.kill();
            }
            Scripts.Result result = leader.script("drain");
            assertEquals(result.toString(), 1, result.exitCode());
            assertTrue(result.toString(), result.output().contains("NOT DRAINED"));
            assertTrue(result.toString(), result.errors().contains("without this server there is no quorum"));
            client.create("/still", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            assertEquals(0, leader.gauge("ordering_draining"));
        }
        ensemble.startAll();
        assertFalse(leader.lastLogLines(200).stream().anyMatch(line -> line.contains("Leaving: ")));
    }
}
