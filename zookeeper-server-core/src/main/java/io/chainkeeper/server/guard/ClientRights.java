package io.chainkeeper.server.guard;

import io.chainkeeper.command.AccessRules;
import java.util.List;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.auth.AuthenticationProvider;
import org.apache.zookeeper.server.auth.ProviderRegistry;
import org.apache.zookeeper.server.auth.ServerAuthenticationProvider.MatchValues;
import org.apache.zookeeper.server.auth.ServerAuthenticationProvider.ServerObjs;

/**
 * Looks at access lists as ZooKeeper does, but by the settings of the server whose client asks instead of those of the
 * server that executes. Stateless.
 */
public final class ClientRights {
    private static final boolean SKIPS_LISTS = "yes".equals(System.getProperty("zookeeper.skipACL", "no"));
    private static final String ANY_SASL_USER_AS = "zookeeper.letAnySaslUserDoX";
    private static final String SUPER = "super";
    private static final String SASL = "sasl";
    private static final String X509 = "x509";
    private static final Id ANYONE = ZooDefs.Ids.ANYONE_ID_UNSAFE;

    private ClientRights() {}

    /**
     * @param ids a client's identities, null if the request has none by nature
     * @return what this server's settings say about the client's rights, as far as its requests may depend on it
     */
    public static AccessRules rules(List<Id> ids) {
        if (ids == null) {
            return AccessRules.ALL_LISTS_HOLD;
        }
        boolean hasSasl = ids.stream().anyMatch(id -> SASL.equals(id.getScheme()));
        return rules(SKIPS_LISTS, hasSasl ? System.getProperty(ANY_SASL_USER_AS) : null);
    }

    private static AccessRules rules(boolean skipsLists, String anySaslUserAs) {
        boolean isDefault = !skipsLists && anySaslUserAs == null;
        return isDefault ? AccessRules.ALL_LISTS_HOLD : new AccessRules(skipsLists, anySaslUserAs);
    }

    /** What this server's settings say about all clients. */
    public static AccessRules rules() {
        return rules(SKIPS_LISTS, System.getProperty(ANY_SASL_USER_AS));
    }

    /**
     * @param server that executes
     * @param rules of the server whose client asks
     * @param values the node and the permission asked for; both ids are ignored
     * @param acl the node's access list, may be null
     * @param ids the client's identities
     * @return whether it may
     */
    public static boolean permit(
            ZooKeeperServer server, AccessRules rules, MatchValues values, List<ACL> acl, List<Id> ids) {
        if (rules.skipsLists() || acl == null || acl.isEmpty()) {
            return true;
        }
        // Loops, because every request comes here, and streams took more time than what they looked for.
        for (Id id : ids) {
            if (SUPER.equals(id.getScheme())) {
                return true;
            }
        }
        for (ACL entry : acl) {
            if ((entry.getPerms() & values.getPerm()) != 0 && isListed(server, rules, values, entry.getId(), ids)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isListed(
            ZooKeeperServer server, AccessRules rules, MatchValues values, Id listed, List<Id> ids) {
        if (listed.equals(ANYONE)) {
            return true;
        }
        for (Id id : ids) {
            if (listed.getScheme().equals(id.getScheme()) && matches(server, rules, values, id.getId(), listed)) {
                return true;
            }
        }
        return false;
    }

    private static boolean matches(
            ZooKeeperServer server, AccessRules rules, MatchValues values, String id, Id listed) {
        String scheme = listed.getScheme();
        AuthenticationProvider provider = ProviderRegistry.getProvider(scheme);
        if (provider == null) {
            return false;
        }
        boolean isOfZooKeeper =
                AuthenticationSchemes.isAlwaysKnown(provider.getClass().getName());
        if (isOfZooKeeper && scheme.equals(X509)) {
            // Its super user has an identity of scheme super besides, given by the server of the client.
            return id.equals(listed.getId());
        }
        if (isOfZooKeeper && scheme.equals(SASL)) {
            return id.equals(SUPER)
                    || id.equals(listed.getId())
                    || listed.getId().equals(rules.anySaslUserAs());
        }
        MatchValues asked =
                new MatchValues(values.getPath(), id, listed.getId(), values.getPerm(), values.getSetAcls());
        // Without the connection, which only one of the servers has.
        return ProviderRegistry.getServerProvider(scheme).matches(new ServerObjs(server, null), asked);
    }
}
