package io.chainkeeper.ordering.settings;

import io.chainkeeper.ordering.SettingKeys;
import io.chainkeeper.ordering.SizeLimits;
import io.chainkeeper.ordering.membership.MembershipPolicy;
import java.util.Map;

/**
 * What a user may set for every protocol, under the prefix of its keys, and the bounds that follow from that. Protocols
 * add what is their own. Immutable.
 */
public abstract class CommonSettings {
    private static final String MAX_BATCH_COMMANDS = ".maxBatchCommands";
    private static final String MAX_BATCH_BYTES = ".maxBatchBytes";
    private static final String HEARTBEAT_MILLIS = ".heartbeatMillis";
    private static final String SUSPICION_MILLIS = ".suspicionTimeoutMillis";
    private static final String SILENCE_MILLIS = ".memberSilenceMillis";
    private static final String MIN_QUORUM_SIZE = ".minQuorumSize";

    /** Heartbeats that a leader may miss, at least, before it is suspected. */
    private static final int HEARTBEATS_PER_SUSPICION = 4;

    private final int maxBatchCommands;
    private final int maxBatchBytes;
    private final int heartbeatTicks;
    private final int suspicionTicks;
    private final int silenceTicks;
    private final int minQuorumSize;
    private final boolean removesSilent;

    /**
     * @param protocol prefix of the keys
     * @return the keys that all protocols have, for a protocol to add its own
     */
    protected static SettingKeys.Builder keys(String protocol) {
        return new SettingKeys.Builder()
                .number(protocol + MAX_BATCH_COMMANDS, 1024, 1, 65536)
                .number(protocol + MAX_BATCH_BYTES, 256 << 10, 1024, SizeLimits.MAX_BATCH_SETTING_BYTES)
                .number(protocol + HEARTBEAT_MILLIS, 200, 10, 10_000)
                .number(protocol + SUSPICION_MILLIS, 1500, 50, 120_000)
                .number(protocol + SILENCE_MILLIS, 3_000, 100, 600_000)
                .numberUpToMembers(protocol + MIN_QUORUM_SIZE, 1, 1)
                .atLeast(protocol + SUSPICION_MILLIS, HEARTBEATS_PER_SUSPICION, protocol + HEARTBEAT_MILLIS);
    }

    /**
     * @param keys of the protocol
     * @param protocol prefix of the keys
     * @param values what the user has set, checked
     * @param memberCount number of voting members
     * @param tickMillis length of a tick
     */
    protected CommonSettings(
            SettingKeys keys, String protocol, Map<String, String> values, int memberCount, int tickMillis) {
        maxBatchCommands = keys.number(values, protocol + MAX_BATCH_COMMANDS);
        maxBatchBytes = keys.number(values, protocol + MAX_BATCH_BYTES);
        heartbeatTicks = keys.ticks(values, protocol + HEARTBEAT_MILLIS, tickMillis);
        // Both may be rounded to a tick; a leader must be allowed to miss some heartbeats all the same.
        suspicionTicks = Math.max(
                HEARTBEATS_PER_SUSPICION * heartbeatTicks, keys.ticks(values, protocol + SUSPICION_MILLIS, tickMillis));
        silenceTicks = keys.ticks(values, protocol + SILENCE_MILLIS, tickMillis);
        minQuorumSize = keys.number(values, protocol + MIN_QUORUM_SIZE);
        removesSilent = values.containsKey(protocol + MIN_QUORUM_SIZE) && minQuorumSize <= memberCount / 2;
    }

    /** @return {@code maxBatchCommands}: commands in the batch of one position, at most */
    public final int maxBatchCommands() {
        return maxBatchCommands;
    }

    /** @return {@code maxBatchBytes}: bytes of commands in one batch, at most, unless a single command is larger */
    public final int maxBatchBytes() {
        return maxBatchBytes;
    }

    /** @return {@code heartbeatMillis} in ticks: how often leaders, or all replicas, say that they live */
    public final int heartbeatTicks() {
        return heartbeatTicks;
    }

    /** @return {@code suspicionTimeoutMillis} in ticks: how long a leader may be silent before others try */
    public final int suspicionTicks() {
        return suspicionTicks;
    }

    /** @return {@code memberSilenceMillis} in ticks: how long a member may be silent before that is reported */
    public final int silenceTicks() {
        return silenceTicks;
    }

    /** @return {@code minQuorumSize}: a quorum has at least this many members */
    public final int minQuorumSize() {
        return minQuorumSize;
    }

    /** @return whether a member that is silent is removed, as far as the least quorum allows */
    public final boolean removesSilent() {
        return removesSilent;
    }

    /** @return how long the link to a leader may be down before the leader counts as silent */
    public final int linkSuspicionTicks() {
        return Math.max(1, heartbeatTicks / 2);
    }

    /** @return how long a candidate waits for answers */
    public final int electionTicks() {
        return Math.max(2, suspicionTicks / 2);
    }

    /** @return how long a member may be silent before it is removed, if silent members are removed at all */
    public final int removalTicks() {
        return 4 * silenceTicks;
    }

    /** @return what a policy of memberships needs of this */
    public final MembershipPolicy.Limits membershipLimits() {
        return new MembershipPolicy.Limits(minQuorumSize, removesSilent, silenceTicks, removalTicks());
    }
}
