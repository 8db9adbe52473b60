package io.chainkeeper.config;

import io.chainkeeper.transport.ProfileRule;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;

/**
 * The settings that all servers must have in common, and the number that says them: it is replicated and compared when
 * servers link up, so that of two numbers it can be told which settings differ. It also says {@code reconfigEnabled},
 * which every server may have as it likes. Immutable.
 *
 * <pre>
 * bits 63-48  {@link #TAG}, or {@link #FORMER_TAG}; numbers of still earlier releases are hashes of everything
 * bits 47-44  reconfigEnabled, zookeeper.extendedTypesEnabled, zookeeper.emulate353TTLNodes, zookeeper.digest.enabled
 * bits 43-28  hash of file.encoding, 0 for UTF-8
 * bits 27-0   hash of the providers, 0 without any; with {@link #FORMER_TAG} of those of other schemes, too
 * </pre>
 *
 * @param reconfigEnabled whether the server takes {@code reconfig} from its clients
 * @param extendedTypes whether there are znodes with a time to live; said by the number that a cluster is formed with,
 *     never by a server's ({@link NodeOwners})
 * @param emulates353 whether znodes of ZooKeeper 3.5.3 with a time to live are known by their owner; likewise
 * @param keepsDigests whether digests of the tree are kept; servers of this release always do, whatever is set
 * @param encoding canonical name of the JVM's encoding, over which digests are taken; servers of this release compare
 *     none that is not of UTF-8, and always say that
 * @param providers classes of authentication providers ({@code authProvider.*}) in the place of those of ZooKeeper, and
 *     what they may depend on
 */
