package io.chainkeeper.server.guard;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.command.AccessRules;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.auth.ProviderRegistry;
import org.apache.zookeeper.server.auth.ServerAuthenticationProvider.MatchValues;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** What is executed depends on the rules of the client's server, never on the settings of the one that executes. */
public class ClientRightsTest {
    private static final String SASL_USER = "zookeeper.letAnySaslUserDoX";
    private static final String X509_SUPER_USER = "zookeeper.X509AuthenticationProvider.superUser";
    private static final List<String> PROPERTIES =
            List.of(SASL_USER, X509_SUPER_USER, "zookeeper.authProvider.x509", "zookeeper.authProvider.sasl");
    private static final Id BOB = new Id("sasl", "bob");
    private static final List<ACL> FOR_ALICE = List.of(new ACL(Perms.WRITE, new Id("sasl", "alice")));
    private static final List<ACL> FOR_A_CERTIFICATE = List.of(new ACL(Perms.WRITE, new Id("x509", "CN=alice")));

    private final Map<String, String> before = new TreeMap<>();

    @Before
    public void clear() {
        for (String name : PROPERTIES) {
            String value = System.clearProperty(name);
            if (value != null) {
                before.put(name, value);
            }
        }
        ProviderRegistry.reset();
        AuthenticationSchemes.enable();
    }

    @After
    public void restore() {
        PROPERTIES.forEach(System::clearProperty);
        before.forEach(System::setProperty);
        ProviderRegistry.reset();
    }

    private static boolean permits(AccessRules rules, List<ACL> acl, Id... ids) {
        return ClientRights.permit(
                null, rules, new MatchValues("/node", null, null, Perms.WRITE, null), acl, List.of(ids));
    }

    private static boolean permits(List<ACL> acl, Id... ids) {
        return permits(AccessRules.ALL_LISTS_HOLD, acl, ids);
    }

    @Test
    public void accessLists_holdAsZooKeeperReadsThem() {
        assertTrue(permits(null));
        assertTrue(permits(List.of()));
        assertTrue(permits(Ids.OPEN_ACL_UNSAFE));
        assertFalse(permits(Ids.READ_ACL_UNSAFE));
        assertFalse(permits(FOR_ALICE));
        assertFalse(permits(FOR_ALICE, BOB, new Id("digest", "alice"), new Id("no such scheme", "alice")));
        assertTrue(permits(FOR_ALICE, BOB, new Id("sasl", "alice")));
        assertTrue(permits(FOR_ALICE, new Id("sasl", "super")));
        assertTrue(permits(FOR_ALICE, new Id("super", "")));
        assertTrue(permits(FOR_A_CERTIFICATE, new Id("x509", "CN=alice")));
        assertTrue(permits(List.of(new ACL(Perms.ALL, new Id("ip", "10.0.0.0/8"))), new Id("ip", "10.1.2.3")));
        assertFalse(permits(List.of(new ACL(Perms.ALL, new Id("ip", "10.0.0.0/8"))), new Id("ip", "11.1.2.3")));
        assertTrue(permits(List.of(new ACL(Perms.ALL, new Id("digest", "a:b"))), new Id("digest", "a:b")));
    }

    @Test
    public void listsSkippedByTheServerOfTheClient_permitAll() {
        assertTrue(permits(new AccessRules(true, null), FOR_ALICE));
    }

    @Test
    public void anySaslUser_isTakenFromTheServerOfTheClient() {
        assertTrue(permits(new AccessRules(false, "alice"), FOR_ALICE, BOB));
        assertFalse(permits(new AccessRules(false, "alice"), FOR_ALICE, new Id("ip", "alice")));
        System.setProperty(SASL_USER, "alice");
        assertFalse("a setting of the server that executes", permits(FOR_ALICE, BOB));
        assertEquals(new AccessRules(false, "alice"), ClientRights.rules(List.of(BOB)));
        assertEquals(AccessRules.ALL_LISTS_HOLD, ClientRights.rules(List.of(new Id("ip", "10.0.0.1"))));
        assertEquals(AccessRules.ALL_LISTS_HOLD, ClientRights.rules(null));
    }

    @Test
    public void superUserWithCertificate_isKnownByTheIdentityThatItsServerGave() {
        System.setProperty(X509_SUPER_USER, "CN=bob");
        assertFalse("a setting of the server that executes", permits(FOR_A_CERTIFICATE, new Id("x509", "CN=bob")));
        assertTrue(permits(FOR_A_CERTIFICATE, new Id("x509", "CN=bob"), new Id("super", "CN=bob")));
    }
}
