package io.chainkeeper.disk;

import io.chainkeeper.disk.layout.DiskLayout;
import io.chainkeeper.ordering.SettingKeys;
import io.chainkeeper.ordering.SizeLimits;
import java.util.Map;

/** The {@code disk.*} keys of a zoo.cfg, and all bounds of the protocol derived from them. Immutable. */
final class DiskSettings {
    private static final String MAX_BATCH_COMMANDS = "disk.maxBatchCommands";
    private static final String MAX_BATCH_BYTES = "disk.maxBatchBytes";
    private static final String HEARTBEAT_MILLIS = "disk.heartbeatMillis";
    private static final String SUSPICION_MILLIS = "disk.suspicionTimeoutMillis";
    private static final String SILENCE_MILLIS = "disk.memberSilenceMillis";
    private static final String LANES = "disk.lanes";
    private static final String SLOTS = "disk.slots";
    private static final String REGION_BYTES = "disk.regionBytes";
    private static final String PATHS = "disk.paths";
    private static final String ONE_MACHINE = "disk.oneMachine";

    private static final int HEARTBEATS_PER_SUSPICION = 4;

    static final SettingKeys KEYS = new SettingKeys.Builder()
            .number(MAX_BATCH_COMMANDS, 1024, 1, 65536)
            .number(MAX_BATCH_BYTES, 256 << 10, 1024, SizeLimits.MAX_BATCH_SETTING_BYTES)
            .number(HEARTBEAT_MILLIS, 200, 10, 10_000)
            .number(SUSPICION_MILLIS, 1500, 50, 120_000)
            .number(SILENCE_MILLIS, 3_000, 100, 600_000)
            .number(LANES, 4, 1, 64)
            .number(SLOTS, 8, 1, DiskLayout.MAX_SLOTS)
            .number(REGION_BYTES, 64 << 20, DiskLayout.MIN_REGION_BYTES, DiskLayout.MAX_REGION_BYTES)
            .text(PATHS, "", "block devices or files, an odd number, with commas between them")
            .choice(ONE_MACHINE, "false", "true")
            .atLeast(SUSPICION_MILLIS, HEARTBEATS_PER_SUSPICION, HEARTBEAT_MILLIS)
            .build();

    /** Bytes of commands in one Forward, unless a single command is larger. */
    static final int FORWARD_BYTES = SizeLimits.PART_BYTES;

    /** What is read of a ring at once, unless an entry is longer. */
    static final int CHUNK_BYTES = 256 << 10;

    /** Bytes that may be on their way to one disk before more of the ring waits. */
    static final int MAX_BYTES_UNDER_WAY = 8 << 20;

    /** Proposals of a leader that a follower keeps until it hears that they are decided; what is more it reads. */
    static final int MAX_KEPT_PROPOSALS = 1024;

    /** Bytes of these. */
    static final long MAX_KEPT_BYTES = 64L << 20;

    /** Bytes of values that a server that is behind takes out of the rings at once. */
    static final long MAX_LEARNED_BYTES = 32L << 20;

    /** A replica has caught up if it is not more than so many positions behind. */
    static final int CAUGHT_UP_POSITIONS = 64;

    /** Every so many heartbeats, a server that hears its leader reads the headers all the same. */
    static final int HEARTBEATS_PER_READ = 10;

    private final int maxBatchCommands;
    private final int maxBatchBytes;
    private final int heartbeatTicks;
    private final int suspicionTicks;
    private final int silenceTicks;
    private final int lanes;
    private final int disks;
    private final DiskLayout layout;

    /**
     * @param values what the user has set, checked
     * @param tickMillis length of a tick
     */
    DiskSettings(Map<String, String> values, int tickMillis) {
        maxBatchCommands = KEYS.number(values, MAX_BATCH_COMMANDS);
        maxBatchBytes = KEYS.number(values, MAX_BATCH_BYTES);
        heartbeatTicks = KEYS.ticks(values, HEARTBEAT_MILLIS, tickMillis);
        suspicionTicks =
                Math.max(HEARTBEATS_PER_SUSPICION * heartbeatTicks, KEYS.ticks(values, SUSPICION_MILLIS, tickMillis));
        silenceTicks = KEYS.ticks(values, SILENCE_MILLIS, tickMillis);
        lanes = KEYS.number(values, LANES);
        disks = KEYS.text(values, PATHS).split(",").length;
        layout = new DiskLayout(KEYS.number(values, SLOTS), KEYS.number(values, REGION_BYTES));
    }

    /** {@code disk.maxBatchCommands}: commands in the batch of one position, at most. */
    int maxBatchCommands() {
        return maxBatchCommands;
    }

    /** {@code disk.maxBatchBytes}: bytes of commands in one batch, at most, unless a single command is larger. */
    int maxBatchBytes() {
        return maxBatchBytes;
    }

    /** {@code disk.heartbeatMillis} in ticks. */
    int heartbeatTicks() {
        return heartbeatTicks;
    }

    /** {@code disk.suspicionTimeoutMillis} in ticks: how long a leader may be silent before others try. */
    int suspicionTicks() {
        return suspicionTicks;
    }

    /** How long a leader may execute nothing of what is decided before somebody else is to lead. */
    int executionTicks() {
        return 2 * suspicionTicks;
    }

    /** {@code disk.memberSilenceMillis} in ticks: how long a member may be silent before that is reported. */
    int silenceTicks() {
        return silenceTicks;
    }

    /** {@code disk.lanes}: batches proposed and not decided, at most. */
    int lanes() {
        return lanes;
    }

    /** How many entries {@code disk.paths} has. */
    int disks() {
        return disks;
    }

    /** {@code disk.slots} and {@code disk.regionBytes}. */
    DiskLayout layout() {
        return layout;
    }

    /** How long a disk that has failed is left alone. */
    int retryTicks() {
        return Math.max(1, suspicionTicks / 2);
    }

    /** Those who miss a leader wait for up to so long, by chance, before they try to lead. */
    int standTicks() {
        return Math.max(2, suspicionTicks / 2);
    }

    /** No entry is longer, as a start has made sure; and a leader proposes more only while less is under way. */
    int longestEntryBytes() {
        return layout.regionBytes() / DiskLayout.ENTRIES_PER_RING;
    }

    /**
     * What is needed in a ring for taking over: what others had under way, less than two of the longest entries, and
     * less than one more that is left out where the ring begins anew.
     */
    int takeoverBytes() {
        return 3 * longestEntryBytes();
    }

    /** What clients' commands leave free in a ring: the room for taking over, and that of one entry for memberships. */
    int reserveBytes() {
        return takeoverBytes() + longestEntryBytes();
    }
}
