package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;

import io.chainkeeper.command.AuthId;
import io.chainkeeper.command.Command;
import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.ProposedCommand;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.jute.BinaryOutputArchive;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult.ErrorResult;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.proto.SetDataRequest;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Who the servers are is said by their files or by {@code reconfig}, whoever may write the node that shows it. */
public class ConfigurationNodeTest {
    private static final byte[] NO_CONFIGURATION = {'x'};

    /** No member, so that none of its commands collides with those of a replica. */
    private static final int PROPOSER = 99;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private TestEnsemble ensemble;

    @Before
    public void startEnsemble() throws Exception {
        ensemble = new TestEnsemble(folder.getRoot().toPath(), 2).startAll();
        for (int id = 1; id <= 2; id++) {
            ensemble.server(id).getZKDatabase().getDataTree().setACL(ZooDefs.CONFIG_NODE, Ids.OPEN_ACL_UNSAFE, -1);
        }
    }

    @After
    public void stopEnsemble() throws Exception {
        ensemble.close();
    }

    private String shown(int id) throws Exception {
        return new String(ensemble.client(id).getData(ZooDefs.CONFIG_NODE, false, null), StandardCharsets.UTF_8);
    }

    @Test(timeout = 300_000)
    public void dataOfTheNode_isSetByNoClientWhateverItMay() throws Exception {
        String before = shown(1);
        ZooKeeper client = ensemble.client(1);
        assertThrows(
                KeeperException.NoAuthException.class, () -> client.setData(ZooDefs.CONFIG_NODE, NO_CONFIGURATION, -1));
        KeeperException refused = assertThrows(
                KeeperException.class,
                () -> client.multi(List.of(
                        Op.create("/a", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT),
                        Op.setData(ZooDefs.CONFIG_NODE, NO_CONFIGURATION, -1))));
        assertEquals(Code.NOAUTH.intValue(), ((ErrorResult) refused.getResults().get(1)).getErr());
        assertNull(client.exists("/a", false));
        client.create("/zookeeper/configuration", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        client.setData("/zookeeper/configuration", NO_CONFIGURATION, -1);
        assertEquals(before, shown(2));
        EnsembleChecks.assertReplicasEqual(ensemble, 2);
    }

    /** By a member of bad faith, or before servers refused it. */
    @Test(timeout = 300_000)
    public void nodeHoldsNoConfiguration_serversStartAndShowTheirOwn() throws Exception {
        String before = shown(1);
        ByteArrayOutputStream record = new ByteArrayOutputStream();
        new SetDataRequest(ZooDefs.CONFIG_NODE, NO_CONFIGURATION, -1)
                .serialize(BinaryOutputArchive.getArchive(record), "request");
        Command.ClientRequest request = new Command.ClientRequest(
                System.currentTimeMillis(),
                1,
                1,
                OpCode.setData,
                List.of(new AuthId("ip", "127.0.0.1")),
                ByteSlice.of(record.toByteArray()),
                Command.ClientRequest.QUOTA_KEPT,
                true,
                0);
        ensemble.order()
                .decide(BatchCodec.encode(
                        List.of(new ProposedCommand(PROPOSER, 1, 0, 1, CommandCodec.encode(request)))));
        ensemble.awaitEqualPositions();
        assertEquals("x", shown(1));
        for (int id = 1; id <= 2; id++) {
            ensemble.stop(id);
            ensemble.start(id);
            ensemble.awaitServing(id);
            assertEquals(before, shown(id));
        }
    }
}
