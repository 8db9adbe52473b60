package io.chainkeeper.config;

import io.chainkeeper.log.AcceptorLogSettings;
import io.chainkeeper.log.Durability;
import io.chainkeeper.log.LogStore;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.transport.PeerAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The ordering part of a zoo.cfg, complete and checked.
 *
 * @param protocol {@code ordering.protocol}: name of a protocol, or {@link #ZAB}
 * @param durability {@code ordering.durability}
 * @param logStore {@code ordering.logStore}
 * @param reads {@code reads}
 * @param replicaId this server's myid
 * @param members configured participants: replica id to the address its replica link listens on, ascending by id
 * @param observers configured observers, likewise
 * @param orderingDirectory where the acceptor log lies, {@code dataLogDir/ordering}
 * @param protocolSettings the protocol's own keys that the file sets
 * @param logRetentionBytes {@code ordering.logRetentionBytes}: how many bytes of decided values the acceptor log keeps
 *     for replicas that were away
 * @param safeguards what the replica watches itself with
 * @param stateTransferBytesPerSecond {@code ordering.stateTransferBytesPerSecond}: how fast this server sends its state
 *     to others that need it, all of them together
 * @param checkpointBytes {@code ordering.checkpointBytes}: after how many bytes of transactions there is a checkpoint
 *     behind which a start need not look back
 * @param featureRaising {@code ordering.featureLevel} and {@code ordering.featureLevelDelaySeconds}
 * @param tracing {@code ordering.slowRequestMillis} and {@code ordering.traceEvery}
 */
public record OrderingConfig(
        String protocol,
        Durability durability,
        LogStore logStore,
        ReadConsistency reads,
        int replicaId,
        Map<Integer, PeerAddress> members,
        Map<Integer, PeerAddress> observers,
        Path orderingDirectory,
        Map<String, String> protocolSettings,
        long logRetentionBytes,
        Safeguards safeguards,
        long stateTransferBytesPerSecond,
        long checkpointBytes,
        FeatureRaising featureRaising,
        RequestTracing tracing) {
    /** The value of {@code ordering.protocol} that starts the stock quorum server. */
    public static final String ZAB = "zab";

    /** Name of the directory, below {@code dataLogDir}, that is not ZooKeeper's. */
    public static final String ORDERING_DIRECTORY = "ordering";

    /** The protocol of a file that names none. */
    public static final String DEFAULT_PROTOCOL = "chain";

    /** The value of {@code ordering.logRetentionBytes} when the file does not set it. */
    public static final long DEFAULT_LOG_RETENTION_BYTES =
            AcceptorLogSettings.defaults().retentionBytes();

    /** The smallest {@code ordering.logRetentionBytes}, 1 MiB: less is of no use to a replica that was away. */
    public static final long MIN_LOG_RETENTION_BYTES = 1L << 20;

    /** The largest {@code ordering.logRetentionBytes}, 1 TiB. */
    public static final long MAX_LOG_RETENTION_BYTES = 1L << 40;

    /** The value of {@code ordering.stateTransferBytesPerSecond} when the file does not set it, 64 MiB. */
    public static final long DEFAULT_STATE_TRANSFER_BYTES_PER_SECOND = 1L << 26;

    /** The smallest {@code ordering.stateTransferBytesPerSecond}, 64 KiB. */
    public static final long MIN_STATE_TRANSFER_BYTES_PER_SECOND = 1L << 16;

    /** The largest {@code ordering.stateTransferBytesPerSecond}, 1 TiB: no limit in practice. */
    public static final long MAX_STATE_TRANSFER_BYTES_PER_SECOND = 1L << 40;

    /** The value of {@code ordering.checkpointBytes} when the file does not set it, 64 MiB. */
    public static final long DEFAULT_CHECKPOINT_BYTES = 1L << 26;

    /** The smallest {@code ordering.checkpointBytes}, 64 KiB. */
    public static final long MIN_CHECKPOINT_BYTES = 1L << 16;

    /** The largest {@code ordering.checkpointBytes}, 1 TiB: only snapshots have checkpoints in practice. */
    public static final long MAX_CHECKPOINT_BYTES = 1L << 40;

    /** The configuration of a file that sets no key of the last two components; see {@link OrderingConfig}. */
    public OrderingConfig(
            String protocol,
            Durability durability,
            LogStore logStore,
            ReadConsistency reads,
            int replicaId,
            Map<Integer, PeerAddress> members,
            Map<Integer, PeerAddress> observers,
            Path orderingDirectory,
            Map<String, String> protocolSettings,
            long logRetentionBytes,
            Safeguards safeguards,
            long stateTransferBytesPerSecond,
            long checkpointBytes) {
        this(
                protocol,
                durability,
                logStore,
                reads,
                replicaId,
                members,
                observers,
                orderingDirectory,
                protocolSettings,
                logRetentionBytes,
                safeguards,
                stateTransferBytesPerSecond,
                checkpointBytes,
                FeatureRaising.DEFAULT,
                RequestTracing.DEFAULT);
    }

    /** @return who is meant to take part */
    public Ensemble ensemble() {
        return new Ensemble(List.copyOf(members.keySet()), List.copyOf(observers.keySet()));
    }

    /** @return where the replica links of all servers listen, participants and observers, ascending by id */
    public SortedMap<Integer, PeerAddress> addresses() {
        SortedMap<Integer, PeerAddress> addresses = new TreeMap<>(members);
        addresses.putAll(observers);
        return addresses;
    }

    /** What reads promise. */
    public enum ReadConsistency {
        /** A read sees every write that was answered before it was asked, whichever replica answered. */
        LINEARIZABLE,
        /** Apache ZooKeeper's behaviour: this replica's state, after the session's own earlier writes. */
        SEQUENTIAL
    }
}
