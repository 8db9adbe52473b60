package io.chainkeeper.clienttests.operation;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.Scripts;
import io.chainkeeper.clienttests.harness.ServerProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.Assume;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** What an operator calls while servers run: {@code zkBackup.sh}, and {@code zkServer.sh drain}. */
public class CareScriptsTest {
    private static final long SCRIPT_LIMIT_SECONDS = 60;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final Ensemble ensemble = Ensemble.named("care-scripts").build();

    @Rule(order = 0)
    public final TestRule servers = ensemble;

    @Rule(order = 1)
    public final TestRule limit = ensemble.testLimit(180);

    @Before
    public void notForTheStockServer() {
        Assume.assumeFalse("the stock server has its own ways", ensemble.isStock());
    }

    private Scripts.Result backup(String... arguments) throws Exception {
        return Scripts.run(SCRIPT_LIMIT_SECONDS, ensemble.server(1).directory(), "zkBackup.sh", arguments);
    }

    private static void assertPrints(Scripts.Result result, int exitCode, String... words) {
        assertEquals(result.toString(), exitCode, result.exitCode());
        for (String word : words) {
            assertTrue(result.toString(), (result.output() + result.errors()).contains(word));
        }
    }

    @Test
    public void backupIsTakenAndProved_thenTheLeaderIsDrained() throws Exception {
        ServerProcess leader = ensemble.leader();
        try (ZooKeeper client = Clients.connect(ensemble.connectString())) {
            client.create("/kept", new byte[10], Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
            Path to = leader.directory().resolveSibling("backup-of-leader");
            String config = leader.configFile().toString();
            assertPrints(backup("backup", "--to", to.toString(), config), 0, "snapshot 0x", "the backup reaches 0x");
            assertPrints(backup("list", to.toString()), 0, "Backup of cluster ", "any state from ");
            assertPrints(backup("verify", to.toString()), 0, "Whole: ");
            Path data = to.resolveSibling("restored");
            assertPrints(backup("restore", to.toString(), "--into", data.toString()), 0, "Restored 0x");
            assertTrue(Files.isDirectory(data.resolve("version-2")));
            assertPrints(backup("restore", to.toString(), "--into", data.toString()), 1, "holds data");
            assertPrints(backup("verify", data.toString()), 1, "holds no backup");
            assertPrints(backup("--help"), 0, "--to-zxid");
            assertPrints(backup(), 2, "--to-zxid");

            // It may be another one by now: nine programs have run since, on a machine with little room.
            leader = ensemble.leader();
            assertPrints(leader.script("drain"), 0, "Draining zookeeper ... STOPPED: server ", " leads after ");
            assertEquals(0, leader.awaitExit());
            Await.until("the session goes on elsewhere", LIMIT, () -> {
                try {
                    return client.exists("/kept", false) != null;
                } catch (KeeperException.ConnectionLossException e) {
                    return false;
                }
            });
        }
    }
}
