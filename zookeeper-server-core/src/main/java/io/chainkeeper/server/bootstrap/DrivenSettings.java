package io.chainkeeper.server.bootstrap;

import io.chainkeeper.release.FeatureRange;
import io.chainkeeper.release.Release;
import io.chainkeeper.server.storage.CheckpointSchedule.Intervals;
import io.chainkeeper.server.transfer.TransferBounds;

/**
 * What a {@link DrivenServer} lives with, beside the ordering part of its configuration.
 *
 * @param tickTimeMillis ZooKeeper's tick; the maintenance looks at everything twice per tick
 * @param minSessionTimeoutMillis least timeout a client can get
 * @param maxSessionTimeoutMillis greatest timeout a client can get
 * @param patienceTicks how long clients are served without a leader, and a {@code reconfig} waits without progress
 * @param intervals when snapshots and checkpoints are due
 * @param snapshotsKept how many snapshots recovery may fall back to, at least 1; older ones are deleted
 * @param transfers bounds of state transfers
 * @param levels the feature levels that it knows
 */
public record DrivenSettings(
        int tickTimeMillis,
        int minSessionTimeoutMillis,
        int maxSessionTimeoutMillis,
        int patienceTicks,
        Intervals intervals,
        int snapshotsKept,
        TransferBounds transfers,
        FeatureRange levels) {
    /** Those of a server of this release; see {@link DrivenSettings}. */
    public DrivenSettings(
            int tickTimeMillis,
            int minSessionTimeoutMillis,
            int maxSessionTimeoutMillis,
            int patienceTicks,
            Intervals intervals,
            int snapshotsKept,
            TransferBounds transfers) {
        this(
                tickTimeMillis,
                minSessionTimeoutMillis,
                maxSessionTimeoutMillis,
                patienceTicks,
                intervals,
                snapshotsKept,
                transfers,
                Release.levels());
    }

    /**
     * @param known the feature levels that another release knows
     * @return the same for a server of that release
     */
    public DrivenSettings withLevels(FeatureRange known) {
        return new DrivenSettings(
                tickTimeMillis,
                minSessionTimeoutMillis,
                maxSessionTimeoutMillis,
                patienceTicks,
                intervals,
                snapshotsKept,
                transfers,
                known);
    }
}
