package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
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
        for (String property : List.of(KEY, "zookeeper.authProvider.x509", "zookeeper.authProvider.sasl")) {
            System.clearProperty(property);
        }
        ProviderRegistry.reset();
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
        assertEquals(Map.of(), ensemble.replica(2).sideState().agreedSchemes());
        assertEquals(BY_KEY, ensemble.client(2).getACL("/keyed/later", null));
        assertThrows(KeeperException.NoAuthException.class, () -> client.setData("/keyed", null, -1));
    }
}
