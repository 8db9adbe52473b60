package io.chainkeeper.config;

import java.util.Collection;
import java.util.OptionalLong;
import org.apache.zookeeper.server.EphemeralType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the owner of a znode means: a session, a container, a time to live. ZooKeeper's classes look it up in two
 * properties of the JVM whenever they see one, and servers that differ in it would hold different trees. So what counts
 * is what the cluster was formed with, which is put into these properties; what the user has set says whether clients
 * of this server may create znodes with a time to live.
 *
 * <p>For the whole process, as the properties are. Set by the thread that starts a replica, then by its executor.
 */
public final class NodeOwners {
    private static final Logger LOG = LoggerFactory.getLogger(NodeOwners.class);
    private static final String EXTENDED = "zookeeper.extendedTypesEnabled";
    private static final String EMULATION = "zookeeper.emulate353TTLNodes";

    /** Begins the owners of znodes with a time to live, and the sessions of the server with this id. */
    private static final long ID_OF_TIMES_TO_LIVE = 255;

    /** True to ZooKeeper, which does not look at the case, and nothing that a user writes. */
    private static final String INSIDE_ONLY = "tRUE";

    private NodeOwners() {}

    /** @return whether clients of this server may create znodes with a time to live, by its user's setting */
    public static boolean offersTimeToLive() {
        String value = System.getProperty(EXTENDED);
        return Boolean.parseBoolean(value) && !value.equals(INSIDE_ONLY);
    }

    /**
     * Before a server loads files that belong to no cluster yet: there are times to live unless it knows a server whose
     * sessions look like them.
     *
     * @param knows255 whether a server 255 is configured
     */
    public static void putInForce(boolean knows255) {
        putExtendedInForce(!knows255);
    }

    /**
     * @param formedWith the number that a cluster was formed with
     * @param knows255 whether a server 255 is configured
     * @return what to tell the operator of a server whose sessions the cluster would take for times to live, one line;
     *     null if there is none
     */
    public static String refusal(long formedWith, boolean knows255) {
        return knows255 && SharedSettings.isNoHash(formedWith) && SharedSettings.hasExtendedTypes(formedWith)
                ? "server." + ID_OF_TIMES_TO_LIVE + " cannot be a server of this cluster, which was formed without one:"
                        + " its id belongs to znodes with a time to live; give that server another id"
                : null;
    }

    /**
     * @param formedWith the number that a cluster was formed with; 0 before it has been formed
     * @param sessionId id of a session that asks to be let in
     * @return whether what it owns would be told from znodes with a time to live, the same on every server of the
     *     cluster
     */
    public static boolean mayBeSession(long formedWith, long sessionId) {
        boolean extended = SharedSettings.isNoHash(formedWith)
                ? SharedSettings.hasExtendedTypes(formedWith)
                : formedWith == 0 || offersTimeToLive();
        return !extended || sessionId >>> 56 != ID_OF_TIMES_TO_LIVE;
    }

    /**
     * Before the sessions of Apache ZooKeeper's files are taken over.
     *
     * @param sessionIds their ids
     * @return what to tell the operator if one of them would be taken for a time to live, one line; null if none would
     */
    public static String refusal(Collection<Long> sessionIds) {
        OptionalLong of255 = sessionIds.stream()
                .mapToLong(Long::longValue)
                .filter(id -> id >>> 56 == ID_OF_TIMES_TO_LIVE)
                .min();
        return of255.isEmpty() || !Boolean.getBoolean(EXTENDED)
                ? null
                : "session 0x" + Long.toHexString(of255.getAsLong()) + " is one of a server " + ID_OF_TIMES_TO_LIVE
                        + ", which this ensemble does not have: its id would belong to znodes with a time to live. Give"
                        + " zoo.cfg of every server the line server." + ID_OF_TIMES_TO_LIVE + " that there was, or let"
                        + " Apache ZooKeeper run until the sessions of that server have ended";
    }

    /**
     * @param formedWith the number that a cluster was formed with
     * @return whether owners mean here what they mean in that cluster
     */
    public static boolean areInForce(long formedWith) {
        if (!SharedSettings.isNoHash(formedWith)) {
            return Boolean.getBoolean(EXTENDED) == offersTimeToLive();
        }
        return Boolean.getBoolean(EXTENDED) == SharedSettings.hasExtendedTypes(formedWith)
                && Boolean.getBoolean(EMULATION) == SharedSettings.emulates353(formedWith);
    }

    /**
     * @param formedWith the number that a cluster was formed with
     * @param owner of a znode, not 0
     * @return whether it means here what it means in that cluster
     */
    public static boolean meansTheSame(long formedWith, long owner) {
        boolean isNoHash = SharedSettings.isNoHash(formedWith);
        boolean emulates = Boolean.getBoolean(EMULATION);
        boolean extendedThere = isNoHash ? SharedSettings.hasExtendedTypes(formedWith) : offersTimeToLive();
        boolean emulatesThere = isNoHash ? SharedSettings.emulates353(formedWith) : emulates;
        return isTimeToLive(owner, Boolean.getBoolean(EXTENDED), emulates)
                == isTimeToLive(owner, extendedThere, emulatesThere);
    }

    private static boolean isTimeToLive(long owner, boolean extended, boolean emulates) {
        boolean isOf353 = emulates && owner < 0 && owner != EphemeralType.CONTAINER_EPHEMERAL_OWNER;
        return extended && (isOf353 || owner >>> 56 == ID_OF_TIMES_TO_LIVE);
    }

    /**
     * From now on owners mean what they mean in a cluster.
     *
     * @param formedWith the number that the cluster was formed with; one of an earlier release stands for what every
     *     server of it has been told by its user
     */
    public static void putInForce(long formedWith) {
        if (!SharedSettings.isNoHash(formedWith)) {
            putExtendedInForce(offersTimeToLive());
            return;
        }
        putExtendedInForce(SharedSettings.hasExtendedTypes(formedWith));
        boolean emulates = SharedSettings.emulates353(formedWith);
        if (Boolean.getBoolean(EMULATION) != emulates) {
            LOG.info("{} is {}, as the cluster was formed; what is set here has no effect", EMULATION, emulates);
            System.setProperty(EMULATION, Boolean.toString(emulates));
        }
    }

    private static void putExtendedInForce(boolean extended) {
        if (extended == Boolean.getBoolean(EXTENDED)) {
            return;
        }
        if (!extended && offersTimeToLive()) {
            LOG.warn(
                    "{}=true has no effect: the cluster was formed without znodes that have a time to live, by an"
                            + " earlier release or with a server {}. Form it anew to have them, as \"Settings that all"
                            + " servers must have in common\" in docs/operations.md says",
                    EXTENDED,
                    ID_OF_TIMES_TO_LIVE);
        }
        System.setProperty(EXTENDED, extended ? INSIDE_ONLY : "false");
    }

    /**
     * @param number that says a server's settings
     * @return the number that a cluster is formed with: it also says what owners mean here
     */
    public static long said(long number) {
        return SharedSettings.withOwners(number, Boolean.getBoolean(EXTENDED), Boolean.getBoolean(EMULATION));
    }
}
