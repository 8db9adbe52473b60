package io.chainkeeper.iss;

import io.chainkeeper.ordering.SizeLimits;
import io.chainkeeper.ordering.settings.SettingKeys;
import java.util.Map;
import java.util.Set;

/**
 * The {@code iss.*} keys of a zoo.cfg, and all bounds of the protocol derived from them. One place for both. Nothing
 * that replicas must agree on is taken from here without being ordered first, so servers may differ in them.
 *
 * @param windowBatches {@code iss.windowBatches}: batches of one leader proposed and not yet ordered, at most
 * @param maxBatchCommands {@code iss.maxBatchCommands}: commands in one position, at most
 * @param maxBatchBytes {@code iss.maxBatchBytes}: bytes of commands in one position, at most, unless a single command
 *     is larger
 * @param partBytes {@code iss.partBytes}: bytes of values in one Promise or Learn, at most, unless a single value is
 *     larger
 * @param minSegmentPositions {@code iss.minSegmentPositions}: positions of each leader in an epoch, at least
 * @param maxSegmentPositions {@code iss.maxSegmentPositions}: positions of each leader in an epoch, at most
 * @param heartbeatTicks how often replicas say that they live
 * @param suspicionTicks how long a leader may be silent, or block the order, before others finish its segment
 * @param silenceTicks how long a member may be silent before it is reported
 * @param minQuorumSize {@code iss.minQuorumSize}: a quorum has at least this many members
 * @param removesSilent whether a member that is silent is removed, as far as the least quorum allows
 * @param leaderPolicy {@code iss.leaderPolicy}
 * @param rotating {@code iss.bucketPolicy=rotating}
 */
