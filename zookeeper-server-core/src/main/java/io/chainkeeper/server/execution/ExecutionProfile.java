package io.chainkeeper.server.execution;

import io.chainkeeper.server.AuthenticationSchemes;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Map;
import java.util.TreeMap;
import org.apache.jute.BinaryInputArchive;
import org.apache.zookeeper.server.EphemeralType;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.auth.ProviderRegistry;

/**
 * The settings that influence what a command does when it is executed. Every member must have the same; their hash is
 * part of the replicated state.
 */
public final class ExecutionProfile {
    private static final String[] PROPERTIES = {
        "zookeeper.skipACL",
        "zookeeper.enforceQuota",
        "zookeeper.emulate353TTLNodes",
        "zookeeper.DigestAuthenticationProvider.digestAlg",
        "zookeeper.DigestAuthenticationProvider.enabled",
        "zookeeper.letAnySaslUserDoX",
        "zookeeper.X509AuthenticationProvider.superUser",
        "jute.maxbuffer.extrasize"
    };

    private ExecutionProfile() {}

    /**
     * Collects the settings.
     *
     * @param reconfigEnabled whether reconfig is enabled
     * @return name to value, sorted by name
     */
    public static Map<String, String> settings(boolean reconfigEnabled) {
        Map<String, String> settings = new TreeMap<>();
        for (String name : PROPERTIES) {
            settings.put(name, System.getProperty(name, ""));
        }
        settings.put("authProviders", String.join(",", sortedProviders()));
        settings.put("jute.maxbuffer", Integer.toString(BinaryInputArchive.maxBuffer));
        settings.put("zookeeper.extendedTypesEnabled", "" + EphemeralType.extendedEphemeralTypesEnabled());
        settings.put("zookeeper.digest.enabled", "" + ZooKeeperServer.isDigestEnabled());
        settings.put("zookeeper.closeSessionTxn.enabled", "" + ZooKeeperServer.isCloseSessionTxnEnabled());
        settings.put("reconfigEnabled", "" + reconfigEnabled);
        settings.put("file.encoding", Charset.defaultCharset().name());
        return settings;
    }

    private static Iterable<String> sortedProviders() {
        Map<String, String> providers = new TreeMap<>();
        System.getProperties().stringPropertyNames().stream()
                .filter(name -> name.startsWith(ProviderRegistry.AUTHPROVIDER_PROPERTY_PREFIX))
                .map(System::getProperty)
                .filter(provider -> !AuthenticationSchemes.isAlwaysKnown(provider))
                .forEach(provider -> providers.put(provider, ""));
        return providers.keySet();
    }

    /**
     * @param settings see {@link #settings}
     * @return their hash
     */
    public static long hash(Map<String, String> settings) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest(settings.toString().getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.wrap(digest).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** @return what to tell the operator of a replica whose settings differ from the cluster's */
    public static String mismatchMessage() {
        return "this replica's settings differ from those that the cluster was formed with; all members need the same"
                + " authentication providers, jute.maxbuffer, file.encoding, reconfigEnabled and "
                + String.join(", ", PROPERTIES)
                + ", zookeeper.extendedTypesEnabled, zookeeper.digest.enabled, zookeeper.closeSessionTxn.enabled;"
                + " put the old value back, or change it on all as \"Settings that all servers must have in common\" in"
                + " docs/operations.md says";
    }
}
