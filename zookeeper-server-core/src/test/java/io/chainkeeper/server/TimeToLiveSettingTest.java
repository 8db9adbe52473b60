package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;

import java.util.List;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult.ErrorResult;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Whether there may be nodes with a time to live is a matter of the client's server; what they are, of the cluster. */
public class TimeToLiveSettingTest {
    private static final String SETTING = "zookeeper.extendedTypesEnabled";
    private static final String EMULATION = "zookeeper.emulate353TTLNodes";

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private TestEnsemble ensemble;
    private ZooKeeper client;

    @Before
    public void startEnsemble() throws Exception {
        System.clearProperty(SETTING);
        ensemble = new TestEnsemble(folder.getRoot().toPath(), 2).startAll();
        client = ensemble.client(1);
    }

    @After
    public void stopEnsemble() throws Exception {
        try (TestEnsemble closed = ensemble) {
            EnsembleChecks.assertReplicasEqual(closed, 2);
        } finally {
            System.clearProperty(SETTING);
            System.clearProperty(EMULATION);
        }
    }

    private void createFor(String path, long timeToLiveMillis) throws Exception {
        CreateMode mode = CreateMode.PERSISTENT_WITH_TTL;
        client.create(path, null, Ids.OPEN_ACL_UNSAFE, mode, new Stat(), timeToLiveMillis);
    }

    private static Op create(String path, CreateMode mode) {
        return mode.isTTL()
                ? Op.create(path, null, Ids.OPEN_ACL_UNSAFE, mode, 1000)
                : Op.create(path, null, Ids.OPEN_ACL_UNSAFE, mode);
    }

    @Test
    public void notOffered_refusedAsByZooKeeperAndNothingElseIs() throws Exception {
        assertThrows(KeeperException.UnimplementedException.class, () -> createFor("/a", 1000));
        assertThrows(KeeperException.UnimplementedException.class, () -> createFor("/no/parent", 1000));
        KeeperException refused = assertThrows(
                KeeperException.class,
                () -> client.multi(List.of(
                        create("/b", CreateMode.PERSISTENT), create("/c", CreateMode.PERSISTENT_SEQUENTIAL_WITH_TTL))));
        assertEquals(Code.UNIMPLEMENTED, refused.code());
        assertEquals(
                Code.UNIMPLEMENTED.intValue(),
                ((ErrorResult) refused.getResults().get(1)).getErr());
        KeeperException earlier = assertThrows(
                KeeperException.class,
                () -> client.multi(List.of(Op.check("/none", -1), create("/c", CreateMode.PERSISTENT_WITH_TTL))));
        assertEquals(Code.NONODE, earlier.code());
        assertNull(client.exists("/b", false));
        client.create("/container", null, Ids.OPEN_ACL_UNSAFE, CreateMode.CONTAINER);
        client.create("/container/e", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
    }

    @Test
    public void settingChanges_nodesStayWhatTheyAre() throws Exception {
        System.setProperty(SETTING, "true");
        createFor("/a", 3_600_000);
        createFor("/a/child", 3_600_000);
        ensemble.awaitEqualPositions();
        ensemble.stop(2);
        System.clearProperty(SETTING);
        System.setProperty(EMULATION, "true");
        ensemble.start(2);
        ensemble.awaitServing(2);
        assertEquals(
                2, ensemble.server(2).getZKDatabase().getDataTree().getTtls().size());
        assertThrows(KeeperException.UnimplementedException.class, () -> createFor("/b", 1000));
        assertNotNull(ensemble.client(2).exists("/a/child", false));
    }
}
