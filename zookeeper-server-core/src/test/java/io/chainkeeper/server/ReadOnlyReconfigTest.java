package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.command.Command;
import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import java.util.Map;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.client.FourLetterWordMain;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** {@code readonlymode.enabled}: a replica is left without the order while it has something to propose. */
public class ReadOnlyReconfigTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private TestEnsemble ensemble;

    @Before
    public void startEnsemble() throws Exception {
        System.setProperty("readonlymode.enabled", "true");
        Map<String, String> settings = Map.of("reconfigEnabled", "true", "initLimit", "300");
        ensemble = new TestEnsemble(folder.getRoot().toPath(), 3, ReadConsistency.LINEARIZABLE, settings);
        ensemble.startForReconfig(3);
    }

    @After
    public void stopEnsemble() throws Exception {
        ensemble.order().room().make();
        ensemble.close();
        QuorumPeerConfig.setReconfigEnabled(false);
        System.clearProperty("readonlymode.enabled");
    }

    private String isReadOnly(int id) {
        try {
            return FourLetterWordMain.send4LetterWord("127.0.0.1", ensemble.clientPort(id), "isro")
                    .trim();
        } catch (Exception e) {
            return e.toString();
        }
    }

    /** The client of a reconfig is gone, so its plan is to be dropped, and there is no room for that. */
    @Test
    public void noRoomForAProposal_executesWhenTheOrderIsBack() throws Exception {
        String joiner = ensemble.newServer(4);
        ensemble.admin(3).reconfigure(joiner, null, null, -1, (rc, path, context, data, stat) -> {}, null);
        TestEnsemble.await(
                "the joiner is awaited",
                () -> ensemble.replica(3).replicatedState().plan() != null);
        ensemble.order().room().lackForNext(Command.DropPlan.class);
        ensemble.order().setCutOff(3, true);
        TestEnsemble.await("replica 3 is read-only", () -> isReadOnly(3).equals("ro"));
        ensemble.client(1).create("/meanwhile", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        ensemble.order().setCutOff(3, false);
        TestEnsemble.await(
                "replica 3 executes", () -> ensemble.server(3).getZKDatabase().getNode("/meanwhile") != null);
        ensemble.order().room().make();
        ensemble.awaitServing(3);
        assertEquals("rw", isReadOnly(3));
        TestEnsemble.await(
                "the plan is dropped",
                () -> ensemble.replica(1).replicatedState().plan() == null);
    }
}
