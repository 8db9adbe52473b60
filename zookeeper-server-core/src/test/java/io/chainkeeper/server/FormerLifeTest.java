package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.FreePorts;
import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Map;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.NettyServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameter;
import org.junit.runners.Parameterized.Parameters;

/** A process may have one server after the other; nothing of the process keeps a former one, which has a whole tree. */
@RunWith(Parameterized.class)
public class FormerLifeTest {
    private static final int LONG_REPLY_BYTES = 900_000;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    @Parameter
    public Class<? extends ServerCnxnFactory> factory;

    private TestEnsemble ensemble;

    /** Both that a configuration may name. */
    @Parameters(name = "{0}")
    public static List<Class<? extends ServerCnxnFactory>> factories() {
        return List.of(NettyServerCnxnFactory.class, NIOServerCnxnFactory.class);
    }

    @Before
    public void startServer() throws Exception {
        Map<String, String> settings = Map.of(
                "serverCnxnFactory",
                factory.getName(),
                "admin.enableServer",
                "true",
                "admin.serverAddress",
                "127.0.0.1",
                "admin.serverPort",
                Integer.toString(FreePorts.next()));
        ensemble = new TestEnsemble(folder.getRoot().toPath(), 1, ReadConsistency.LINEARIZABLE, settings).startAll();
    }

    @After
    public void stopServer() throws Exception {
        ensemble.close();
        System.clearProperty(ServerCnxnFactory.ZOOKEEPER_SERVER_CNXN_FACTORY);
    }

    @Test
    public void serverBeginsAnew_theFormerOneIsCollected() throws Exception {
        ZooKeeper client = ensemble.client(1);
        client.create("/long", new byte[LONG_REPLY_BYTES], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        assertEquals(LONG_REPLY_BYTES, client.getData("/long", true, null).length);
        WeakReference<Object> former = new WeakReference<>(ensemble.server(1));
        ensemble.stop(1);
        ensemble.start(1);
        ensemble.awaitServing(1);
        TestEnsemble.await("the former server is collected", () -> {
            System.gc();
            return former.get() == null;
        });
    }
}
