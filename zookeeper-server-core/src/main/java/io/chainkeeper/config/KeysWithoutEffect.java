package io.chainkeeper.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** ZooKeeper's keys that are about its own quorum protocol or its own log, which a replica does not use. */
final class KeysWithoutEffect {
    private static final String OF_JVM = "zookeeper.";
    /** The server sets it for ZooKeeper's classes by itself. */
    private static final String FORCE_SYNC = "forceSync";

    /** What to do instead of setting them. */
    static final Map<String, String> INSTEAD = new TreeMap<>(Map.ofEntries(
            Map.entry("preAllocSize", "remove it: nothing is reserved in a log"),
            Map.entry(FORCE_SYNC, "set ordering.durability"),
            Map.entry("leaderServes", "remove it: leaders serve clients"),
            Map.entry("electionAlg", "remove it: the order has its own election"),
            Map.entry("cnxTimeout", "remove it: the order has its own links"),
            Map.entry("quorum.cnxn.threads.size", "remove it: the order has its own links"),
            Map.entry("connectToLearnerMasterLimit", "remove it: observers are fed by the order"),
            Map.entry("observerMasterPort", "remove it: observers are fed by the order"),
            Map.entry("syncEnabled", "remove it: observers keep logs and snapshots"),
            Map.entry("txnLogSizeLimitInKb", "set snapSizeLimitInKb: each snapshot begins a new file of the log"),
            Map.entry("flushDelay", "remove it: what waits is forced together"),
            Map.entry("commitLogCount", "set ordering.logRetentionBytes"),
            Map.entry("snapshotSizeFactor", "set ordering.logRetentionBytes")));

    private KeysWithoutEffect() {}

    /**
     * @param zooCfg the configuration
     * @param properties asks for a property of the JVM, null if it is not set; before ZooKeeper's parser has set any
     * @return one line for each of these keys that is set; says what to do instead
     */
    static List<String> found(SettingsFile zooCfg, UnaryOperator<String> properties) {
        List<String> lines = new ArrayList<>();
        INSTEAD.forEach((key, instead) -> {
            Optional<SettingsFile.Entry> entry = zooCfg.find(key);
            if (entry.isPresent()) {
                lines.add(zooCfg.at(entry.get()) + " has no effect; " + instead);
            } else if (!key.equals(FORCE_SYNC) && properties.apply(OF_JVM + key) != null) {
                lines.add("The property " + OF_JVM + key + " of the JVM has no effect; " + instead);
            }
        });
        return lines;
    }
}
