package io.chainkeeper.server.state;

import io.chainkeeper.config.NodeOwners;
import io.chainkeeper.config.SharedSettings;
import io.chainkeeper.server.guard.AuthenticationSchemes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.jute.BinaryInputArchive;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.auth.ProviderRegistry;

/**
 * The settings that influence what a command does when it is executed. Every member must have the same; the number that
 * says them ({@link SharedSettings}) is part of the replicated state.
 */
public final class ExecutionProfile {
    private static final String EMULATION = "zookeeper.emulate353TTLNodes";

    /** What ZooKeeper's providers look at when they match ids; the user's own may be made of them. */
    private static final List<String> READ_BY_PROVIDERS =
            List.of("zookeeper.letAnySaslUserDoX", "zookeeper.X509AuthenticationProvider.superUser");

    /** Were part of the profile although nothing that is ordered depends on them any more. */
    private static final List<String> FORMER_PROPERTIES = List.of(
            "zookeeper.skipACL",
            EMULATION,
            "zookeeper.DigestAuthenticationProvider.enabled",
            "zookeeper.letAnySaslUserDoX",
            "zookeeper.X509AuthenticationProvider.superUser");

    /** Had left the profile before those above did. */
    private static final List<String> FIRST_PROPERTIES = List.of(
            "zookeeper.enforceQuota", "zookeeper.DigestAuthenticationProvider.digestAlg", "jute.maxbuffer.extrasize");

    private ExecutionProfile() {}

    /**
     * @param reconfigEnabled whether this server takes reconfig from its clients
     * @return the number that says this server's settings
     */
    public static long of(boolean reconfigEnabled) {
        return number(reconfigEnabled, AuthenticationSchemes.replacements());
    }

    private static long number(boolean reconfigEnabled, SortedSet<String> providers) {
        return new SharedSettings(reconfigEnabled, false, false, true, StandardCharsets.UTF_8.name(), providers)
                .number();
    }

    /**
     * Whether a replica may execute what a cluster has ordered. One that was formed by a release whose profile had more
     * settings keeps to those, too.
     *
     * @param formedWith the number in the replicated state
     * @param own the replica's own
     * @return whether they mean the same settings
     */
    public static boolean isOf(long formedWith, long own) {
        return formedWith == own
                || SharedSettings.areSame(formedWith, own)
                || isHash(formedWith, true)
                || isHash(formedWith, false);
    }

    /** Nothing that is ordered depends on reconfigEnabled any more, so it may have been either. */
    private static boolean isHash(long formedWith, boolean reconfigEnabled) {
        Map<String, String> former = formerSettings();
        former.put("reconfigEnabled", "" + reconfigEnabled);
        boolean isFormer = formedWith == hash(former);
        for (String name : FIRST_PROPERTIES) {
            former.put(name, System.getProperty(name, ""));
        }
        former.put("jute.maxbuffer", Integer.toString(BinaryInputArchive.maxBuffer));
        former.put("zookeeper.closeSessionTxn.enabled", "" + ZooKeeperServer.isCloseSessionTxnEnabled());
        return isFormer || formedWith == hash(former);
    }

    private static Map<String, String> formerSettings() {
        Map<String, String> settings = new TreeMap<>();
        for (String name : FORMER_PROPERTIES) {
            settings.put(name, System.getProperty(name, ""));
        }
        settings.put("authProviders", String.join(",", providers()));
        settings.put("zookeeper.extendedTypesEnabled", "" + NodeOwners.offersTimeToLive());
        settings.put("zookeeper.digest.enabled", System.getProperty("zookeeper.digest.enabled", "true"));
        settings.put("file.encoding", Charset.defaultCharset().name());
        return settings;
    }

    private static SortedSet<String> providers() {
        SortedSet<String> providers = new TreeSet<>();
        System.getProperties().stringPropertyNames().stream()
                .filter(name -> name.startsWith(ProviderRegistry.AUTHPROVIDER_PROPERTY_PREFIX))
                .map(System::getProperty)
                .filter(provider -> !AuthenticationSchemes.isAlwaysKnown(provider))
                .forEach(providers::add);
        return providers;
    }

    private static long hash(Map<String, String> settings) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest(settings.toString().getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.wrap(digest).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** As servers of the former release say it: of all providers, because none of those has said which it knows. */
    private static long inFormerWords() {
        SortedSet<String> providers = providers();
        if (!providers.isEmpty()) {
            READ_BY_PROVIDERS.stream()
                    .filter(name -> System.getProperty(name) != null)
                    .forEach(name -> providers.add(name + "=" + System.getProperty(name)));
        }
        return number(false, providers);
    }

    /**
     * @param formedWith the number that a cluster is formed with
     * @return false if that was by the former release, with other providers than this replica has
     */
    public static boolean hasFormerProviders(long formedWith) {
        return SharedSettings.areOfFormerProviders(formedWith, inFormerWords());
    }

    /**
     * @param formedWith the number that a cluster is formed with, of which {@link #hasFormerProviders} does not hold
     * @return how this replica's providers differ, one phrase
     */
    public static String differenceFromFormer(long formedWith) {
        return SharedSettings.difference(SharedSettings.under(formedWith, inFormerWords()), formedWith, "the cluster");
    }

    /**
     * Before anything is executed: with other settings the tree would silently become another one.
     *
     * @param state the replicated state of a replica that starts
     * @param own the replica's own number
     * @throws IOException if the cluster has been formed with other settings
     */
    public static void requireSame(ReplicatedState state, long own) throws IOException {
        if (!state.mayBeExecutedWith(own)) {
            throw new IOException(
                    mismatchMessage(state.executionProfile(), SharedSettings.under(state.executionProfile(), own)));
        }
        boolean nobodyHasSaid = state.clusterId() != null && state.agreedSchemes() == null;
        if (nobodyHasSaid && !hasFormerProviders(state.executionProfile())) {
            throw new IOException(mismatchMessage(state.executionProfile(), inFormerWords()));
        }
    }

    /**
     * @param formedWith the number in the replicated state
     * @param own the replica's own
     * @return what to tell the operator of a replica whose settings differ from the cluster's, one line
     */
    public static String mismatchMessage(long formedWith, long own) {
        String difference = SharedSettings.difference(own, formedWith, "the cluster");
        if (difference.isEmpty()) {
            difference = "it was formed by an earlier release, and one of"
                    + " zookeeper.extendedTypesEnabled, zookeeper.digest.enabled, authProvider.*, file.encoding, "
                    + String.join(", ", FORMER_PROPERTIES) + " is not what it was then";
        }
        return "this replica's settings differ from those that the cluster was formed with: " + difference
                + "; put the old value back, or change it on all as \"Settings that all servers must have in common\""
                + " in docs/operations.md says";
    }
}
