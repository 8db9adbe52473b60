package io.chainkeeper.simulation.znode;

import io.chainkeeper.config.OrderingConfig;
import io.chainkeeper.config.RequestTracing;
import io.chainkeeper.config.Safeguards;
import io.chainkeeper.log.Durability;
import io.chainkeeper.log.LogStore;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.server.bootstrap.DrivenSettings;
import io.chainkeeper.server.storage.CheckpointSchedule;
import io.chainkeeper.server.storage.LoggedFiles;
import io.chainkeeper.server.transfer.TransferBounds;
import io.chainkeeper.simulation.swarm.SwarmOptions;
import io.chainkeeper.transport.PeerAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;

/** What stands in the configuration of a simulated server. */
final class ServerConfiguration {
    /** ZooKeeper's tick. */
    static final int TICK_TIME_MILLIS = 50;

    private static final int MIN_SESSION_TIMEOUT_MILLIS = 2 * TICK_TIME_MILLIS;
    private static final int MAX_SESSION_TIMEOUT_MILLIS = 100 * TICK_TIME_MILLIS;
    private static final int PATIENCE_TICKS = 6;

    /** How long clients are served without a leader. */
    static final long PATIENCE_MILLIS = (long) PATIENCE_TICKS * TICK_TIME_MILLIS;

    private static final int DIGEST_AUDIT_SECONDS = 1;
    private static final int PEER_PORT = 2888;

    /**
     * Who is refused for want of a place asks the same member again after five seconds. With one place, the last of six
     * would get its state when the simulation waits no more; the product has four.
     */
    private static final int LEAST_RECEIVERS = 2;

    private static final int NEVER = 1_000_000_000;

    private ServerConfiguration() {}

    /** Switches on what ZooKeeper has switched off by default; before the first server is made. */
    static void enableEverything() {
        System.setProperty("zookeeper.enforceQuota", "true");
        System.setProperty("zookeeper.extendedTypesEnabled", "true");
        QuorumPeerConfig.setReconfigEnabled(true);
    }

    /**
     * The ordering part.
     *
     * @param id of the server
     * @param place where it lives
     * @param directory of its data
     */
    static OrderingConfig ordering(int id, ServerPlace place, Path directory) {
        Ensemble ensemble = place.cluster().file(id);
        return new OrderingConfig(
                OrderingConfig.DEFAULT_PROTOCOL,
                Durability.SYNC,
                LogStore.SEGMENTED,
                place.options().servers().reads(),
                id,
                addresses(ensemble.participants()),
                addresses(ensemble.observers()),
                directory.resolve(OrderingConfig.ORDERING_DIRECTORY),
                Map.of(),
                OrderingConfig.DEFAULT_LOG_RETENTION_BYTES,
                new Safeguards(0, DIGEST_AUDIT_SECONDS, 0, 0),
                OrderingConfig.MAX_STATE_TRANSFER_BYTES_PER_SECOND,
                OrderingConfig.DEFAULT_CHECKPOINT_BYTES,
                place.origin().releases().raising(),
                RequestTracing.NONE);
    }

    private static Map<Integer, PeerAddress> addresses(List<Integer> members) {
        Map<Integer, PeerAddress> addresses = new TreeMap<>();
        members.forEach(member -> addresses.put(member, new PeerAddress("127.0.0." + member, PEER_PORT)));
        return addresses;
    }

    /**
     * How long sessions' timeouts must be, so that a client, which waits for two thirds of it, has its answers although
     * servers are gone for good. Shorter ones lose their connection: docs/iss.md.
     */
    static int leastTimeoutMillis(SwarmOptions options) {
        return (int) Math.min(MAX_SESSION_TIMEOUT_MILLIS, 2 * options.goneLeadersMicros() / 1_000);
    }

    /** The rest, with bounds so small that each is met. */
    static DrivenSettings draw(SwarmOptions options, SplittableRandom random) {
        int snapCount =
                options.checkpointEveryPositions() == 0 ? NEVER : Math.max(2, options.checkpointEveryPositions());
        CheckpointSchedule.Intervals intervals = new CheckpointSchedule.Intervals(
                snapCount, random.nextBoolean() ? 0 : 1_000 + random.nextInt(50_000), 200 + random.nextInt(20_000));
        TransferBounds transfers = new TransferBounds(
                64 + random.nextInt(4_000),
                64 + random.nextInt(8_000),
                64 + random.nextInt(8_000),
                Math.max(LEAST_RECEIVERS, 1 + random.nextInt(4)));
        return new DrivenSettings(
                        TICK_TIME_MILLIS,
                        MIN_SESSION_TIMEOUT_MILLIS,
                        MAX_SESSION_TIMEOUT_MILLIS,
                        PATIENCE_TICKS,
                        intervals,
                        options.maxCheckpoints(),
                        transfers)
                .withLargeLogWrites(random.nextBoolean() ? LoggedFiles.LARGE_WRITE_BYTES : 1 + random.nextInt(2_000));
    }
}
