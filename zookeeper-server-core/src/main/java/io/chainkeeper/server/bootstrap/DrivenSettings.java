package io.chainkeeper.server.bootstrap;

import io.chainkeeper.release.FeatureRange;
import io.chainkeeper.release.Release;
import io.chainkeeper.server.storage.CheckpointSchedule.Intervals;
import io.chainkeeper.server.storage.LoggedFiles;
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
 * @param largeLogWriteBytes from how many bytes on a write of the transaction log goes past the cache
 */
public record DrivenSettings(
        int tickTimeMillis,
        int minSessionTimeoutMillis,
        int maxSessionTimeoutMillis,
        int patienceTicks,
        Intervals intervals,
        int snapshotsKept,
        TransferBounds transfers,
        FeatureRange levels,
        int largeLogWriteBytes) {
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
                Release.levels(),
                LoggedFiles.LARGE_WRITE_BYTES);
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
                known,
                largeLogWriteBytes);
    }

    /**
     * @param bytes from how many bytes on a write of the transaction log goes past the cache
     * @return the same for a server that takes shorter writes for large ones
     */
    public DrivenSettings withLargeLogWrites(int bytes) {
        return new DrivenSettings(
                tickTimeMillis,
                minSessionTimeoutMillis,
                maxSessionTimeoutMillis,
                patienceTicks,
                intervals,
                snapshotsKept,
                transfers,
                levels,
                bytes);
    }
}
