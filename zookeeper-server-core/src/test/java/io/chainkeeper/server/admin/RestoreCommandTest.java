package io.chainkeeper.server.admin;

import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.FreePorts;
import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.server.TestEnsemble;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.io.InputStream;
import java.util.Map;
import org.apache.zookeeper.server.admin.Commands;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The one command of the process, and the servers that it knows. */
public class RestoreCommandTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private static String errorOf(OrderedZooKeeperServer server) {
        return Commands.getCommand("restore")
                .runPost(server, InputStream.nullInputStream())
                .getError();
    }

    /** A process may have many servers one after the other; who knows a former one keeps its whole tree. */
    @Test
    public void serverThatHasStopped_isForgotten() throws Exception {
        Map<String, String> settings = Map.of(
                "admin.enableServer", "true",
                "admin.serverAddress", "127.0.0.1",
                "admin.serverPort", Integer.toString(FreePorts.next()),
                "admin.rateLimiterIntervalInMS", "1");
        try (TestEnsemble ensemble =
                new TestEnsemble(folder.getRoot().toPath(), 1, ReadConsistency.LINEARIZABLE, settings).startAll()) {
            OrderedZooKeeperServer server = ensemble.server(1);
            String known = errorOf(server);
            assertTrue(known, known.contains("no whole snapshot"));
            ensemble.stop(1);
            assertNull("ZooKeeper's own command, which says nothing, answers for unknown servers", errorOf(server));
        }
    }
}
