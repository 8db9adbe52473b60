package io.chainkeeper.server.guard;

import io.chainkeeper.command.CommandCodec;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.NettyServerCnxnFactory;
import org.apache.zookeeper.server.auth.AuthenticationProvider;
import org.apache.zookeeper.server.auth.DigestAuthenticationProvider;
import org.apache.zookeeper.server.auth.IPAuthenticationProvider;
import org.apache.zookeeper.server.auth.ProviderRegistry;
import org.apache.zookeeper.server.auth.SASLAuthenticationProvider;
import org.apache.zookeeper.server.auth.X509AuthenticationProvider;

/**
 * Every replica checks the ACLs of all clients, so all must know the same schemes. Those that ZooKeeper brings along
 * are known to every replica, whether its own clients use them or not: so one server after the other can be given a TLS
 * port or SASL. Others ({@code authProvider.*}) count where all replicas have said that they know them
 * ({@link io.chainkeeper.server.state.ReplicatedState#agreedSchemes}).
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
    private static final Set<String> OF_ZOOKEEPER = Set.of("world", "auth", "super", "ip", "digest", "x509", "sasl");

    /** What ZooKeeper's providers look at when they match ids; the user's own may be made of them. */
    private static final List<String> READ_BY_PROVIDERS =
            List.of("zookeeper.letAnySaslUserDoX", "zookeeper.X509AuthenticationProvider.superUser");

    private static final String X509 = "x509";
    private static final String SASL = "sasl";
    private static final String DIGEST = "digest";
    private static final int X509_FLAG = 1;
    private static final int SASL_FLAG = 2;
    private static final int DIGEST_FLAG = 4;

    private AuthenticationSchemes() {}

    /**
     * Makes those of ZooKeeper's schemes known that the configuration names no provider of; after it has been parsed
     * and before ZooKeeper's server is made.
     */
    public static void enable() {
        ProviderRegistry.initialize(); // As ZooKeeper's start does: a class says its scheme, the property need not.
        addIfAbsent(X509, isClientPortUnified() ? X509AuthenticationProvider.class : X509Identities.class);
        addIfAbsent(SASL, SaslIdentities.class);
        addIfAbsent(DIGEST, DigestIdentities.class);
    }

    /** ZooKeeper adds its provider for that only when it makes the port, and to the properties alone. */
    private static boolean isClientPortUnified() {
        return Boolean.getBoolean(NettyServerCnxnFactory.PORT_UNIFICATION_KEY);
    }

    private static void addIfAbsent(String scheme, Class<? extends AuthenticationProvider> toAdd) {
        if (ProviderRegistry.getProvider(scheme) == null) {
            String property = ProviderRegistry.AUTHPROVIDER_PROPERTY_PREFIX + scheme;
            System.setProperty(property, toAdd.getName());
            ProviderRegistry.addOrUpdateProvider(property);
        }
    }

    /**
     * @param provider name of a provider's class
     * @return whether every replica has it, or another that executes the same way
     */
    public static boolean isAlwaysKnown(String provider) {
        return ALWAYS_KNOWN.contains(provider);
    }

    /**
     * @param scheme a scheme, may be null
     * @return whether it is one of those that ZooKeeper brings along, whoever provides it
     */
    public static boolean isOfZooKeeper(String scheme) {
        return scheme != null && OF_ZOOKEEPER.contains(scheme);
    }

    /**
     * @return the schemes that this server knows besides those of ZooKeeper: the class of the provider by scheme, with
     *     the values of the properties that it may read
     */
    public static SortedMap<String, String> ownSchemes() {
        SortedMap<String, String> own = new TreeMap<>();
        for (String scheme : knownSchemes()) {
            if (!isOfZooKeeper(scheme)) {
                own.put(scheme, provider(scheme));
            }
        }
        return own;
    }

    /** @return null, or why this server cannot say the schemes that it knows, one line */
    public static String refusal() {
        SortedMap<String, String> own = ownSchemes();
        if (own.size() > CommandCodec.MAX_SCHEMES) {
            return "authProvider.* names " + own.size() + " providers of other schemes than ZooKeeper's; there may be "
                    + CommandCodec.MAX_SCHEMES + ": remove some";
        }
        for (Map.Entry<String, String> scheme : own.entrySet()) {
            if (isTooLong(scheme.getKey()) || isTooLong(scheme.getValue())) {
                return "the scheme of authProvider.* class "
                        + ProviderRegistry.getProvider(scheme.getKey())
                                .getClass()
                                .getName()
                        + " is too long: its name, and the name of the class with "
                        + String.join(" and ", READ_BY_PROVIDERS)
                        + ", may have " + CommandCodec.MAX_SCHEME_BYTES + " bytes each";
            }
        }
        return null;
    }

    private static boolean isTooLong(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length > CommandCodec.MAX_SCHEME_BYTES;
    }

    /** @return providers of the user's own in the place of those of ZooKeeper, as {@link #ownSchemes} says them */
    public static SortedSet<String> replacements() {
        SortedSet<String> replacements = new TreeSet<>();
        for (String scheme : knownSchemes()) {
            Class<?> provider = ProviderRegistry.getProvider(scheme).getClass();
            boolean stock = provider == IPAuthenticationProvider.class
                    || provider == DigestAuthenticationProvider.class
                    || isAlwaysKnown(provider.getName());
            if (isOfZooKeeper(scheme) && !stock) {
                replacements.add(provider(scheme));
            }
        }
        return replacements;
    }

    private static List<String> knownSchemes() {
        ProviderRegistry.getProvider(DIGEST); // Has ZooKeeper load all of them, unless it has.
        return Arrays.stream(ProviderRegistry.listProviders().split(" "))
                .filter(scheme -> ProviderRegistry.getProvider(scheme) != null)
                .toList();
    }

    private static String provider(String scheme) {
        StringBuilder provider = new StringBuilder(
                ProviderRegistry.getProvider(scheme).getClass().getName());
        for (String name : READ_BY_PROVIDERS) {
            String value = System.getProperty(name);
            if (value != null) {
                provider.append(' ').append(name).append('=').append(value);
            }
        }
        return provider.toString();
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
     * @param known whether a scheme counts
     * @return whether it names a scheme that does not
     */
    public static boolean namesUnknown(List<ACL> acl, Predicate<String> known) {
        return acl != null && acl.stream().anyMatch(entry -> isUnknown(entry, known));
    }

    private static boolean isUnknown(ACL entry, Predicate<String> known) {
        Id id = entry == null ? null : entry.getId();
        return id != null && id.getScheme() != null && !known.test(id.getScheme());
    }

    /**
     * Makes entries invalid to ZooKeeper's preparation, which then refuses the list when it comes to it.
     *
     * @param acl an access list
     * @param known whether a scheme counts
     * @return the same list, without the schemes of those entries that do not
     */
    public static List<ACL> invalidated(List<ACL> acl, Predicate<String> known) {
        return acl.stream()
                .map(entry -> isUnknown(entry, known) ? withoutScheme(entry) : entry)
                .toList();
    }

    /** No provider has this scheme; one that is null cannot be compared with those of the other entries. */
    private static ACL withoutScheme(ACL entry) {
        return new ACL(entry.getPerms(), new Id("", entry.getId().getId()));
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
                .map(entry -> isLacked(entry, lacked) ? withoutScheme(entry) : entry)
                .toList();
    }
}
