package io.chainkeeper.server;

import io.chainkeeper.server.tls.X509Identities;
import java.util.List;
import java.util.Set;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.auth.AuthenticationProvider;
import org.apache.zookeeper.server.auth.DigestAuthenticationProvider;
import org.apache.zookeeper.server.auth.ProviderRegistry;
import org.apache.zookeeper.server.auth.SASLAuthenticationProvider;
import org.apache.zookeeper.server.auth.X509AuthenticationProvider;

/**
 * Every replica checks the ACLs of all clients, so all must know the same schemes. Those that ZooKeeper brings along
 * are known to every replica, whether its own clients use them or not: so one server after the other can be given a TLS
 * port or SASL. Others ({@code authProvider.*}) have to be set on all servers from the beginning.
 *
 * <p>In an access list a scheme is accepted as ZooKeeper does it: only from clients of a server that has been given it.
 * What that server lacks is part of the ordered command.
 */
public final class AuthenticationSchemes {
    private static final Set<String> ALWAYS_KNOWN = Set.of(
            X509AuthenticationProvider.class.getName(),
            X509Identities.class.getName(),
            SASLAuthenticationProvider.class.getName(),
            SaslIdentities.class.getName(),
            DigestIdentities.class.getName());
    private static final String X509 = "x509";
    private static final String SASL = "sasl";
    private static final String DIGEST = "digest";
    private static final int X509_FLAG = 1;
    private static final int SASL_FLAG = 2;
    private static final int DIGEST_FLAG = 4;

    private AuthenticationSchemes() {}

    /** Makes ZooKeeper's schemes known; after its configuration has been parsed and before its server is made. */
    public static void enable() {
        addIfAbsent(X509, X509AuthenticationProvider.class, X509Identities.class);
        addIfAbsent(SASL, SASLAuthenticationProvider.class, SaslIdentities.class);
        if (!DigestAuthenticationProvider.isEnabled()) {
            addIfAbsent(DIGEST, DigestAuthenticationProvider.class, DigestIdentities.class);
        }
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

    /** @return flags of the schemes that a stock server with this server's configuration would not know */
    public static int lacked() {
        return flagIf(X509, X509Identities.class, X509_FLAG)
                | flagIf(SASL, SaslIdentities.class, SASL_FLAG)
                | lackedDigest();
    }

    /** @return the flag of scheme digest if it is switched off here, else 0 */
    public static int lackedDigest() {
        return flagIf(DIGEST, DigestIdentities.class, DIGEST_FLAG);
    }

    private static int flagIf(String scheme, Class<? extends AuthenticationProvider> substitute, int flag) {
        return substitute.isInstance(ProviderRegistry.getProvider(scheme)) ? flag : 0;
    }

    /**
     * @param acl an access list; it, its entries and their ids may be null
     * @param lacked see {@link #lacked}
     * @return whether it names a lacked scheme
     */
    public static boolean namesLacked(List<ACL> acl, int lacked) {
        return lacked != 0 && acl != null && acl.stream().anyMatch(entry -> isLacked(entry, lacked));
    }

    private static boolean isLacked(ACL entry, int lacked) {
        Id id = entry == null ? null : entry.getId();
        return id != null
                && (X509.equals(id.getScheme()) && (lacked & X509_FLAG) != 0
                        || SASL.equals(id.getScheme()) && (lacked & SASL_FLAG) != 0
                        || DIGEST.equals(id.getScheme()) && (lacked & DIGEST_FLAG) != 0);
    }

    /**
     * Makes entries invalid to ZooKeeper's preparation, which then refuses the list when it comes to it.
     *
     * @param acl an access list
     * @param lacked see {@link #lacked}
     * @return the same list, without the schemes of those entries
     */
    public static List<ACL> invalidated(List<ACL> acl, int lacked) {
        return acl.stream()
                .map(entry -> isLacked(entry, lacked)
                        ? new ACL(entry.getPerms(), new Id(null, entry.getId().getId()))
                        : entry)
                .toList();
    }
}
