package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.server.sasl.JaasSections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.security.auth.login.Configuration;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.NoAuthException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.ZooKeeper.States;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.auth.ProviderRegistry;
import org.apache.zookeeper.server.auth.SASLAuthenticationProvider;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.TestName;

/** SASL with DIGEST-MD5, from a JAAS configuration as ZooKeeper has it, and the duty to use it. */
public class SaslClientTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    @Rule
    public final TestName name = new TestName();

    private TestEnsemble ensemble;
    private ZooKeeper client;

    @Before
    public void startEnsemble() throws Exception {
        Configuration.setConfiguration(new JaasSections()
                .with("Server", Map.of("user_bob", "bobs", "user_alice", "alices", "user_root", "roots"))
                .with("Bob", Map.of("username", "bob", "password", "bobs"))
                .with("Alice", Map.of("username", "alice", "password", "alices"))
                .with("Root", Map.of("username", "root", "password", "roots"))
                .with("Mallory", Map.of("username", "bob", "password", "guessed")));
        Map<String, String> settings = new HashMap<>();
        settings.put("authProvider.sasl", SASLAuthenticationProvider.class.getName());
        settings.put("superUser", "root");
        settings.put("fips-mode", "false");
        if (name.getMethodName().startsWith("authenticationIsEnforced")) {
            settings.put("enforce.auth.enabled", "true");
            settings.put("enforce.auth.schemes", "sasl");
        }
        ensemble = new TestEnsemble(folder.getRoot().toPath(), 2, ReadConsistency.LINEARIZABLE, settings).startAll();
    }

    @After
    public void stopEnsemble() throws Exception {
        if (client != null) {
            client.close(1_000);
        }
        ensemble.close();
        Configuration.setConfiguration(null);
        List.of("authProvider.sasl", "superUser", "fips-mode", "enforce.auth.enabled", "enforce.auth.schemes")
                .forEach(key -> System.clearProperty("zookeeper." + key));
        ProviderRegistry.reset();
    }

    private ZooKeeper open(int replica, String section) throws Exception {
        if (client != null) {
            client.close(1_000);
        }
        ZKClientConfig config = new ZKClientConfig();
        config.setProperty(ZKClientConfig.LOGIN_CONTEXT_NAME_KEY, section);
        config.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, Boolean.toString(!section.isEmpty()));
        client = new ZooKeeper(ensemble.address(replica), 10_000, event -> {}, config);
        return client;
    }

    private void awaitState(States state) throws Exception {
        TestEnsemble.await("the client is " + state, () -> client.getState() == state);
    }

    @Test(timeout = 120_000)
    public void loggedInClient_hasItsNameAsIdentityOnAllReplicas() throws Exception {
        ZooKeeper bob = open(1, "Bob");
        bob.create("/bobs", null, Ids.CREATOR_ALL_ACL, CreateMode.PERSISTENT);
        assertTrue(bob.whoAmI().stream().anyMatch(who -> who.getUser().equals("bob")));
        assertEquals(List.of(new ACL(31, new Id("sasl", "bob"))), bob.getACL("/bobs", null));
        ZooKeeper alice = open(2, "Alice");
        assertThrows(NoAuthException.class, () -> alice.setData("/bobs", null, -1));
        ZooKeeper nobody = open(2, "");
        assertThrows(NoAuthException.class, () -> nobody.getData("/bobs", false, null));
        open(2, "Bob").setData("/bobs", new byte[] {1}, 0);
        open(1, "Root").setACL("/bobs", Ids.OPEN_ACL_UNSAFE, -1);
        open(2, "Alice").setData("/bobs", new byte[] {2}, 1);
        EnsembleChecks.assertReplicasEqual(ensemble, 2);
    }

    @Test(timeout = 120_000)
    public void wrongPassword_isRefused() throws Exception {
        open(1, "Mallory");
        awaitState(States.AUTH_FAILED);
        assertThrows(KeeperException.AuthFailedException.class, () -> client.exists("/", false));
    }

    @Test(timeout = 120_000)
    public void authenticationIsEnforced_onlyLoggedInClientsAreServed() throws Exception {
        ZooKeeper bob = open(1, "Bob");
        bob.create("/bobs", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        ZooKeeper nobody = open(1, "");
        assertThrows(
                KeeperException.SessionClosedRequireAuthException.class,
                () -> nobody.create("/nobodys", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT));
        open(2, "Bob").setData("/bobs", null, 0);
    }
}
