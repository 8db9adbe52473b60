package io.chainkeeper.clienttests.faults;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.AcceptorLogFiles;
import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.Scripts;
import io.chainkeeper.clienttests.harness.ServerProcess;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.Assume;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/**
 * {@code zkServer.sh switch-protocol} at a server that was stopped as it should be, and has accepted a write that it
 * had not executed: the others may have made it a decision, and then it has been acknowledged.
 */
@RunWith(Parameterized.class)
public class UnexecutedWritesTest {
    private static final String MARK = "accepted-and-not-executed";
    private static final long SCRIPT_LIMIT_SECONDS = 60;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final String to;
    private final Ensemble ensemble;

    @Rule(order = 0)
    public final TestRule servers;

    @Rule(order = 1)
    public final TestRule limit;

    public UnexecutedWritesTest(String from, String to) {
        this.to = to;
        this.ensemble = Ensemble.named("unexecuted-writes-" + from)
                .set("ordering.protocol", from)
                .build();
        this.servers = ensemble.startedByTheTest();
        this.limit = ensemble.testLimit(240);
    }

    @Parameters(name = "from {0} to {1}")
    public static List<Object[]> directions() {
        return List.of(new Object[] {"chain", "iss"}, new Object[] {"iss", "chain"});
    }

    @Test
    public void acceptedAndNotExecuted_isNotSwitchedUntilItIs() throws Exception {
        Assume.assumeFalse(
                "the stock server has one protocol", Ensemble.defaultProtocol().equals("zab"));
        ensemble.start();
        ServerProcess leader = ensemble.leader();
        AcceptorLogFiles log = AcceptorLogFiles.of(leader);
        try (ZooKeeper client = Clients.connect(leader.connectString())) {
            client.create("/before", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            assertFalse(log.hold(MARK));
            for (ServerProcess other : ensemble.behind(leader)) {
                other.pause();
            }
            client.create(
                    "/" + MARK,
                    null,
                    Ids.OPEN_ACL_UNSAFE,
                    CreateMode.PERSISTENT,
                    (rc, path, context, name) -> {},
                    null);
            Await.until("the leader has accepted the write", LIMIT, () -> log.hold(MARK));
            leader.terminate();
        }
        Scripts.Result refused = switchProtocol(leader);
        assertEquals(refused.toString(), 1, refused.exitCode());
        assertTrue(
                refused.toString(),
                refused.errors().contains("this server has accepted 1 writes, the first at position "));
        assertTrue(refused.toString(), refused.errors().contains("they may have been acknowledged"));
        assertTrue("nothing is put aside", Files.exists(leader.directory().resolve("data/ordering/identity")));

        for (ServerProcess other : ensemble.behind(leader)) {
            other.resume();
        }
        leader.start();
        ensemble.awaitCaughtUp();
        leader.terminate();
        Scripts.Result done = switchProtocol(leader);
        assertEquals(done.toString(), 0, done.exitCode());
    }

    private Scripts.Result switchProtocol(ServerProcess server) throws Exception {
        return Scripts.run(
                SCRIPT_LIMIT_SECONDS,
                server.directory(),
                "zkServer.sh",
                "switch-protocol",
                to,
                "--yes",
                server.configFile().toString());
    }
}
