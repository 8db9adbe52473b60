package io.chainkeeper.server;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.server.storage.StoredFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.admin.ZooKeeperAdmin;
import org.apache.zookeeper.client.FourLetterWordMain;
import org.apache.zookeeper.common.X509Exception.SSLContextException;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.server.quorum.QuorumPeer.LearnerType;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Changes of the ensemble by {@code reconfig}, over an order that follows what it is told. */
public class ReconfigTest {
    /** Longer than a test waits for anything: that a plan has stood too long neither fails a test nor lets one pass. */
    private static final int PATIENCE_TICKS = 2 * TestEnsemble.DEADLINE_SECONDS * 1_000 / TestEnsemble.TICK_MILLIS;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private TestEnsemble ensemble;

    @Before
    public void startEnsemble() throws Exception {
        ensemble = new TestEnsemble(
                folder.getRoot().toPath(),
                3,
                ReadConsistency.LINEARIZABLE,
                Map.of("reconfigEnabled", "true", "initLimit", Integer.toString(PATIENCE_TICKS)));
        ensemble.order().setMembers(List.of(1, 2, 3));
        ensemble.startAll();
        ensemble.order().elect(1);
        for (int id = 1; id <= 3; id++) {
            int replica = id;
            TestEnsemble.await("the cluster is formed at " + id, () -> isFormed(replica));
        }
    }

