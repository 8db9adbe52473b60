package io.chainkeeper.server.admin;

import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.FreePorts;
import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.server.TestEnsemble;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.util.Map;
import org.apache.zookeeper.server.ZKDatabase;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.admin.Commands;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;
import org.apache.zookeeper.server.quorum.QuorumPeer;
import org.apache.zookeeper.server.quorum.ReadOnlyZooKeeperServer;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The one command of the process, and the servers that it knows. */
public class RestoreCommandTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private static String errorOf(ZooKeeperServer server) {
        return Commands.getCommand("restore")
                .runPost(server, InputStream.nullInputStream())
                .getError();
    }

    /** As ZooKeeper's own class that serves while there is no leader: its tree is nobody else's. */
    @Test
    public void serverWithoutTheOrder_refuses() throws Exception {
        Map<String, String> settings = Map.of(
                "admin.enableServer", "true",
                "admin.serverAddress", "127.0.0.1",
                "admin.serverPort", Integer.toString(FreePorts.next()));
        try (TestEnsemble ensemble =
                new TestEnsemble(folder.getRoot().toPath(), 1, ReadConsistency.LINEARIZABLE, settings).startAll()) {
            Constructor<ReadOnlyZooKeeperServer> constructor = ReadOnlyZooKeeperServer.class.getDeclaredConstructor(
                    FileTxnSnapLog.class, QuorumPeer.class, ZKDatabase.class);
            constructor.setAccessible(true);
            QuorumPeer peer = ensemble.peer(1);
            String error = errorOf(constructor.newInstance(
                    peer.getTxnFactory(), peer, ensemble.server(1).getZKDatabase()));
            assertTrue(error, error.contains("readers only"));
        }
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
