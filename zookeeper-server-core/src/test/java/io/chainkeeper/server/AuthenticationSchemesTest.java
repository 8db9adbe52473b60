package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.server.execution.ExecutionProfile;
import io.chainkeeper.server.tls.X509Identities;
import java.util.Map;
import java.util.TreeMap;
import org.apache.zookeeper.server.auth.SASLAuthenticationProvider;
import org.apache.zookeeper.server.auth.X509AuthenticationProvider;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** Which schemes a replica knows, and which of them all members must have in common. */
public class AuthenticationSchemesTest {
    private static final String PREFIX = "zookeeper.authProvider.";

    private final Map<String, String> before = new TreeMap<>();

    private static Map<String, String> providers() {
        Map<String, String> providers = new TreeMap<>();
        System.getProperties().stringPropertyNames().stream()
                .filter(name -> name.startsWith(PREFIX))
                .forEach(name -> providers.put(name, System.getProperty(name)));
        return providers;
    }

    @Before
    public void clear() {
        before.putAll(providers());
        providers().keySet().forEach(System::clearProperty);
    }

    @After
    public void restore() {
        providers().keySet().forEach(System::clearProperty);
        before.forEach(System::setProperty);
    }

    private static Map<String, String> profile() {
        return ExecutionProfile.settings(false);
    }

    @Test
    public void nothingConfigured_schemesOfZooKeeperAreKnown() {
        Map<String, String> profileWithout = profile();
        AuthenticationSchemes.enable();
        assertEquals(
                Map.of(
                        PREFIX + "x509", X509Identities.class.getName(),
                        PREFIX + "sasl", SaslIdentities.class.getName()),
                providers());
        assertEquals("not part of the profile", profileWithout, profile());
    }

    @Test
    public void tlsPortConfigured_itsProviderStaysAndTheProfileIsTheSame() {
        Map<String, String> profileWithout = profile();
        System.setProperty(PREFIX + "x509", X509AuthenticationProvider.class.getName());
        System.setProperty(PREFIX + "1", SASLAuthenticationProvider.class.getName());
        AuthenticationSchemes.enable();
        assertEquals(X509AuthenticationProvider.class.getName(), System.getProperty(PREFIX + "x509"));
        assertEquals(2, providers().size());
        assertEquals(profileWithout, profile());
    }

    @Test
    public void providerOfTheUsersOwn_isPartOfTheProfile() {
        Map<String, String> profileWithout = profile();
        System.setProperty(PREFIX + "own", "com.example.Provider");
        assertNotEquals(profileWithout, profile());
    }

    @Test
    public void x509WithoutStores_matchesAndValidatesIds() {
        X509Identities identities = new X509Identities();
        assertTrue(identities.isValid("CN=alice"));
        assertTrue(identities.matches("CN=alice", "CN=alice"));
        assertEquals("x509", identities.getScheme());
    }
}