public record SharedSettings(
        boolean reconfigEnabled,
        boolean extendedTypes,
        boolean emulates353,
        boolean keepsDigests,
        String encoding,
        SortedSet<String> providers) {
    private static final long TAG = 0xC4A2L;

    /** Of releases whose servers all had to have the same {@code reconfigEnabled}. */
    private static final long FORMER_TAG = 0xC4A1L;

    private static final int TAG_SHIFT = 48;
    private static final int ENCODING_BITS = 16;
    private static final int PROVIDERS_BITS = 28;
    private static final long ENCODING_MASK = (1L << ENCODING_BITS) - 1 << PROVIDERS_BITS;
    private static final long PROVIDERS_MASK = (1L << PROVIDERS_BITS) - 1;
    private static final long RECONFIG_BIT = 1L << TAG_SHIFT - 1;
    private static final List<String> FLAGS =
            List.of("zookeeper.extendedTypesEnabled", "zookeeper.emulate353TTLNodes", "zookeeper.digest.enabled");
    private static final long EXTENDED_TYPES_BIT = 1L << TAG_SHIFT - 2;
    private static final long EMULATION_BIT = 1L << TAG_SHIFT - 3;

    private static final long OWNERS_BITS = EXTENDED_TYPES_BIT | EMULATION_BIT;
    private static final long DIGEST_BIT = 1L << TAG_SHIFT - 4;

    /** Whatever a server's own setting is, it executes by that of the cluster, or does not depend on it. */
    private static final long OF_THE_CLUSTER = OWNERS_BITS | DIGEST_BIT | ENCODING_MASK;

    private static final String ENCODING = "file.encoding";
    private static final String PROVIDERS = "zookeeper.authProvider.*";

    /** @return the number that says them */
    public long number() {
        long number = TAG;
        for (boolean flag : List.of(reconfigEnabled, extendedTypes, emulates353, keepsDigests)) {
            number = number << 1 | (flag ? 1 : 0);
        }
        boolean isUtf8 = encoding.equals(StandardCharsets.UTF_8.name());
        number = number << ENCODING_BITS | (isUtf8 ? 0 : hash(encoding, ENCODING_BITS));
        return number << PROVIDERS_BITS | (providers.isEmpty() ? 0 : hash(String.join(",", providers), PROVIDERS_BITS));
    }

    private static long hash(String text, int bits) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return Math.max(1, ByteBuffer.wrap(digest).getLong() & (1L << bits) - 1);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** What links go by. */
    public static final ProfileRule OF_LINKS = new ProfileRule() {
        @Override
        public boolean mayBeLinked(long own, long other) {
            return SharedSettings.mayBeLinked(own, other);
        }

        @Override
        public String difference(long own, long other, String where) {
            return SharedSettings.difference(own, other, where);
        }
    };

    /**
     * @param own a server's number
     * @param other another server's
     * @return whether they may be linked: of the same release, with the same settings
     */
    public static boolean mayBeLinked(long own, long other) {
        return ((own ^ other) & ~RECONFIG_BIT) == 0;
    }

    /**
     * @param formedWith the number that a cluster was formed with
     * @param own a server's number
     * @return whether they mean the same settings, also if the cluster was formed by the former release
     */
    public static boolean areSame(long formedWith, long own) {
        long differing = (formedWith ^ own) & ~(RECONFIG_BIT | OF_THE_CLUSTER) & (1L << TAG_SHIFT) - 1;
        if (formedWith >>> TAG_SHIFT == FORMER_TAG) {
            differing &= ~PROVIDERS_MASK; // It counts those of schemes of their own.
        }
        return differing == 0 && isNoHash(formedWith) && isNoHash(own);
    }

    /**
     * @param formedWith the number that a cluster was formed with
     * @param own what a server of the former release would have with this server's settings
     * @return false if the cluster was formed by that release, with other providers
     */
    public static boolean areOfFormerProviders(long formedWith, long own) {
        return formedWith >>> TAG_SHIFT != FORMER_TAG || ((formedWith ^ own) & PROVIDERS_MASK) == 0;
    }

    /**
     * From the first start on that says its own schemes, only what takes the place of ZooKeeper's is compared.
     *
     * @param formedWith the number that a cluster was formed with
     * @param said what a server of this release has said with its start
     * @return the number that counts from there on: another one only if the former release has formed the cluster
     */
    public static long withProviders(long formedWith, long said) {
        if (formedWith >>> TAG_SHIFT != FORMER_TAG || said >>> TAG_SHIFT != TAG) {
            return formedWith;
        }
        long kept = (1L << TAG_SHIFT) - 1 & ~PROVIDERS_MASK;
        return TAG << TAG_SHIFT | formedWith & kept | said & PROVIDERS_MASK;
    }

    /**
     * @param number a number
     * @return whether it is of a release whose commands say the rules of the server that they come from
     */
    public static boolean isNoHash(long number) {
        return number >>> TAG_SHIFT == TAG || number >>> TAG_SHIFT == FORMER_TAG;
    }

    /**
     * @param number what a server has said with its start
     * @return whether it is of a release that goes by what each server says about {@code reconfigEnabled}
     */
    public static boolean saysReconfig(long number) {
        return number >>> TAG_SHIFT == TAG;
    }

    /**
     * @param number of which {@link #saysReconfig} holds
     * @return whether that server has {@code reconfigEnabled}
     */
    public static boolean enablesReconfig(long number) {
        return (number & RECONFIG_BIT) != 0;
    }

    /**
     * @param formedWith the number that a cluster was formed with
     * @param own a server's number
     * @return the latter with what is not the server's matter as in the former
     */
    public static long under(long formedWith, long own) {
        return isNoHash(formedWith) ? own & ~OF_THE_CLUSTER | formedWith & OF_THE_CLUSTER : own;
    }

    static boolean hasExtendedTypes(long number) {
        return (number & EXTENDED_TYPES_BIT) != 0;
    }

    static boolean emulates353(long number) {
        return (number & EMULATION_BIT) != 0;
    }

    static long withOwners(long number, boolean extendedTypes, boolean emulates353) {
        return number & ~OWNERS_BITS | (extendedTypes ? EXTENDED_TYPES_BIT : 0) | (emulates353 ? EMULATION_BIT : 0);
    }

    /**
     * Names what differs.
     *
     * @param own number of the server that says so
     * @param other another number
     * @param where who has the other one, as in "the cluster"
     * @return the settings that differ with both values, one phrase; empty if a number is of an earlier release
     */
    public static String difference(long own, long other, String where) {
        if (!isNoHash(own) || !isNoHash(other)) {
            return "";
        }
        List<String> differing = new ArrayList<>();
        for (int i = 0; i < FLAGS.size(); i++) {
            long bit = RECONFIG_BIT >>> 1 + i;
            if ((own & bit) != (other & bit)) {
                differing.add(FLAGS.get(i) + " is " + ((own & bit) != 0) + " here and " + ((other & bit) != 0) + " in "
                        + where);
            }
        }
        if ((own & ENCODING_MASK) != (other & ENCODING_MASK)) {
            differing.add(ENCODING + " is " + encoding(own, "not UTF-8") + " here and " + encoding(other, "another one")
                    + " in " + where);
        }
        if ((own & PROVIDERS_MASK) != (other & PROVIDERS_MASK)) {
            differing.add(PROVIDERS + " names " + providers(own, "some classes") + " here and "
                    + providers(other, "other classes") + " in " + where);
        }
        return String.join("; ", differing);
    }

    private static String encoding(long number, String another) {
        return (number & ENCODING_MASK) == 0 ? StandardCharsets.UTF_8.name() : another;
    }

    private static String providers(long number, String some) {
        return (number & PROVIDERS_MASK) == 0 ? "none of one's own" : some;
    }
}
