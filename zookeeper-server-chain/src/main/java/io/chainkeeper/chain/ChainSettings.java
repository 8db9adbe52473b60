package io.chainkeeper.chain;

import io.chainkeeper.ordering.SizeLimits;
import io.chainkeeper.ordering.settings.SettingKeys;
import java.util.Map;
import java.util.Set;

/**
 * The {@code chain.*} keys of a zoo.cfg, and all bounds of the protocol derived from them. One place for both.
 *
 * @param windowInstances {@code chain.windowInstances}: instances proposed and not yet decided, at most
 * @param maxBatchCommands {@code chain.maxBatchCommands}: commands in one instance, at most
 * @param maxBatchBytes {@code chain.maxBatchBytes}: bytes of commands in one instance, at most, unless a single command
 *     is larger
 * @param heartbeatTicks how often the leader says that it lives
 * @param suspicionTicks how long a leader may be silent before others try
 * @param silenceTicks how long a member may be silent before the leader reports it
 * @param minQuorumSize {@code chain.minQuorumSize}: a quorum has at least this many members
 * @param maxInstancesInMemory {@code chain.maxInstancesInMemory}: decided values kept in memory at most, unless fewer
 *     than {@link #minMemoryInstances()}; who is further behind is sent what the log holds
 * @param removesSilent whether a member that is silent is removed, as far as the least quorum allows
 */
record ChainSettings(
        int windowInstances,
        int maxBatchCommands,
        int maxBatchBytes,
        int heartbeatTicks,
        int suspicionTicks,
        int silenceTicks,
        int minQuorumSize,
        int maxInstancesInMemory,
        boolean removesSilent) {
    static final String WINDOW_INSTANCES = "chain.windowInstances";
    static final String MAX_BATCH_COMMANDS = "chain.maxBatchCommands";
    static final String MAX_BATCH_BYTES = "chain.maxBatchBytes";
    static final String HEARTBEAT_MILLIS = "chain.heartbeatMillis";
    static final String SUSPICION_MILLIS = "chain.suspicionTimeoutMillis";
    static final String SILENCE_MILLIS = "chain.memberSilenceMillis";
    static final String MIN_QUORUM_SIZE = "chain.minQuorumSize";
    static final String MAX_INSTANCES_IN_MEMORY = "chain.maxInstancesInMemory";

    /** Decided values that stay in memory beyond the window, so that a candidate slightly behind can be answered. */
    private static final int MEMORY_WINDOWS = 8;

    /** Heartbeats that a leader may miss, at least, before it is suspected. */
    private static final int HEARTBEATS_PER_SUSPICION = 4;

    private static final long MEMORY_BYTES = 32L << 20;

    /** As many as a leader and its successors may have under way: a candidate that is behind by that is answered. */
    private static final long LARGE_MEMORY_BYTES = 2L * SizeLimits.MAX_UNDER_WAY_BYTES;

    /** Bytes of values in one PrepareOk, unless a single value is larger. */
    static final int PREPARE_PART_BYTES = SizeLimits.PART_BYTES;

    /** Bytes of commands in one RedirectRequest, unless a single command is larger. */
    static final int REDIRECT_BYTES = SizeLimits.PART_BYTES;

    /** Bytes asked of the log at once for a successor that is behind. */
    static final int LOG_READ_BYTES = SizeLimits.PART_BYTES;

    /** Bytes of values that may be on their way to one successor; may be passed by one value. */
    static final int SUCCESSOR_WINDOW_BYTES = SizeLimits.MAX_UNDER_WAY_BYTES;

    /** A follower tells its upstream that values have arrived when they have so many bytes, at the latest. */
    static final int WINDOW_ACK_BYTES = SUCCESSOR_WINDOW_BYTES / 4;

    static final SettingKeys KEYS = new SettingKeys.Builder()
            .number(WINDOW_INSTANCES, 4, 1, 1024)
            .number(MAX_BATCH_COMMANDS, 1024, 1, 65536)
            .number(MAX_BATCH_BYTES, 256 << 10, 1024, SizeLimits.MAX_BATCH_SETTING_BYTES)
            .number(HEARTBEAT_MILLIS, 200, 10, 10_000)
            .number(SUSPICION_MILLIS, 1500, 50, 120_000)
            .number(SILENCE_MILLIS, 3_000, 100, 600_000)
            .numberUpToMembers(MIN_QUORUM_SIZE, 1, 1)
            .number(MAX_INSTANCES_IN_MEMORY, 8192, 1, 1 << 20)
            .atLeast(SUSPICION_MILLIS, HEARTBEATS_PER_SUSPICION, HEARTBEAT_MILLIS)
            .build();

    static Set<String> names() {
        return KEYS.names();
    }

    /** Returns null, or what is wrong with the user's values. */
    static String check(Map<String, String> values, int memberCount) {
        return KEYS.check(values, memberCount);
    }

    static ChainSettings of(Map<String, String> values, int memberCount, int tickMillis) {
        int heartbeatTicks = KEYS.ticks(values, HEARTBEAT_MILLIS, tickMillis);
        // Both may be rounded to a tick; a leader must be allowed to miss some heartbeats all the same.
        int suspicionTicks =
                Math.max(HEARTBEATS_PER_SUSPICION * heartbeatTicks, KEYS.ticks(values, SUSPICION_MILLIS, tickMillis));
        return new ChainSettings(
                KEYS.number(values, WINDOW_INSTANCES),
                KEYS.number(values, MAX_BATCH_COMMANDS),
                KEYS.number(values, MAX_BATCH_BYTES),
                heartbeatTicks,
                suspicionTicks,
                KEYS.ticks(values, SILENCE_MILLIS, tickMillis),
                KEYS.number(values, MIN_QUORUM_SIZE),
                KEYS.number(values, MAX_INSTANCES_IN_MEMORY),
                values.containsKey(MIN_QUORUM_SIZE) && KEYS.number(values, MIN_QUORUM_SIZE) <= memberCount / 2);
    }

    /** How long a predecessor may be silent before its successor turns to another. */
    int predecessorTimeoutTicks() {
        return Math.max(2 * heartbeatTicks, suspicionTicks / 3);
    }

    /** How long a follower that found the way round the chain broken keeps closing the loop itself. */
    int brokenLoopTicks() {
        return 10 * suspicionTicks;
    }

    /** How long a member may be silent before it is removed, if silent members are removed at all. */
    int removalTicks() {
        return 4 * silenceTicks;
    }

    /** How long the link to the leader may be down before it counts as silent. */
    int linkSuspicionTicks() {
        return Math.max(1, heartbeatTicks / 2);
    }

    /** How long a candidate waits for answers. */
    int electionTicks() {
        return Math.max(2, suspicionTicks / 2);
    }

    /** Instances that may be on their way to one successor. */
    int successorWindowInstances() {
        return Math.max(32, 4 * windowInstances);
    }

    /** Decided values that are always kept in memory. */
    int minMemoryInstances() {
        return MEMORY_WINDOWS * windowInstances;
    }

    /** Bytes of decided values kept in memory at most, unless fewer than {@link #minMemoryInstances()}. */
    long maxMemoryBytes() {
        return MEMORY_BYTES;
    }

    /** Bytes of values kept in memory at most, even if they are fewer instances; besides those that are undecided. */
    long maxLargeMemoryBytes() {
        return LARGE_MEMORY_BYTES;
    }
}