record IssSettings(
        int windowBatches,
        int maxBatchCommands,
        int maxBatchBytes,
        int partBytes,
        int minSegmentPositions,
        int maxSegmentPositions,
        int heartbeatTicks,
        int suspicionTicks,
        int silenceTicks,
        int minQuorumSize,
        boolean removesSilent,
        LeaderPolicy leaderPolicy,
        boolean rotating) {
    static final String WINDOW_BATCHES = "iss.windowBatches";
    static final String MAX_BATCH_COMMANDS = "iss.maxBatchCommands";
    static final String MAX_BATCH_BYTES = "iss.maxBatchBytes";
    static final String PART_BYTES = "iss.partBytes";
    static final String MIN_SEGMENT_POSITIONS = "iss.minSegmentPositions";
    static final String MAX_SEGMENT_POSITIONS = "iss.maxSegmentPositions";
    static final String HEARTBEAT_MILLIS = "iss.heartbeatMillis";
    static final String SUSPICION_MILLIS = "iss.suspicionTimeoutMillis";
    static final String SILENCE_MILLIS = "iss.memberSilenceMillis";
    static final String MIN_QUORUM_SIZE = "iss.minQuorumSize";
    static final String LEADER_POLICY = "iss.leaderPolicy";
    static final String BUCKET_POLICY = "iss.bucketPolicy";

    /** Who leads a segment. */
    enum LeaderPolicy {
        /** All members but those that failed to finish a segment lately, or are silent. */
        BACKOFF,
        /** All members. */
        ALL,
        /** One. */
        SINGLE
    }

    /** Heartbeats that a leader may miss, at least, before it is suspected. */
    private static final int HEARTBEATS_PER_SUSPICION = 4;

    /** Bytes of commands in one Forward, unless a single command is larger. */
    static final int FORWARD_BYTES = SizeLimits.PART_BYTES;

    /** Messages of the next epoch that are kept; what is dropped is asked for again. */
    static final int MAX_EARLY_MESSAGES = 4096;

    /** Bytes of messages of the next epoch that are kept. */
    static final long MAX_EARLY_BYTES = 16L << 20;

    /** Requests for a read index that may be under way; later reads wait and share one. */
    static final int MAX_READ_REQUESTS = 16;

    /** What either number of positions can be set to at most. */
    static final int LONGEST_SEGMENT_POSITIONS = 65_536;

    private static final int RECENT_POSITIONS = 8192;
    private static final long RECENT_BYTES = 32L << 20;

    static final SettingKeys KEYS = new SettingKeys.Builder()
            .number(WINDOW_BATCHES, 4, 1, 1024)
            .number(MAX_BATCH_COMMANDS, 1024, 1, 65536)
            .number(MAX_BATCH_BYTES, 256 << 10, 1024, SizeLimits.MAX_BATCH_SETTING_BYTES)
            .number(PART_BYTES, SizeLimits.PART_BYTES, 1, SizeLimits.PART_BYTES)
            .number(MIN_SEGMENT_POSITIONS, 64, 2, LONGEST_SEGMENT_POSITIONS)
            .number(MAX_SEGMENT_POSITIONS, 1024, 2, LONGEST_SEGMENT_POSITIONS)
            .number(HEARTBEAT_MILLIS, 200, 10, 10_000)
            .number(SUSPICION_MILLIS, 1500, 50, 120_000)
            .number(SILENCE_MILLIS, 3_000, 100, 600_000)
            .numberUpToMembers(MIN_QUORUM_SIZE, 1, 1)
            .choice(LEADER_POLICY, "backoff", "all", "single")
            .choice(BUCKET_POLICY, "sticky", "rotating")
            .atLeast(SUSPICION_MILLIS, HEARTBEATS_PER_SUSPICION, HEARTBEAT_MILLIS)
            .atLeast(MAX_SEGMENT_POSITIONS, 1, MIN_SEGMENT_POSITIONS)
            .build();

    static Set<String> names() {
        return KEYS.names();
    }

    /** Returns null, or what is wrong with the user's values. */
    static String check(Map<String, String> values, int memberCount) {
        return KEYS.check(values, memberCount);
    }

    static IssSettings of(Map<String, String> values, int memberCount, int tickMillis) {
        int heartbeatTicks = KEYS.ticks(values, HEARTBEAT_MILLIS, tickMillis);
        // Both may be rounded to a tick; a leader must be allowed to miss some heartbeats all the same.
        int suspicionTicks =
                Math.max(HEARTBEATS_PER_SUSPICION * heartbeatTicks, KEYS.ticks(values, SUSPICION_MILLIS, tickMillis));
        return new IssSettings(
                KEYS.number(values, WINDOW_BATCHES),
                KEYS.number(values, MAX_BATCH_COMMANDS),
                KEYS.number(values, MAX_BATCH_BYTES),
                KEYS.number(values, PART_BYTES),
                KEYS.number(values, MIN_SEGMENT_POSITIONS),
                KEYS.number(values, MAX_SEGMENT_POSITIONS),
                heartbeatTicks,
                suspicionTicks,
                KEYS.ticks(values, SILENCE_MILLIS, tickMillis),
                KEYS.number(values, MIN_QUORUM_SIZE),
                values.containsKey(MIN_QUORUM_SIZE) && KEYS.number(values, MIN_QUORUM_SIZE) <= memberCount / 2,
                policy(KEYS.choice(values, LEADER_POLICY)),
                KEYS.choice(values, BUCKET_POLICY).equals("rotating"));
    }

    private static LeaderPolicy policy(String choice) {
        return switch (choice) {
            case "all" -> LeaderPolicy.ALL;
            case "single" -> LeaderPolicy.SINGLE;
            default -> LeaderPolicy.BACKOFF;
        };
    }

    /** How long the link to a leader may be down before it counts as silent. */
    int linkSuspicionTicks() {
        return Math.max(1, heartbeatTicks / 2);
    }

    /** How old what a replica said last may be that counts as its present state. */
    int freshStatusTicks() {
        return 2 * heartbeatTicks;
    }

    /** How long a candidate waits for answers. */
    int electionTicks() {
        return Math.max(2, suspicionTicks / 2);
    }

    /** How long a replica that asked for decided values waits for them. */
    int fetchTicks() {
        return Math.max(2, suspicionTicks / 3);
    }

    /** How long a member may be silent before it is removed, if silent members are removed at all. */
    int removalTicks() {
        return 4 * silenceTicks;
    }

    /** An epoch is made longer if it lasted less than half of this, and shorter if more than twice as long. */
    int epochTicks() {
        return 2 * suspicionTicks;
    }

    /** How many positions behind one may be that counts as having caught up. */
    int caughtUpPositions() {
        return Math.max(64, 8 * windowBatches);
    }

    /** Decided values that are kept in memory for those who are a little behind. */
    int recentPositions() {
        return RECENT_POSITIONS;
    }

    /** Bytes of decided values that are kept in memory for those who are a little behind. */
    long recentBytes() {
        return RECENT_BYTES;
    }
}
