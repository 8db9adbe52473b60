package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.command.Command;
import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.admin.ZooKeeperAdmin;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** {@code localSessionsEnabled}: a {@code reconfig} is the first thing that a client asks for. */
public class LocalSessionReconfigTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private TestEnsemble ensemble;

    @Before
    public void startEnsemble() throws Exception {
        Map<String, String> settings = Map.of(
                "localSessionsEnabled",
                "true",
                "localSessionsUpgradingEnabled",
                "true",
                "reconfigEnabled",
                "true",
                "initLimit",
                "300");
        ensemble = new TestEnsemble(folder.getRoot().toPath(), 3, ReadConsistency.LINEARIZABLE, settings);
        ensemble.startForReconfig(3);
    }

    @After
    public void stopEnsemble() throws Exception {
        ensemble.close();
        QuorumPeerConfig.setReconfigEnabled(false);
    }

    /** Its turn comes while the command that makes its session known to all is still on its way. */
    @Test
    public void firstRequestIsAReconfig_isCarriedOutBehindTheUpgrade() throws Exception {
        ZooKeeperAdmin admin = ensemble.admin(2);
        assertTrue(ensemble.server(2).isLocalSession(admin.getSessionId()));
        ensemble.order().room().orderNothingUntil(Command.PlanEnsemble.class);
        CompletableFuture<Integer> answer = new CompletableFuture<>();
        admin.reconfigure(null, "3", null, -1, (rc, path, context, data, stat) -> answer.complete(rc), null);
        assertEquals(Code.OK, Code.get(answer.get(TestEnsemble.DEADLINE_SECONDS, TimeUnit.SECONDS)));
        assertEquals(List.of(1, 2), ensemble.order().members());
        assertFalse(ensemble.server(2).isLocalSession(admin.getSessionId()));
    }
}
