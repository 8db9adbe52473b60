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

    private static final String OWN_LINKS = "remove it: the order has its own links";
    private static final String OWN_ELECTION = "remove it: the order has its own election";
    private static final String OBSERVERS_ARE_FED = "remove it: observers are fed by the order";
    private static final String ONE_THREAD = "remove it: what is ordered is executed on one thread";
    private static final String FORCED_TOGETHER = "remove it: what waits is forced together";
    private static final String TRANSFER_RATE = "set ordering.stateTransferBytesPerSecond";
    private static final String OWN_METRICS = "remove it: see the order's own metrics";
    private static final String RETENTION = "set ordering.logRetentionBytes";

    /** What to do instead of setting them. */
    static final Map<String, String> INSTEAD = new TreeMap<>(Map.ofEntries(
            Map.entry("cnxTimeout", OWN_LINKS),
            Map.entry("commitLogCount", RETENTION),
            Map.entry("commitProcessor.maxCommitBatchSize", ONE_THREAD),
            Map.entry(
                    "commitProcessor.maxReadBatchSize", "remove it: reads do not wait behind writes of other sessions"),
            Map.entry("commitProcessor.numWorkerThreads", ONE_THREAD),
            Map.entry("commitProcessor.shutdownTimeout", ONE_THREAD),
            Map.entry("connectToLearnerMasterLimit", OBSERVERS_ARE_FED),
            Map.entry("electionAlg", OWN_ELECTION),
            Map.entry("electionPortBindRetry", OWN_LINKS),
            Map.entry("fastleader.maxNotificationInterval", OWN_ELECTION),
            Map.entry("fastleader.minNotificationInterval", OWN_ELECTION),
            Map.entry("flushDelay", FORCED_TOGETHER),
            Map.entry("follower.skipLearnerRequestToNextProcessor", "remove it: there are no followers' queues"),
            Map.entry("forceSnapshotSync", "remove it: a state is sent where no log reaches back"),
            Map.entry(FORCE_SYNC, "set ordering.durability"),
            Map.entry("leader.ackLoggingFrequency", "remove it: acknowledgements are not logged"),
            Map.entry("leader.closeSocketAsync", OWN_LINKS),
            Map.entry("leader.maxConcurrentDiffSyncs", TRANSFER_RATE),
            Map.entry("leader.maxConcurrentSnapSyncs", TRANSFER_RATE),
            Map.entry("leader.maxTimeToWaitForEpoch", OWN_ELECTION),
            Map.entry("leaderConnectDelayDuringRetryMs", OWN_LINKS),
            Map.entry("leaderServes", "remove it: leaders serve clients"),
            Map.entry("learner.asyncSending", OWN_LINKS),
            Map.entry("learner.closeSocketAsync", OWN_LINKS),
            Map.entry("maxBatchSize", FORCED_TOGETHER),
            Map.entry("maxWriteQueuePollTime", FORCED_TOGETHER),
            Map.entry("messageTracker.BufferSize", OWN_METRICS),
            Map.entry("messageTracker.Enabled", OWN_METRICS),
            Map.entry("observer.election.DelayMs", OBSERVERS_ARE_FED),
            Map.entry("observer.reconnectDelayMs", OBSERVERS_ARE_FED),
            Map.entry("observerMaster.sizeLimit", OBSERVERS_ARE_FED),
            Map.entry("observerMasterPort", OBSERVERS_ARE_FED),
            Map.entry("preAllocSize", "remove it: nothing is reserved in a log"),
            Map.entry("quorum.cnxn.threads.size", OWN_LINKS),
            Map.entry("quorumCnxnTimeoutMs", OWN_LINKS),
            Map.entry("snapshotSizeFactor", RETENTION),
            Map.entry("syncEnabled", "remove it: observers keep logs and snapshots"),
            Map.entry("txnLogSizeLimitInKb", "set snapSizeLimitInKb: each snapshot begins a new file of the log")));

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
