package io.chainkeeper.chain;

import io.chainkeeper.ordering.SettingKeys;
import io.chainkeeper.ordering.SizeLimits;
import io.chainkeeper.ordering.settings.CommonSettings;
import java.util.Map;

/** The {@code chain.*} keys of a zoo.cfg, and all bounds of the protocol derived from them. One place for both. */
final class ChainSettings extends CommonSettings {
    private static final String WINDOW_INSTANCES = "chain.windowInstances";
    private static final String MAX_INSTANCES_IN_MEMORY = "chain.maxInstancesInMemory";
    private static final String ZONES = "chain.zones";

    static final SettingKeys KEYS = keys("chain")
            .number(WINDOW_INSTANCES, 4, 1, 1024)
            .number(MAX_INSTANCES_IN_MEMORY, 8192, 1, 1 << 20)
            .text(ZONES, "", Zones.SHAPE, Zones::problem)
            .build();

    /** Decided values that stay in memory beyond the window, so that a candidate slightly behind can be answered. */
    private static final int MEMORY_WINDOWS = 8;

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

    /** A follower tells its predecessor that values have arrived when they have so many bytes, at the latest. */
    static final int WINDOW_ACK_BYTES = SUCCESSOR_WINDOW_BYTES / 4;

    private final int windowInstances;
    private final int maxInstancesInMemory;
    private final Zones zones;

    /**
     * @param values what the user has set, checked
     * @param memberCount number of voting members
     * @param tickMillis length of a tick
     */
    ChainSettings(Map<String, String> values, int memberCount, int tickMillis) {
        super(KEYS, "chain", values, memberCount, tickMillis);
        windowInstances = KEYS.number(values, WINDOW_INSTANCES);
        maxInstancesInMemory = KEYS.number(values, MAX_INSTANCES_IN_MEMORY);
        zones = new Zones(KEYS.text(values, ZONES));
    }

    /** {@code chain.zones}: where replicas stand. */
    Zones zones() {
        return zones;
    }

    /** {@code chain.windowInstances}: instances proposed and not yet decided, at most. */
    int windowInstances() {
        return windowInstances;
    }

    /**
     * {@code chain.maxInstancesInMemory}: decided values kept in memory at most, unless fewer than {@link
     * #minMemoryInstances}. A replica that is further behind is sent what the log holds.
     */
    int maxInstancesInMemory() {
        return maxInstancesInMemory;
    }

    /** How long a predecessor may be silent before its successor turns to another. */
    int predecessorTimeoutTicks() {
        return Math.max(2 * heartbeatTicks(), suspicionTicks() / 3);
    }

    /** How long a follower that found the way round the chain broken keeps closing the loop itself. */
    int brokenLoopTicks() {
        return 10 * suspicionTicks();
    }

    /** Instances that may be on their way to one successor. */
    int successorWindowInstances() {
        return Math.max(32, 4 * windowInstances);
    }

    /** Decided values that are always kept in memory. */
    int minMemoryInstances() {
        return MEMORY_WINDOWS * windowInstances;
    }

    /** Decided values kept in memory at most. */
    int keptInstances() {
        return Math.max(minMemoryInstances(), maxInstancesInMemory);
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
