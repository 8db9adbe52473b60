package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertThrows;

import io.chainkeeper.server.guard.AuthenticationSchemes;
import java.util.Arrays;
import java.util.List;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult.ErrorResult;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.auth.ProviderRegistry;
import org.apache.zookeeper.server.auth.SASLAuthenticationProvider;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Schemes in access lists are taken by a server that has been given them, and executed by all. */
public class AccessListSchemesTest {
    private static final String X509 = "zookeeper.authProvider.x509";
    private static final String SASL = "zookeeper.authProvider.sasl";
    private static final List<ACL> WITH_SASL =
            Arrays.asList(new ACL(Perms.ALL, Ids.ANYONE_ID_UNSAFE), new ACL(Perms.READ, new Id("sasl", "bob")));
    private static final List<ACL> WITH_X509 = Arrays.asList(new ACL(Perms.ALL, new Id("x509", "CN=bob")));

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private TestEnsemble ensemble;
    private ZooKeeper client;

    @Before
    public void startEnsemble() throws Exception {
        System.clearProperty(X509);
        System.clearProperty(SASL);
        ProviderRegistry.reset();
        AuthenticationSchemes.enable();
        ensemble = new TestEnsemble(folder.getRoot().toPath(), 2).startAll();
        client = ensemble.client(1);
    }

    @After
    public void stopEnsemble() throws Exception {
        ensemble.close();
        System.clearProperty(X509);
        System.clearProperty(SASL);
        ProviderRegistry.reset();
    }

    private void create(String path, List<ACL> acl) throws Exception {
        client.create(path, null, acl, CreateMode.PERSISTENT);
    }

    /** From now on, as if a server had been restarted that its clients are then connected to. */
    private static void giveSasl() {
        System.setProperty(SASL, SASLAuthenticationProvider.class.getName());
        ProviderRegistry.addOrUpdateProvider(SASL);
    }

    @Test
    public void schemesThatWereNotGiven_makeAnAccessListInvalid() throws Exception {
        for (List<ACL> acl : List.of(WITH_SASL, WITH_X509)) {
            assertThrows(KeeperException.InvalidACLException.class, () -> create("/refused", acl));
            assertThrows(KeeperException.InvalidACLException.class, () -> client.setACL("/", acl, -1));
            assertThrows(KeeperException.InvalidACLException.class, () -> client.setACL("/missing", acl, -1));
            assertThrows(
                    KeeperException.InvalidACLException.class,
                    () -> client.create("/s-", null, acl, CreateMode.PERSISTENT_SEQUENTIAL));
        }
        KeeperException.InvalidACLException refused = assertThrows(
                KeeperException.InvalidACLException.class,
                () -> client.multi(List.of(
                        Op.create("/first", null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT),
                        Op.create("/second", null, WITH_SASL, CreateMode.PERSISTENT))));
        assertEquals(
                Code.INVALIDACL.intValue(), ((ErrorResult) refused.getResults().get(1)).getErr());
        assertEquals(List.of("zookeeper"), client.getChildren("/", false));
        EnsembleChecks.assertReplicasEqual(ensemble, 2);
    }

    @Test
    public void schemeThatWasGiven_isTakenAndTheOtherIsNot() throws Exception {
        giveSasl();
        create("/with", WITH_SASL);
        assertEquals(WITH_SASL, client.getACL("/with", null));
        assertThrows(KeeperException.InvalidACLException.class, () -> create("/refused", WITH_X509));
        assertNotNull(ensemble.client(2).exists("/with", false));
        EnsembleChecks.assertReplicasEqual(ensemble, 2);
    }

    @Test
    public void whatWasOrderedBefore_isExecutedAsItsServerSaid() throws Exception {
        giveSasl();
        create("/taken", WITH_SASL);
        ensemble.stop(2);
        create("/taken/later", WITH_SASL);
        System.clearProperty(SASL);
        ProviderRegistry.reset();
        AuthenticationSchemes.enable();
        ensemble.start(2);
        ensemble.awaitServing(2);
        ensemble.awaitEqualPositions();
        assertNotNull(ensemble.client(2).exists("/taken/later", false));
        EnsembleChecks.assertReplicasEqual(ensemble, 2);
    }
}
