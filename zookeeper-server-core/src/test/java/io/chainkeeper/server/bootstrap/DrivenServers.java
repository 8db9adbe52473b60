package io.chainkeeper.server.bootstrap;

import io.chainkeeper.config.DataDirectories;
import io.chainkeeper.config.OrderingConfig;
import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.config.Safeguards;
import io.chainkeeper.log.Durability;
import io.chainkeeper.log.LogStore;
import io.chainkeeper.replica.FailureHandler;
import io.chainkeeper.replica.Scheduler;
import io.chainkeeper.server.storage.CheckpointSchedule.Intervals;
import io.chainkeeper.server.transfer.TransferBounds;
import io.chainkeeper.transport.PeerAddress;
import java.nio.file.Path;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Servers that a test drives. */
public final class DrivenServers {
    /** No snapshot or checkpoint is due. */
    public static final Intervals NEVER = new Intervals(1_000_000, 0, 1_000_000_000);

    private static final TransferBounds SMALL_PARTS = new TransferBounds(512, 1_000, 700, 1);

    private DrivenServers() {}

    /**
     * @param id of the server
     * @param members how many there are
     * @param data its directory
     * @param intervals of its snapshots
     * @param scheduler of whoever drives it
     * @param surroundings what is around it
     * @param factory starts its order
     * @param failureHandler told when it cannot go on
     * @return a server that has not recovered yet
     */
    public static DrivenServer of(
            int id,
            int members,
            Path data,
            Intervals intervals,
            Scheduler scheduler,
            DrivenServer.Surroundings surroundings,
            OrderingFactory factory,
            FailureHandler failureHandler) {
        SortedMap<Integer, PeerAddress> addresses = new TreeMap<>();
        for (int member = 1; member <= members; member++) {
            addresses.put(member, new PeerAddress("127.0.0." + member, 2888));
        }
        OrderingConfig ordering = new OrderingConfig(
                OrderingConfig.DEFAULT_PROTOCOL,
                Durability.SYNC,
                LogStore.SEGMENTED,
                ReadConsistency.LINEARIZABLE,
                id,
                addresses,
                Map.of(),
                data.resolve(OrderingConfig.ORDERING_DIRECTORY),
                Map.of(),
                OrderingConfig.DEFAULT_LOG_RETENTION_BYTES,
                new Safeguards(0, 1, 0, 0),
                OrderingConfig.MAX_STATE_TRANSFER_BYTES_PER_SECOND,
                OrderingConfig.DEFAULT_CHECKPOINT_BYTES);
        return new DrivenServer(
                new DrivenSettings(50, 100, 5_000, 6, intervals, 2, SMALL_PARTS),
                ordering,
                new DataDirectories(data, data),
                scheduler,
                surroundings,
                factory,
                failureHandler);
    }
}
