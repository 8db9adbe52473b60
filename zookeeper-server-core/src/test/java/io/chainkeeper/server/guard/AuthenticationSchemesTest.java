package io.chainkeeper.server.guard;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.server.state.ExecutionProfile;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.common.X509Exception;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.ServerCnxn;
import org.apache.zookeeper.server.auth.AuthenticationProvider;
import org.apache.zookeeper.server.auth.DigestAuthenticationProvider;
import org.apache.zookeeper.server.auth.KeyAuthenticationProvider;
import org.apache.zookeeper.server.auth.ProviderRegistry;
import org.apache.zookeeper.server.auth.SASLAuthenticationProvider;
import org.apache.zookeeper.server.auth.X509AuthenticationProvider;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** Which schemes a replica knows, and which of them all members must have in common. */
public class AuthenticationSchemesTest {
    private static final String PREFIX = "zookeeper.authProvider.";
    private static final String DIGEST_ENABLED = "zookeeper.DigestAuthenticationProvider.enabled";

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
        forget();
    }

    private static void forget() {
        providers().keySet().forEach(System::clearProperty);
        ProviderRegistry.reset();
    }

    @After
    public void restore() {
        forget();
        before.forEach(System::setProperty);
    }

    private static long profile() {
        return ExecutionProfile.of(false);
    }

    @Test
    public void nothingConfigured_schemesOfZooKeeperAreKnown() {
        long profileWithout = profile();
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
        long profileWithout = profile();
        System.setProperty(PREFIX + "x509", X509AuthenticationProvider.class.getName());
        System.setProperty(PREFIX + "1", SASLAuthenticationProvider.class.getName());
        AuthenticationSchemes.enable();
        assertEquals(X509AuthenticationProvider.class.getName(), System.getProperty(PREFIX + "x509"));
        assertEquals(2, providers().size());
        assertEquals(profileWithout, profile());
    }

    @Test
    public void clientPortIsUnified_certificatesAreIdentities() {
        System.setProperty("zookeeper.client.portUnification", "true");
        try {
            AuthenticationSchemes.enable();
            assertEquals(
                    X509AuthenticationProvider.class,
                    ProviderRegistry.getProvider("x509").getClass());
            assertFalse(isLacked("x509"));
            assertStays("x509", "x509", OtherX509.class);
            assertStays("x509", "1", OtherX509.class);
        } finally {
            System.clearProperty("zookeeper.client.portUnification");
        }
    }

    /** Of another name than ZooKeeper's. */
    @Test
    public void schemeOfTheUsersOwn_isSaidWithItsProviderAndNoPartOfTheProfile() {
        long profileWithout = profile();
        assertEquals(Map.of(), AuthenticationSchemes.ownSchemes());
        give(KeyAuthenticationProvider.class);
        assertEquals(profileWithout, profile());
        String key = KeyAuthenticationProvider.class.getName();
        assertEquals(Map.of("key", key), AuthenticationSchemes.ownSchemes());
        System.setProperty("zookeeper.letAnySaslUserDoX", "alice");
        try {
            assertEquals(
                    "it may be made of ZooKeeper's, which read that",
                    Map.of("key", key + " zookeeper.letAnySaslUserDoX=alice"),
                    AuthenticationSchemes.ownSchemes());
        } finally {
            System.clearProperty("zookeeper.letAnySaslUserDoX");
        }
    }

    /** Every replica keeps what each of them says. */
    @Test
    public void schemeThatIsTooLongToBeSaid_isRefusedInOneLine() {
        give(KeyAuthenticationProvider.class);
        assertNull(AuthenticationSchemes.refusal());
        System.setProperty("zookeeper.letAnySaslUserDoX", "a".repeat(1024));
        try {
            String refusal = AuthenticationSchemes.refusal();
            assertTrue(
                    refusal, refusal.contains(KeyAuthenticationProvider.class.getName()) && refusal.contains("1024"));
            assertFalse(refusal, refusal.contains("\n"));
        } finally {
            System.clearProperty("zookeeper.letAnySaslUserDoX");
        }
    }

    @Test
    public void providerInThePlaceOfOneOfZooKeepers_isPartOfTheProfile() {
        long profileWithout = profile();
        give(OtherDigest.class);
        long profileWith = profile();
        assertNotEquals(profileWithout, profileWith);
        assertEquals(Map.of(), AuthenticationSchemes.ownSchemes());
        System.setProperty("zookeeper.letAnySaslUserDoX", "alice");
        try {
            assertNotEquals(profileWith, profile());
        } finally {
            System.clearProperty("zookeeper.letAnySaslUserDoX");
        }
    }

    private static void give(Class<?> provider) {
        System.setProperty(PREFIX + "own", provider.getName());
        ProviderRegistry.reset();
        AuthenticationSchemes.enable();
    }

    /** Takes the place of ZooKeeper's. */
    public static final class OtherDigest extends DigestAuthenticationProvider {}

    /** Takes the place of ZooKeeper's. */
    public static final class OtherX509 extends X509AuthenticationProvider {
        /** Called by ZooKeeper's registry. */
        public OtherX509() throws X509Exception {}
    }

    /** Takes the place of ZooKeeper's. */
    public static final class OtherSasl extends SASLAuthenticationProvider {}

    @Test
    public void x509OfTheUsersOwn_staysUnderAnyName() {
        assertStays("x509", "x509", OtherX509.class);
        assertStays("x509", "1", OtherX509.class);
    }

    @Test
    public void saslOfTheUsersOwn_staysUnderAnyName() {
        assertStays("sasl", "sasl", OtherSasl.class);
        assertStays("sasl", "1", OtherSasl.class);
    }

    @Test
    public void digestOfTheUsersOwn_staysUnderAnyNameWhenZooKeepersIsSwitchedOff() {
        System.setProperty(DIGEST_ENABLED, "false");
        try {
            assertStays("digest", "digest", OtherDigest.class);
            assertStays("digest", "1", OtherDigest.class);
        } finally {
            System.clearProperty(DIGEST_ENABLED);
        }
    }

    private static void assertStays(String scheme, String name, Class<? extends AuthenticationProvider> provider) {
        forget();
        AuthenticationSchemes.enable();
        long profileWithout = profile();
        forget();
        System.setProperty(PREFIX + name, provider.getName());
        AuthenticationSchemes.enable();
        assertEquals(provider.getName(), System.getProperty(PREFIX + name));
        assertEquals(
                "nothing else has the scheme", name.equals(scheme), providers().containsKey(PREFIX + scheme));
        assertEquals(provider, ProviderRegistry.getProvider(scheme).getClass());
        assertEquals(Set.of(provider.getName()), AuthenticationSchemes.replacements());
        assertNotEquals(profileWithout, profile());
        assertFalse(isLacked(scheme));
    }

    private static boolean isLacked(String scheme) {
        List<ACL> acl = List.of(new ACL(1, new Id(scheme, "alice")));
        return AuthenticationSchemes.namesLacked(acl, AuthenticationSchemes.lacked());
    }

    /** What clients of other servers do has to be executed all the same; ZooKeeper has logged the failure. */
    @Test
    public void providerThatCannotBeLoaded_schemeIsKnownForTheClientsOfOtherServersOnly() {
        System.setProperty(PREFIX + "sasl", "com.example.Missing");
        AuthenticationSchemes.enable();
        assertEquals(SaslIdentities.class, ProviderRegistry.getProvider("sasl").getClass());
        assertTrue(isLacked("sasl"));
        assertEquals(Set.of(), AuthenticationSchemes.replacements());
    }

    @Test
    public void digestSwitchedOff_isKnownForTheClientsOfOtherServersOnly() {
        long profileWithout = profile();
        System.setProperty(DIGEST_ENABLED, "false");
        ProviderRegistry.reset();
        try {
            AuthenticationSchemes.enable();
            assertEquals(profileWithout, profile());
            AuthenticationProvider digest = ProviderRegistry.getProvider("digest");
            assertTrue(digest.matches("alice:hash", "alice:hash"));
            assertTrue(digest.isValid("alice:hash"));
            assertEquals(Code.AUTHFAILED, digest.handleAuthentication((ServerCnxn) null, "alice:secret".getBytes()));
            assertTrue(isLacked("digest"));
        } finally {
            System.clearProperty(DIGEST_ENABLED);
            ProviderRegistry.reset();
        }
    }

    @Test
    public void x509WithoutStores_matchesAndValidatesIds() {
        X509Identities identities = new X509Identities();
        assertTrue(identities.isValid("CN=alice"));
        assertTrue(identities.matches("CN=alice", "CN=alice"));
        assertEquals("x509", identities.getScheme());
    }
}
