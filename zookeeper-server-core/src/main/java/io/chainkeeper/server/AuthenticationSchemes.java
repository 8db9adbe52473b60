package io.chainkeeper.server;

import io.chainkeeper.server.tls.X509Identities;
import java.util.Set;
import org.apache.zookeeper.server.auth.ProviderRegistry;
import org.apache.zookeeper.server.auth.SASLAuthenticationProvider;
import org.apache.zookeeper.server.auth.X509AuthenticationProvider;

/**
 * Every replica checks the ACLs of all clients, so all must know the same schemes. Those that ZooKeeper brings along
 * are known to every replica, whether its own clients use them or not: so one server after the other can be given a TLS
 * port or SASL. Others ({@code authProvider.*}) have to be set on all servers from the beginning.
 */
public final class AuthenticationSchemes {
    private static final Set<String> ALWAYS_KNOWN = Set.of(
            X509AuthenticationProvider.class.getName(),
            X509Identities.class.getName(),
            SASLAuthenticationProvider.class.getName());

    private AuthenticationSchemes() {}

    /** Makes ZooKeeper's schemes known; after its configuration has been parsed and before its server is made. */
    public static void enable() {
        addIfAbsent("x509", X509AuthenticationProvider.class, X509Identities.class);
        addIfAbsent("sasl", SASLAuthenticationProvider.class, SASLAuthenticationProvider.class);
    }

    private static void addIfAbsent(String scheme, Class<?> full, Class<?> toAdd) {
        boolean present = System.getProperties().stringPropertyNames().stream()
                .filter(name -> name.startsWith(ProviderRegistry.AUTHPROVIDER_PROPERTY_PREFIX))
                .anyMatch(name -> System.getProperty(name).equals(full.getName()));
        if (!present) {
            System.setProperty(ProviderRegistry.AUTHPROVIDER_PROPERTY_PREFIX + scheme, toAdd.getName());
        }
    }

    /**
     * @param provider name of a provider's class
     * @return whether every replica has it, or another that executes the same way
     */
    public static boolean isAlwaysKnown(String provider) {
        return ALWAYS_KNOWN.contains(provider);
    }
}
