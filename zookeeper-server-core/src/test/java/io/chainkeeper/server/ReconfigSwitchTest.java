package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.server.state.EnsembleConfig;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.admin.ZooKeeperAdmin;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** {@code reconfigEnabled} is changed server by server. */
public class ReconfigSwitchTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private TestEnsemble ensemble;

    @Before
    public void startEnsemble() throws Exception {
        ensemble = new TestEnsemble(folder.getRoot().toPath(), 3, ReadConsistency.LINEARIZABLE, Map.of());
        ensemble.order().setMembers(List.of(1, 2, 3));
        ensemble.startAll();
        ensemble.order().elect(1);
        for (int id = 1; id <= 3; id++) {
            int replica = id;
            TestEnsemble.await(
                    "the cluster is formed at " + id,
                    () -> ensemble.replica(replica).replicatedState().clusterId() != null);
        }
    }

    @After
    public void stopEnsemble() throws Exception {
        ensemble.close();
        QuorumPeerConfig.setReconfigEnabled(false);
    }

    private void restart(int id, boolean enabled) throws Exception {
        ensemble.stop(id);
        ensemble.set("reconfigEnabled", Boolean.toString(enabled));
        ensemble.start(id);
        if (id == 1) {
            ensemble.order().elect(1);
        }
        ensemble.awaitServing(id);
    }

    private EnsembleConfig replicated(int id) {
        return ensemble.replica(id).replicatedState().configuration();
    }

    private void awaitReplicated(int servers) throws Exception {
        for (int id = 1; id <= servers; id++) {
            int replica = id;
            TestEnsemble.await("the configuration is replicated at " + id, () -> replicated(replica) != null);
        }
    }

    private void allowAll(int... ids) throws Exception {
        for (int id : ids) {
            ensemble.server(id).getZKDatabase().getDataTree().setACL(ZooDefs.CONFIG_NODE, Ids.OPEN_ACL_UNSAFE, -1);
        }
    }

    private static String config(ZooKeeperAdmin admin) throws Exception {
        return new String(admin.getConfig(false, null), StandardCharsets.UTF_8);
    }

    private void assertDisabled(int id) throws Exception {
        ZooKeeperAdmin admin = ensemble.admin(id);
        assertThrows(
                KeeperException.ReconfigDisabledException.class,
                () -> admin.reconfigure(null, "3", null, -1, new Stat()));
    }

    @Test
    public void firstServerWithIt_servesReconfigAndTheOthersFollow() throws Exception {
        assertDisabled(2);
        assertNull(replicated(2));
        restart(2, true);
        awaitReplicated(3);
        allowAll(1, 2, 3);
        assertDisabled(1);
        assertDisabled(3);
        String line = ensemble.newServer(4);
        ensemble.set("reconfigEnabled", "false");
        ensemble.start(4);
        String config =
                new String(ensemble.admin(2).reconfigure(line, null, null, -1, new Stat()), StandardCharsets.UTF_8);
        ensemble.awaitServing(4);
        allowAll(4);
        EnsembleChecks.assertReplicasEqual(ensemble, 4);
        assertEquals(List.of(1, 2, 3, 4), ensemble.order().members());
        for (int id = 1; id <= 4; id++) {
            int replica = id;
            assertEquals(config, config(ensemble.admin(id)));
            TestEnsemble.await(
                    "server " + id + " keeps it, whatever its own setting is",
                    () -> lines(replica).contains("dynamicConfigFile="));
        }
    }

    private String lines(int id) {
        try {
            return Files.readString(ensemble.configFile(id));
        } catch (java.io.IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    public void serverByServer_onAndOff_andTheServersOwnFilesCountAgain() throws Exception {
        for (int id = 1; id <= 3; id++) {
            restart(id, true);
            awaitReplicated(3);
        }
        allowAll(1, 2, 3);
        String config =
                new String(ensemble.admin(1).reconfigure(null, "3", null, -1, new Stat()), StandardCharsets.UTF_8);
        ensemble.admin(2).reconfigure(ensemble.serverLine(3, "participant"), null, null, -1, new Stat());
        ensemble.awaitServing(3);
        for (int id = 1; id <= 3; id++) {
            assertNotNull(replicated(id));
            assertTrue(replicated(id).version() > EnsembleConfig.versionOf(config));
            restart(id, false);
            assertDisabled(id);
        }
        for (int id = 1; id <= 3; id++) {
            int replica = id;
            TestEnsemble.await(
                    "the configuration is not replicated at " + id + " any more", () -> replicated(replica) == null);
            assertTrue(config(ensemble.admin(id)), config(ensemble.admin(id)).contains("server.3="));
        }
        ensemble.client(2).create("/static", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        for (int id = 3; id >= 1; id--) {
            restart(id, false);
            assertNull("after a replay of all that", replicated(id));
        }
        EnsembleChecks.assertReplicasEqual(ensemble, 3);
        restart(3, true);
        awaitReplicated(3);
        allowAll(1, 2, 3);
        ensemble.admin(3).reconfigure(null, "1", null, -1, new Stat());
        assertEquals(List.of(2, 3), ensemble.order().members());
    }
}
