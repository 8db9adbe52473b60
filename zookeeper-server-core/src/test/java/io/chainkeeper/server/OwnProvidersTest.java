package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.command.Command;
import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.config.SharedSettings;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.server.guard.AuthenticationSchemes;
import io.chainkeeper.server.guard.AuthenticationSchemesTest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.jute.BinaryOutputArchive;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.server.auth.KeyAuthenticationProvider;
import org.apache.zookeeper.server.auth.ProviderRegistry;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * Providers of the user's own are given to one server after the other, and taken away. All servers of this JVM have the
 * same; which of them a server says that it knows is decided when it starts.
 */
public class OwnProvidersTest {
    private static final String KEY = "zookeeper.authProvider.key";
    private static final String REPLACEMENT = "zookeeper.authProvider.own";
    private static final Id SEVEN = new Id("key", "");
    private static final List<ACL> BY_KEY =
            Arrays.asList(new ACL(Perms.ALL, SEVEN), new ACL(Perms.READ, Ids.ANYONE_ID_UNSAFE));
    private static final List<ACL> BY_AUTH = Arrays.asList(new ACL(Perms.ALL, new Id("auth", "")));

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private TestEnsemble ensemble;

    @Before
    public void startEnsemble() throws Exception {
        give(false);
        ensemble = new TestEnsemble(folder.getRoot().toPath(), 2).startAll();
        ensemble.order().elect(1);
    }

    @After
    public void stopEnsemble() throws Exception {
        ensemble.close();
        for (String scheme : List.of("key", "own", "x509", "sasl")) {
            System.clearProperty("zookeeper.authProvider." + scheme);
        }
        ProviderRegistry.reset();
    }

    /** As the first position, whatever the ensemble that has been started holds. */
    private void beginAgainWithAClusterOfTheFormerRelease(String... providers) throws Exception {
        ensemble.close();
        ensemble = new TestEnsemble(folder.newFolder().toPath(), 2);
        SharedSettings settings =
                new SharedSettings(false, false, false, true, "UTF-8", new TreeSet<>(List.of(providers)));
        long formedWith = settings.number() ^ 0x0003000000000000L;
        CreateRequest create = new CreateRequest("/former", new byte[0], BY_KEY, 0);
        ByteArrayOutputStream record = new ByteArrayOutputStream();
        create.serialize(BinaryOutputArchive.getArchive(record), "request");
        ByteSlice payload = ByteSlice.of(record.toByteArray());
        List<ProposedCommand> batch = new ArrayList<>();
        for (Command command : List.of(
                new Command.ClusterFormed(1, new UUID(1, 2), formedWith, List.of(1, 2), "", null, null),
                new Command.ClientRequest(1, 9, 1, OpCode.create, List.of(), payload, -1, true, 0))) {
            batch.add(new ProposedCommand(9, 1, 0, batch.size() + 1L, CommandCodec.encode(command)));
        }
        ensemble.order().decide(BatchCodec.encode(batch));
    }

    private static void give(boolean given) {
        if (given) {
            System.setProperty(KEY, KeyAuthenticationProvider.class.getName());
        } else {
            System.clearProperty(KEY);
        }
        ProviderRegistry.reset();
        AuthenticationSchemes.enable();
    }

    /** Servers that run have the provider afterwards, in any case. */
    private void restart(int id, boolean given) throws Exception {
        ensemble.stop(id);
        start(id, given);
    }

    private void start(int id, boolean given) throws Exception {
        give(given);
        ensemble.start(id);
        ensemble.awaitServing(id);
        give(true);
    }

    private void create(ZooKeeper client, String path, List<ACL> acl) throws Exception {
        client.create(path, null, acl, CreateMode.PERSISTENT);
    }

    private ZooKeeper withKey(int id) throws Exception {
        ZooKeeper client = ensemble.client(id);
        client.addAuthInfo("key", "7".getBytes());
        return client;
    }

