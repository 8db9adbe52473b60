package io.chainkeeper.server.bootstrap;

import io.chainkeeper.config.OrderingConfig;
import io.chainkeeper.release.FeatureRange;
import io.chainkeeper.release.Release;
import io.chainkeeper.server.state.EnsembleConfig;
import io.chainkeeper.server.storage.CheckpointSchedule.Intervals;
import io.chainkeeper.server.transfer.TransferBounds;
import java.nio.file.Path;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;

/**
 * What a replica lives with, beside the ordering part of its configuration.
 *
 * @param configuration the ensemble as this server's own files have it
 * @param configurationFile the main file, which a {@code reconfig} rewrites; null for none
 * @param localSessionsEnabled whether sessions begin as known to this replica only
 * @param intervals when snapshots and checkpoints are due
 * @param snapshotsKept how many snapshots recovery may fall back to, at least 1
 * @param purges whether what is older than those is deleted
 * @param transfers bounds of state transfers
 * @param levels the feature levels that this replica knows
 */
record LifeSettings(
        EnsembleConfig configuration,
        Path configurationFile,
        boolean localSessionsEnabled,
        Intervals intervals,
        int snapshotsKept,
        boolean purges,
        TransferBounds transfers,
        FeatureRange levels) {
    private static final int LEAST_SNAPSHOTS_KEPT = 3;

    static LifeSettings of(QuorumPeerConfig config, OrderingConfig ordering, EnsembleConfig configuration) {
        return new LifeSettings(
                configuration,
                config.getConfigFilename() == null ? null : Path.of(config.getConfigFilename()),
                config.areLocalSessionsEnabled(),
                Intervals.configured(ordering.checkpointBytes()),
                Math.max(LEAST_SNAPSHOTS_KEPT, config.getSnapRetainCount()),
                config.getPurgeInterval() > 0,
                TransferBounds.DEFAULT,
                Release.levels());
    }
}
