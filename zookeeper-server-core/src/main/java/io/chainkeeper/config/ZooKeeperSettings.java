package io.chainkeeper.config;

import java.util.Locale;
import java.util.Set;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;

/**
 * Parses ZooKeeper's own keys with ZooKeeper's own parser. Its messages for malformed numbers do not name the key, so
 * those are looked at first.
 */
final class ZooKeeperSettings {
    private static final Set<String> INTEGER_KEYS = Set.of(
            "tickTime",
            "initLimit",
            "syncLimit",
            "clientPort",
            "secureClientPort",
            "observerMasterPort",
            "clientPortListenBacklog",
            "maxClientCnxns",
            "minSessionTimeout",
            "maxSessionTimeout",
            "connectToLearnerMasterLimit",
            "electionAlg",
            "connectionMaxTokens",
            "connectionTokenFillTime",
            "connectionTokenFillCount",
            "connectionFreezeTime",
            "requestThrottleLimit",
            "requestThrottleStallTime",
            "throttledOpWaitTime",
            "largeRequestMaxBytes",
            "largeRequestThreshold",
            "admin.serverPort",
            "admin.idleTimeout",
            "autopurge.snapRetainCount",
            "autopurge.purgeInterval",
            "quorum.cnxn.threads.size",
            "multiAddress.reachabilityCheckTimeoutMs",
            "jvm.pause.info-threshold.ms",
            "jvm.pause.warn-threshold.ms",
            "jvm.pause.sleep.time.ms",
            "metricsProvider.httpPort",
            "metricsProvider.numWorkerThreads",
            "metricsProvider.maxQueueSize",
            "metricsProvider.workerShutdownTimeoutMs");
    private static final Set<String> DECIMAL_KEYS =
            Set.of("connectionDropIncrease", "connectionDropDecrease", "connectionDecreaseRatio");
    /** What ZooKeeper's classes read as a property of the JVM, and take another value for if it is wrong. */
    private static final Set<String> MILLISECOND_KEYS = Set.of("fsync.warningthresholdms");

    private static final Set<String> PORT_KEYS =
            Set.of("clientPort", "secureClientPort", "admin.serverPort", "metricsProvider.httpPort");
    /** Of those that ZooKeeper's parser passes on, what decides who is let in: anything but true is false to it. */
    private static final Set<String> BOOLEAN_KEYS = Set.of(
            "admin.enableServer",
            "admin.forceHttps",
            "admin.needClientAuth",
            "admin.portUnification",
            "admin.restore.enabled",
            "admin.snapshot.enabled",
            "audit.enable",
            "client.portUnification",
            "enableEagerACLCheck",
            "enforce.auth.enabled",
            "sessionRequireClientSASLAuth",
            "DigestAuthenticationProvider.enabled",
            "IPAuthenticationProvider.usexforwardedfor",
            "fips-mode",
            "ssl.hostnameVerification",
            "ssl.clientHostnameVerification",
            "ssl.allowReverseDnsLookup",
            "ssl.crl",
            "ssl.ocsp",
            "ssl.quorum.hostnameVerification",
            "ssl.quorum.clientHostnameVerification",
            "ssl.quorum.allowReverseDnsLookup",
            "ssl.quorum.crl",
            "ssl.quorum.ocsp",
            "admin.tree.enabled",
            "standaloneEnabled",
            "reconfigEnabled",
            "quorumListenOnAllIPs",
            "syncEnabled",
            "sslQuorum",
            "portUnification",
            "sslQuorumReloadCertFiles",
            "quorum.auth.enableSasl",
            "quorum.auth.learnerRequireSasl",
            "quorum.auth.serverRequireSasl",
            "requestThrottleDropStale",
            "requestStaleLatencyCheck",
            "requestStaleConnectionCheck",
            "localSessionsEnabled",
            "localSessionsUpgradingEnabled",
            "multiAddress.enabled",
            "multiAddress.reachabilityCheckEnabled");

    private ZooKeeperSettings() {}

    /**
     * Parses a zoo.cfg. Writes nothing; keys that ZooKeeper's parser does not know become system properties.
     *
     * @param zooCfg the file
     * @param replicaId this server's id
     * @return what ZooKeeper makes of it
     * @throws UserMistakeException if it is wrong
     */
    static QuietPeerConfig parse(SettingsFile zooCfg, int replicaId) throws UserMistakeException {
        for (SettingsFile.Entry entry : zooCfg.entries()) {
            checkNumbers(zooCfg, entry);
        }
        QuietPeerConfig peerConfig = new QuietPeerConfig(replicaId);
        try {
            peerConfig.parse(zooCfg.path().toString());
        } catch (QuorumPeerConfig.ConfigException e) {
            throw UserMistakeException.inConfiguration("%s: %s; correct the file", zooCfg.path(), rootMessage(e));
        }
        return peerConfig;
    }

    private static void checkNumbers(SettingsFile zooCfg, SettingsFile.Entry entry) throws UserMistakeException {
        String value = entry.value();
        if (INTEGER_KEYS.contains(entry.key()) && !isInteger(value)
                || DECIMAL_KEYS.contains(entry.key()) && !isDecimal(value)) {
            throw UserMistakeException.inConfiguration("%s: not a number; correct the value", zooCfg.at(entry));
        }
        if (MILLISECOND_KEYS.contains(entry.key()) && !value.matches("\\d{1,9}")) {
            throw UserMistakeException.inConfiguration(
                    "%s: write a number of milliseconds from 0 to 999999999", zooCfg.at(entry));
        }
        if (PORT_KEYS.contains(entry.key()) && (Integer.parseInt(value) < 0 || Integer.parseInt(value) > 65535)) {
            throw UserMistakeException.inConfiguration(
                    "%s: not a port; write a number from 1 to 65535", zooCfg.at(entry));
        }
        if (BOOLEAN_KEYS.contains(entry.key()) && !isBoolean(value)) {
            throw UserMistakeException.inConfiguration("%s: write true or false", zooCfg.at(entry));
        }
    }

    private static boolean isInteger(String value) {
        try {
            Integer.parseInt(value);
            return true;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private static boolean isDecimal(String value) {
        try {
            Double.parseDouble(value);
            return true;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private static boolean isBoolean(String value) {
        return Set.of("true", "false").contains(value.toLowerCase(Locale.ROOT));
    }

    private static String rootMessage(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        if (root instanceof ClassNotFoundException) {
            return "there is no class " + root.getMessage() + " in the jars that this server runs with";
        }
        return root.getMessage() == null ? root.toString() : root.getMessage();
    }
}
