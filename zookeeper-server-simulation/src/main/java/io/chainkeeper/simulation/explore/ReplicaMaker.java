package io.chainkeeper.simulation.explore;

import io.chainkeeper.disk.layout.DiskLayout;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.MessageCodec;
import io.chainkeeper.ordering.OrderingProtocol;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.ordering.SharedDiskFormat;
import io.chainkeeper.simulation.disk.SharedDiskArray;
import io.chainkeeper.simulation.host.HostRule;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Makes protocol objects, with timeouts of a few ticks, and numbers the frames and values that they exchange. */
final class ReplicaMaker {
    /** Length of a tick. A heartbeat is one tick, every other timeout about {@link #TIMEOUT_TICKS}. */
    private static final int TICK_MILLIS = 50;

    private static final int TIMEOUT_TICKS = 4;

    /** As short as epochs can be, for protocols that have them. */
    private static final int SEGMENT_POSITIONS = 2;

    private static final int STREAM = 0;
    private static final int COMMAND_BYTES = 3;

    /** Of a ring of 64 blocks, an entry takes 15. */
    private static final int LONG_COMMAND_BYTES = 60_000;

    /** So short that a ring, as small as it can be, has room for dozens. */
    private static final int RING_BATCH_BYTES = 1024;

    private final OrderingProtocolFactory factory;
    private final Scope scope;
    private final Set<HostRule> missing;
    private final MessageCodec codec;
    private final int replicas;
    private final Ensemble first;
    private final Ensemble next;
    private final Map<String, String> settings = new TreeMap<>();
    private final int commandBytes;
    private final Bytes frames = new Bytes();
    private final Bytes values = new Bytes();
    private final SharedBlocks shared;
    private final Numbered<OfferedState> states = new Numbered<>();
    private final Numbered<List<OnTheWay>> batches = new Numbered<>();

    /** @param missing rules that hosts do without */
    ReplicaMaker(OrderingProtocolFactory factory, Scope scope, Set<HostRule> missing) {
        this.factory = factory;
        this.scope = scope;
        this.missing = missing;
        states.numberOf(OfferedState.NOTHING);
        this.codec = factory.codec();
        this.replicas = scope.replicas();
        this.commandBytes = scope.start() == Scope.Start.ROUND ? LONG_COMMAND_BYTES : COMMAND_BYTES;
        this.first = Ensemble.of(Scope.ids(scope.participants()));
        this.next = Ensemble.of(Scope.ids(scope.nextParticipants()));
        for (String key : new TreeSet<>(factory.settings().names())) {
            if (key.endsWith("Millis")) {
                boolean heartbeat = key.endsWith("heartbeatMillis");
                settings.put(key, Integer.toString(heartbeat ? TICK_MILLIS : TIMEOUT_TICKS * TICK_MILLIS));
            } else if (key.endsWith("SegmentPositions")) {
                settings.put(key, Integer.toString(SEGMENT_POSITIONS));
            } else if (key.equals("disk.regionBytes")) {
                settings.put(key, Integer.toString(DiskLayout.MIN_REGION_BYTES));
            } else if (key.equals("disk.slots")) {
                settings.put(key, Integer.toString(replicas));
            } else if (key.equals("disk.maxBatchBytes")) {
                settings.put(key, Integer.toString(RING_BATCH_BYTES));
            }
        }
        SharedDiskFormat format = factory.sharedDisks();
        settings.putAll(SharedDiskArray.naming(scope.disks(), format, Map.of()));
        DiskLayout layout = new DiskLayout(replicas, DiskLayout.MIN_REGION_BYTES);
        shared = format == null ? null : new SharedBlocks(format, settings, scope.disks(), layout, values);
        String wrong = factory.settings().check(settings, replicas);
        if (wrong != null) {
            throw new IllegalArgumentException("settings for exploration: " + wrong);
        }
    }

    OrderingProtocol create(int id, long incarnation, boolean knowsChange, Effects effects) {
        // Replicas draw different numbers, always the same: who tries first is then known, the rest is explored.
        ProtocolContext context = new ProtocolContext(
                id,
                incarnation,
                knowsChange ? next : first,
                settings,
                bound -> (id - 1) % bound,
                TICK_MILLIS,
                ProtocolContext.Start.ORDINARY);
        return factory.create(context, effects);
    }

    /** The command with this identity: what it writes says who it is. */
    ProposedCommand commandOf(int proposer, long incarnation, long sequence) {
        ByteBuffer bytes = ByteBuffer.allocate(commandBytes);
        bytes.put((byte) proposer).put((byte) incarnation).put((byte) sequence);
        return new ProposedCommand(proposer, incarnation, STREAM, sequence, ByteSlice.of(bytes.array()));
    }

    int replicas() {
        return replicas;
    }

    /** The ensemble that is configured at first. */
    Ensemble first() {
        return first;
    }

    /** The ensemble that is configured after the change. */
    Ensemble next() {
        return next;
    }

    /** Whether something is told apart. */
    boolean has(Scope.Detail detail) {
        return scope.has(detail);
    }

    /** Whether hosts follow a rule. */
    boolean follows(HostRule rule) {
        return !missing.contains(rule);
    }

    /** {@link OrderingProtocolFactory#promiseKind}. */
    int promiseKind() {
        return factory.promiseKind();
    }

    /** The number of a state, so that an input can name it; 0 is none. */
    int numberOf(OfferedState state) {
        return states.numberOf(state);
    }

    OfferedState state(int number) {
        return states.get(number);
    }

    /** The number of what a batch brings, so that an input can name it. */
    int numberOf(List<OnTheWay> batch) {
        return batches.numberOf(batch);
    }

    List<OnTheWay> batch(int number) {
        return batches.get(number);
    }

    String protocol() {
        return factory.name();
    }

    MessageCodec codec() {
        return codec;
    }

    Bytes frames() {
        return frames;
    }

    /** Shared disks; null if the protocol has no use for them. */
    SharedBlocks shared() {
        return shared;
    }

    /** How many there are. */
    int disks() {
        return shared == null ? 0 : scope.disks();
    }

    Bytes values() {
        return values;
    }
}
