package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.server.connection.ClientConnections;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.server.NettyServerCnxnFactory;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameter;
import org.junit.runners.Parameterized.Parameters;

/** A {@code reconfig} that gives a server another address for its clients, with the port that it has. */
@RunWith(Parameterized.class)
public class ClientAddressTest {
    private static final String FACTORY = "zookeeper.serverCnxnFactory";

    @Parameters(name = "{0}")
    public static List<String> factories() {
        return List.of(NettyServerCnxnFactory.class.getName(), ClientConnections.class.getName());
    }

    @Parameter
    public String factory;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private TestEnsemble ensemble;

    @Before
    public void startEnsemble() throws Exception {
        ensemble = new TestEnsemble(
                folder.getRoot().toPath(),
                3,
                ReadConsistency.LINEARIZABLE,
                Map.of("reconfigEnabled", "true", "serverCnxnFactory", factory));
        ensemble.order().setMembers(List.of(1, 2, 3));
        ensemble.startAll();
        ensemble.order().elect(1);
        ensemble.awaitServing(1);
        ensemble.awaitServing(2);
        for (int id = 1; id <= 3; id++) {
            ensemble.server(id).getZKDatabase().getDataTree().setACL(ZooDefs.CONFIG_NODE, Ids.OPEN_ACL_UNSAFE, -1);
        }
    }

    @After
    public void stopEnsemble() throws Exception {
        ensemble.close();
        QuorumPeerConfig.setReconfigEnabled(false);
        System.clearProperty(FACTORY);
    }

    private void serveAt(String address) throws Exception {
        String line = ensemble.serverLine(2, "participant").replaceFirst(";.*", ";" + address + ":" + port());
        ensemble.admin(1).reconfigure(line, null, null, -1, null);
    }

    private int port() {
        return ensemble.clientPort(2);
    }

    private boolean answers(String address) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address, port()), 5_000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** As ZooKeeper's own ReconfigExceptionTest does. */
    @Test
    public void samePortAtAllAddressesAndBack_isServedThere() throws Exception {
        serveAt("0.0.0.0");
        TestEnsemble.await("clients are served at all addresses", () -> answers("127.0.0.2"));
        ensemble.client(2).create("/a", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        serveAt("127.0.0.1");
        TestEnsemble.await("clients are served at one address", () -> !answers("127.0.0.2") && answers("127.0.0.1"));
        assertEquals(0, ensemble.client(2).getData("/a", false, null).length);
    }
}