    private boolean isFormed(int id) {
        try {
            ClusterIdentity identity = ClusterIdentity.read(ensemble.orderingDirectory(id));
            return identity != null && identity.clusterId() != null;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @After
    public void stopEnsemble() throws Exception {
        ensemble.close();
        QuorumPeerConfig.setReconfigEnabled(false);
    }

    /** Lets everybody change the configuration; there is no super user in these tests. */
    private void allowAll(int... ids) throws Exception {
        for (int id : ids) {
            ensemble.server(id).getZKDatabase().getDataTree().setACL(ZooDefs.CONFIG_NODE, Ids.OPEN_ACL_UNSAFE, -1);
        }
    }

    private ZooKeeperAdmin admin(int id) throws Exception {
        return ensemble.admin(id);
    }

    private static String text(byte[] config) {
        return new String(config, StandardCharsets.UTF_8);
    }

    private String configured(int id) throws Exception {
        return text(ensemble.server(id).getZKDatabase().getDataTree().getData(ZooDefs.CONFIG_NODE, new Stat(), null));
    }

    @Test
    public void firstConfiguration_isTheServerListUnderVersionZero() throws Exception {
        String config = text(admin(2).getConfig(false, null));
        assertTrue(config, config.startsWith("server.1=127.0.0.1:"));
        assertTrue(config, config.endsWith(":participant\nversion=0"));
        EnsembleChecks.assertReplicasEqual(ensemble, 3);
    }

    /** Its transaction log holds the change, its snapshot does not, and the order is executed again from the start. */
    @Test
    public void serverRestartsWithoutASnapshotSinceTheChange_nodeHasTheTimeOfTheChange() throws Exception {
        allowAll(1, 2, 3);
        String line = ensemble.newServer(4);
        ensemble.start(4);
        admin(2).reconfigure(line, null, null, -1, new Stat());
        ensemble.awaitServing(4);
        ensemble.stop(3);
        ensemble.start(3);
        ensemble.awaitServing(3);
        ensemble.awaitEqualPositions();
        assertTrue(changedMillis(1) > 0);
        assertEquals(changedMillis(1), changedMillis(3));
    }

    private long changedMillis(int id) throws Exception {
        Stat stat = new Stat();
        ensemble.server(id).getZKDatabase().getDataTree().getData(ZooDefs.CONFIG_NODE, stat, null);
        return stat.getMtime();
    }

    @Test
    public void serverAdded_servesAndEverybodyAgrees() throws Exception {
        allowAll(1, 2, 3);
        String line = ensemble.newServer(4);
        ensemble.start(4);
        assertFalse(ensemble.server(4).isServing());
        Stat stat = new Stat();
        byte[] config = admin(2).reconfigure(line, null, null, -1, stat);
        assertTrue(text(config), text(config).contains(line + "\nversion=" + Long.toHexString(stat.getMzxid())));
        ensemble.awaitServing(4);
        assertArrayEquals(config, admin(4).getConfig(false, new Stat()));
        assertEquals(List.of(1, 2, 3, 4), ensemble.order().members());
        allowAll(4);
        EnsembleChecks.assertReplicasEqual(ensemble, 4);
        for (int id = 1; id <= 4; id++) {
            awaitVoters(id, 4);
            assertEquals(Ensemble.of(List.of(1, 2, 3, 4)), settled(id));
            awaitDynamicFile(ensemble.configFile(id));
            assertTrue(Files.readString(ensemble.configFile(id)
                            .resolveSibling("zoo.cfg.dynamic." + Long.toHexString(stat.getMzxid())))
                    .contains("server.4="));
        }
        assertTrue(Files.readString(ensemble.configFile(1).resolveSibling("zoo.cfg.bak"))
                .contains("server.1="));
        assertEquals(4, ensemble.order().addresses(1).size());
    }

    /** The peer is told of a configuration when its names have been looked up. */
    private void awaitVoters(int id, int count) throws Exception {
        TestEnsemble.await(
                "the peer of replica " + id + " knows " + count + " voters",
                () -> ensemble.peer(id).getVotingView().size() == count);
    }

    /** Each server writes its files when it looks for a new configuration the next time. */
    private static void awaitDynamicFile(Path configFile) throws Exception {
        TestEnsemble.await(configFile + " names its dynamic file and no server", () -> {
            try {
                String text = Files.readString(configFile);
                return text.contains("dynamicConfigFile=") && !text.contains("\nserver.");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /** What a replica tells the order once those who left have had time to go. */
    private Ensemble settled(int id) throws Exception {
        TestEnsemble.await(
                "replica " + id + " configures its order",
                () -> ensemble.order().configured(id) != null
                        && ensemble.order().configured(id).observers().isEmpty());
        return ensemble.order().configured(id);
    }

    @Test
    public void serverRemoved_stopsServingUntilAddedAgain() throws Exception {
        allowAll(1, 2, 3);
        ZooKeeperAdmin admin = admin(2);
        String config = text(admin.reconfigure(null, "1", null, -1, null));
        assertFalse(config, config.contains("server.1="));
        assertEquals(List.of(2, 3), ensemble.order().members());
        TestEnsemble.await("server 1 stops serving", () -> !ensemble.server(1).isServing());
        String srvr = FourLetterWordMain.send4LetterWord("127.0.0.1", ensemble.clientPort(1), "srvr");
        assertTrue(srvr, srvr.contains("not currently serving"));
        assertEquals(Ensemble.of(List.of(2, 3)), settled(2));
        admin.create("/without", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        admin.reconfigure(ensemble.serverLine(1, "participant"), null, null, -1, null);
        ensemble.awaitServing(1);
        ensemble.client(1).create("/with", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        EnsembleChecks.assertReplicasEqual(ensemble, 3);
    }

    @Test
    public void fullList_replacesAndDemotes() throws Exception {
        allowAll(1, 2, 3);
        String joiner = ensemble.newServer(7);
        ensemble.start(7);
        String members =
                String.join(",", ensemble.serverLine(1, "participant"), ensemble.serverLine(3, "observer"), joiner);
        admin(1).reconfigure(null, null, members, 0, null);
        ensemble.awaitServing(7);
        assertEquals(List.of(1, 7), ensemble.order().members());
        TestEnsemble.await(
                "server 3 is an observer", () -> ensemble.server(3).getState().equals("observer"));
        // The order knows it first, the configuration's followers a moment later.
        TestEnsemble.await("its peer says so too", () -> ensemble.peer(3).getLearnerType() == LearnerType.OBSERVER);
        ensemble.client(3).create("/by-observer", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        TestEnsemble.await("server 2 stops serving", () -> !ensemble.server(2).isServing());
        // It executes nothing any more, so it cannot be waited for.
        ensemble.stop(2);
        ensemble.awaitEqualPositions();
        assertEquals(configured(1), configured(7));
        assertEquals(configured(1), configured(3));
    }

    @Test
    public void serverAddedAsObserver_servesWithoutVoting() throws Exception {
        allowAll(1, 2, 3);
        ensemble.newServer(4);
        ensemble.start(4);
        admin(3).reconfigure(ensemble.serverLine(4, "observer"), null, null, -1, null);
        ensemble.awaitServing(4);
        assertEquals(List.of(1, 2, 3), ensemble.order().members());
        ensemble.awaitEqualPositions();
        assertEquals(
                new Ensemble(List.of(1, 2, 3), List.of(4)), ensemble.order().configured(2));
        assertEquals("observer", ensemble.server(4).getState());
        ZooKeeper client = ensemble.client(4);
        client.create("/o", new byte[] {1}, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        assertArrayEquals(new byte[] {1}, client.getData("/o", false, null));
        // The configuration is shown when its names have been looked up, which nobody waits for.
        TestEnsemble.await("conf says so", () -> confOf(4).contains("peerType=1"));
    }

    private String confOf(int id) {
        try {
            return FourLetterWordMain.send4LetterWord("127.0.0.1", ensemble.clientPort(id), "conf");
        } catch (IOException | SSLContextException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    public void sessionsOfARemovedServer_goOnElsewhereOrExpire() throws Exception {
        allowAll(1, 2, 3);
        ZooKeeper moving = ensemble.client(ensemble.address(3) + "," + ensemble.address(1), 10_000);
        RawClient lost = new RawClient(ensemble.clientPort(3), 800);
        assertNotEquals("it has a session", 0, lost.sessionId());
        // So server 1 has known both sessions, however short a time that was.
        ensemble.awaitEqualPositions();
        admin(3).reconfigure(null, "3", null, -1, null);
        TestEnsemble.await("the session of the client that is gone expires", () -> !isKnown(lost.sessionId()));
        TestEnsemble.await("the other session goes on", () -> moving.getState().isConnected());
        assertTrue(isKnown(moving.getSessionId()));
        lost.close();
    }

    private boolean isKnown(long sessionId) {
        return ensemble.server(1).getZKDatabase().getSessionWithTimeOuts().containsKey(sessionId);
    }

    private void assertRefused(Code code, String joining, String leaving, String members, long version)
            throws Exception {
        ZooKeeperAdmin admin = admin(2);
        long position = ensemble.order().lastPosition();
        KeeperException refusal = assertThrows(
                KeeperException.class, () -> admin.reconfigure(joining, leaving, members, version, new Stat()));
        assertEquals(joining + " " + leaving + " " + members, code, refusal.code());
        assertTrue("only the session was ordered", ensemble.order().lastPosition() <= position + 1);
    }

    @Test
    public void wrongRequests_haveZooKeepersErrors() throws Exception {
        String good = ensemble.newServer(4);
        assertRefused(Code.BADVERSION, good, null, null, 77);
        assertRefused(Code.BADARGUMENTS, "server.4", null, null, -1);
        assertRefused(Code.BADARGUMENTS, "server.4=127.0.0.1:1:2", null, null, 0);
        assertRefused(Code.BADARGUMENTS, "server.4=127.0.0.1:1;3", null, null, 0);
        assertRefused(Code.MARSHALLINGERROR, "server.x=127.0.0.1:1:2;3", null, null, -1);
        assertRefused(Code.MARSHALLINGERROR, null, "x", null, -1);
        assertRefused(Code.BADARGUMENTS, null, "2,3", null, -1);
        assertRefused(Code.BADARGUMENTS, null, null, "server.1=127.0.0.1:1:2;3", -1);
        assertRefused(Code.BADARGUMENTS, null, null, "color=red", -1);
        assertRefused(Code.NOAUTH, good, null, null, -1);
        assertEquals(List.of(1, 2, 3), ensemble.order().members());
        assertNull(ensemble.order().configured(1));
    }

    @Test
    public void disabled_saysSoBeforeAnythingElse() throws Exception {
        ensemble.close();
        ensemble = new TestEnsemble(folder.newFolder().toPath(), 3, ReadConsistency.LINEARIZABLE, Map.of());
        ensemble.startAll();
        assertRefused(Code.RECONFIGDISABLED, "nonsense", null, null, 77);
    }

    @Test
    public void quorumOfTheNewServersIsAway_isRefusedAtOnceAndBeforeTheAccessListIsLookedAt() throws Exception {
        ZooKeeperAdmin nobody = admin(1);
        assertThrows(KeeperException.NoAuthException.class, () -> nobody.reconfigure(null, "2", null, -1, null));
        ensemble.order().setCutOff(3, true);
        assertThrows(KeeperException.NewConfigNoQuorum.class, () -> nobody.reconfigure(null, "2", null, -1, null));
        assertThrows(KeeperException.NoAuthException.class, () -> nobody.reconfigure(null, "3", null, -1, null));
        assertThrows(
                KeeperException.NoAuthException.class,
                () -> nobody.reconfigure(ensemble.newServer(9), "2", null, -1, null));
        assertNull("nothing was planned", ensemble.order().configured(2));
        ensemble.order().setCutOff(3, false);
        allowAll(1, 2, 3);
        nobody.reconfigure(null, "2", null, -1, null);
        assertEquals(List.of(1, 3), ensemble.order().members());
    }

    /** ZooKeeper takes an id of 999 and groups, so whoever may not ask hears of nothing but that. */
    @Test
    public void whatIsNotSupported_isToldToWhoMayAskOnly() throws Exception {
        String large = "server.999=0.0.0.0:1234:2345:observer;3456";
        String groups = "server.1=127.0.0.1:1:2;3,server.2=127.0.0.1:4:5;6,group.1=1:2,weight.1=1,weight.2=1";
        assertRefused(Code.NOAUTH, large, null, null, -1);
        assertRefused(Code.NOAUTH, "server.255=127.0.0.1:1:2:observer;3", null, null, -1);
        assertRefused(Code.NOAUTH, null, null, groups, -1);
        allowAll(1, 2, 3);
        assertRefused(Code.BADARGUMENTS, large, null, null, -1);
        assertRefused(Code.BADARGUMENTS, null, null, groups, -1);
    }

    @Test
    public void watchOnTheConfiguration_fires() throws Exception {
        allowAll(1, 2, 3);
        CountDownLatch fired = new CountDownLatch(1);
        AtomicReference<String> path = new AtomicReference<>();
        ensemble.client(3)
                .getConfig(
                        event -> {
                            path.set(event.getPath());
                            fired.countDown();
                        },
                        new Stat());
        admin(1).reconfigure(null, "2", null, -1, null);
        assertTrue(fired.await(TestEnsemble.DEADLINE_SECONDS, TimeUnit.SECONDS));
        assertEquals(ZooDefs.CONFIG_NODE, path.get());
    }

    @Test
    public void allRestarted_configurationIsKept() throws Exception {
        allowAll(1, 2, 3);
        admin(1).reconfigure(null, "3", null, -1, null);
        String config = configured(1);
        ensemble.stop(3);
        ensemble.awaitEqualPositions();
        for (int id = 1; id <= 2; id++) {
            ensemble.stop(id);
        }
        for (int id = 1; id <= 2; id++) {
            ensemble.start(id);
        }
        for (int id = 1; id <= 2; id++) {
            ensemble.awaitServing(id);
            assertEquals(config, configured(id));
            awaitVoters(id, 2);
        }
        EnsembleChecks.assertReplicasEqual(ensemble, 2);
    }

    /** Also with a server list that differs from the one the cluster was formed with, and other digits. */
    @Test
    public void wholeOrderExecutedLaterElsewhere_givesEqualConfigurations() throws Exception {
        allowAll(1, 2, 3);
        admin(1).reconfigure(null, "3", null, -1, null);
        admin(1).reconfigure(ensemble.serverLine(3, "observer"), null, null, -1, null);
        ensemble.newServer(4);
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
        try {
            ensemble.start(4);
            admin(2).reconfigure(ensemble.serverLine(4, "participant"), null, null, -1, null);
            ensemble.awaitServing(4);
        } finally {
            Locale.setDefault(before);
        }
        allowAll(4);
        EnsembleChecks.assertReplicasEqual(ensemble, 4);
        assertEquals(replicatedState(1), replicatedState(4));
    }

    private List<Object> replicatedState(int id) throws Exception {
        ensemble.server(id).takeSnapshot(false, false);
        return StoredFiles.newestReplicatedState(ensemble.orderingDirectory(id).resolve("checkpoints"));
    }
}
