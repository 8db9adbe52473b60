package io.chainkeeper.iss;

import io.chainkeeper.ordering.SettingKeys;
import io.chainkeeper.ordering.SizeLimits;
import io.chainkeeper.ordering.settings.CommonSettings;
import java.util.Map;

/**
 * The {@code iss.*} keys of a zoo.cfg, and all bounds of the protocol derived from them. One place for both. Nothing
 * that replicas must agree on is taken from here without being ordered first, so servers may differ in them.
 */
final class IssSettings extends CommonSettings {
    /** Which members lead a segment. */
    enum LeaderPolicy {
        /** All members but those that failed to finish a segment lately, or are silent. */
        BACKOFF,
        /** All members. */
        ALL,
        /** One. */
        SINGLE
    }

    private static final String WINDOW_BATCHES = "iss.windowBatches";
    private static final String PART_BYTES = "iss.partBytes";
    private static final String MAX_POSITIONS_IN_MEMORY = "iss.maxPositionsInMemory";
    private static final String MIN_SEGMENT_POSITIONS = "iss.minSegmentPositions";
    private static final String MAX_SEGMENT_POSITIONS = "iss.maxSegmentPositions";
    private static final String LEADER_POLICY = "iss.leaderPolicy";
    private static final String BUCKET_POLICY = "iss.bucketPolicy";

    /** What either number of positions can be set to at most. */
    static final int LONGEST_SEGMENT_POSITIONS = 65_536;

    static final SettingKeys KEYS = keys("iss")
            .number(WINDOW_BATCHES, 4, 1, 1024)
            .number(PART_BYTES, SizeLimits.PART_BYTES, 1, SizeLimits.PART_BYTES)
            .number(MAX_POSITIONS_IN_MEMORY, 8192, 1, 1 << 20)
            .number(MIN_SEGMENT_POSITIONS, 64, 2, LONGEST_SEGMENT_POSITIONS)
            .number(MAX_SEGMENT_POSITIONS, 1024, 2, LONGEST_SEGMENT_POSITIONS)
            .choice(LEADER_POLICY, "backoff", "all", "single")
            .choice(BUCKET_POLICY, "sticky", "rotating")
            .atLeast(MAX_SEGMENT_POSITIONS, 1, MIN_SEGMENT_POSITIONS)
            .build();

    /** Bytes of commands in one Forward, unless a single command is larger. */
    static final int FORWARD_BYTES = SizeLimits.PART_BYTES;

    /** Messages of the next epoch that are kept; what is dropped is asked for again. */
    static final int MAX_EARLY_MESSAGES = 4096;

    /** Bytes of messages of the next epoch that are kept. */
    static final long MAX_EARLY_BYTES = 16L << 20;

    /** Requests for a read index that may be under way; later reads wait and share one. */
    static final int MAX_READ_REQUESTS = 16;

    private static final long RECENT_BYTES = 32L << 20;

    private final int windowBatches;
    private final int partBytes;
    private final int maxPositionsInMemory;
    private final int minSegmentPositions;
    private final int maxSegmentPositions;
    private final LeaderPolicy leaderPolicy;
    private final boolean rotating;

    /**
     * @param values what the user has set, checked
     * @param memberCount number of voting members
     * @param tickMillis length of a tick
     */
    IssSettings(Map<String, String> values, int memberCount, int tickMillis) {
        super(KEYS, "iss", values, memberCount, tickMillis);
        windowBatches = KEYS.number(values, WINDOW_BATCHES);
        partBytes = KEYS.number(values, PART_BYTES);
        maxPositionsInMemory = KEYS.number(values, MAX_POSITIONS_IN_MEMORY);
        minSegmentPositions = KEYS.number(values, MIN_SEGMENT_POSITIONS);
        maxSegmentPositions = KEYS.number(values, MAX_SEGMENT_POSITIONS);
        leaderPolicy = policy(KEYS.choice(values, LEADER_POLICY));
        rotating = KEYS.choice(values, BUCKET_POLICY).equals("rotating");
    }

    private static LeaderPolicy policy(String choice) {
        return switch (choice) {
            case "all" -> LeaderPolicy.ALL;
            case "single" -> LeaderPolicy.SINGLE;
            default -> LeaderPolicy.BACKOFF;
        };
    }

    /** {@code iss.windowBatches}: batches of one leader proposed and not yet ordered, at most. */
    int windowBatches() {
        return windowBatches;
    }

    /** {@code iss.partBytes}: bytes of values in one Promise or Learn, at most, unless a single value is larger. */
    int partBytes() {
        return partBytes;
    }

    /** {@code iss.minSegmentPositions}: positions of each leader in an epoch, at least. */
    int minSegmentPositions() {
        return minSegmentPositions;
    }

    /** {@code iss.maxSegmentPositions}: positions of each leader in an epoch, at most. */
    int maxSegmentPositions() {
        return maxSegmentPositions;
    }

    /** {@code iss.leaderPolicy}. */
    LeaderPolicy leaderPolicy() {
        return leaderPolicy;
    }

    /** Whether {@code iss.bucketPolicy=rotating}. */
    boolean rotating() {
        return rotating;
    }

    /** How long a replica that asked for decided values waits for them. */
    int fetchTicks() {
        return Math.max(2, suspicionTicks() / 3);
    }

    /** An epoch is made longer if it lasted less than half of this, and shorter if more than twice as long. */
    int epochTicks() {
        return 2 * suspicionTicks();
    }

    /** A replica has caught up if it is not more than so many positions behind. */
    int caughtUpPositions() {
        return Math.max(64, 8 * windowBatches);
    }

    /**
     * {@code iss.maxPositionsInMemory}: decided values that are kept in memory at most, besides those that must be. A
     * replica that is further behind is sent what the log holds.
     */
    int recentPositions() {
        return maxPositionsInMemory;
    }

    /** Bytes of decided values that are kept in memory for replicas that are a little behind. */
    long recentBytes() {
        return RECENT_BYTES;
    }
}