    @Test
    public void providerIsGivenAndTakenAwayServerByServer_itCountsWhileAllHaveIt() throws Exception {
        restart(1, true);
        ZooKeeper early = withKey(1);
        assertThrows(KeeperException.InvalidACLException.class, () -> create(early, "/early", BY_KEY));
        assertThrows(
                "nobody is authenticated",
                KeeperException.InvalidACLException.class,
                () -> create(early, "/early", BY_AUTH));
        early.addAuthInfo("digest", "alice:secret".getBytes());
        create(early, "/alice", BY_AUTH);
        assertEquals("the key does not count", List.of("digest"), schemes(early, "/alice"));
        restart(2, true);
        ZooKeeper client = withKey(1);
        create(client, "/keyed", BY_KEY);
        create(client, "/auth", BY_AUTH);
        assertEquals(List.of(new ACL(Perms.ALL, SEVEN)), client.getACL("/auth", null));
        client.setData("/keyed", new byte[] {1}, -1);
        ZooKeeper nobody = ensemble.client(2);
        assertThrows(KeeperException.NoAuthException.class, () -> nobody.setData("/keyed", null, -1));
        restart(1, false);
        ZooKeeper late = withKey(2);
        assertThrows(
                "it counts no more", KeeperException.NoAuthException.class, () -> late.setData("/keyed", null, -1));
        assertThrows(KeeperException.InvalidACLException.class, () -> create(late, "/late", BY_KEY));
        assertEquals(BY_KEY, late.getACL("/keyed", null));
        assertThrows(
                "for reads neither", KeeperException.NoAuthException.class, () -> late.getData("/auth", false, null));
        EnsembleChecks.assertReplicasEqual(ensemble, 2);
        restart(1, true);
        late.setData("/keyed", new byte[] {2}, -1);
        late.getData("/auth", false, null);
        EnsembleChecks.assertReplicasEqual(ensemble, 2);
    }

    private static List<String> schemes(ZooKeeper client, String path) throws Exception {
        return client.getACL(path, null).stream()
                .map(entry -> entry.getId().getScheme())
                .toList();
    }

    /** It cannot execute that, and it must not be executed differently. */
    @Test
    public void serverComesBackWithout_andTheOthersHaveUsedIt_itTakesTheirState() throws Exception {
        restart(1, true);
        restart(2, true);
        ZooKeeper client = withKey(1);
        create(client, "/keyed", BY_KEY);
        ensemble.stop(2);
        create(client, "/keyed/later", BY_KEY);
        client.setData("/keyed", new byte[] {1}, -1);
        start(2, false);
        EnsembleChecks.assertReplicasEqual(ensemble, 2);
        assertEquals(Map.of(), ensemble.replica(2).replicatedState().agreedSchemes());
        assertEquals(BY_KEY, ensemble.client(2).getACL("/keyed/later", null));
        assertThrows(KeeperException.NoAuthException.class, () -> client.setData("/keyed", null, -1));
    }

    /** The log reaches back to before anybody has said what it knows, and this server has no files. */
    @Test
    public void serverReplaysAClusterOfTheFormerReleaseWithoutItsProvider_itTakesTheStateOfAnother() throws Exception {
        beginAgainWithAClusterOfTheFormerRelease(KeyAuthenticationProvider.class.getName());
        start(1, true);
        assertEquals(BY_KEY, ensemble.client(1).getACL("/former", null));
        start(2, false);
        assertEquals(BY_KEY, ensemble.client(2).getACL("/former", null));
        EnsembleChecks.assertReplicasEqual(ensemble, 2);
    }

    @Test
    public void serverReplaysAClusterOfTheFormerReleaseWithAProviderMore_itTakesTheStateOfAnother() throws Exception {
        beginAgainWithAClusterOfTheFormerRelease();
        start(1, false);
        assertNull(ensemble.client(1).exists("/former", false));
        start(2, true);
        assertNull(ensemble.client(2).exists("/former", false));
        EnsembleChecks.assertReplicasEqual(ensemble, 2);
    }

    /** Once servers have said what they know, the cluster is compared by what takes the place of ZooKeeper's. */
    @Test
    public void serverOfAClusterOfTheFormerReleaseReplacesDigest_itDoesNotStart() throws Exception {
        beginAgainWithAClusterOfTheFormerRelease();
        start(1, false);
        start(2, false);
        restart(1, true);
        ensemble.stop(2);
        System.setProperty(REPLACEMENT, AuthenticationSchemesTest.OtherDigest.class.getName());
        give(true);
        IOException refusal = assertThrows(IOException.class, () -> ensemble.start(2));
        assertTrue(refusal.getMessage(), refusal.getMessage().contains("settings differ"));
    }
}
