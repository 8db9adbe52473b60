package io.chainkeeper.server.transfer;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.replica.Scheduler;
import io.chainkeeper.server.background.Background;
import io.chainkeeper.server.background.BackgroundWork;
import io.chainkeeper.server.storage.CheckpointStore;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends this replica's state to members that need it: the newest snapshot with its checkpoint and the transactions up
 * to where the snapshot is consistent. Serving goes on meanwhile: files are only read, not faster than the limit. Safe
 * for use by any thread; {@link #answer} blocks.
 */
public final class SnapshotSender implements StateOffer, Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotSender.class);

    private static final long PREPARE_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final int CHUNKS_PER_SECOND = 8;
    private static final int LEAST_CHUNK_BYTES = 1 << 12;
    private static final int OPEN_ATTEMPTS = 3;

    /** Files are kept open for a receiver that asks for nothing, so that it can come back after a break. */
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(120);

    /** The order is kept so long for a receiver that asks for nothing, if it has no room. */
    private static final long YIELD_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** The same if it has begun a start since. */
    private static final long STARTED_YIELD_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Longer than between two requests of a transfer that goes on: after that its place is free for another one. */
    private static final long PLACE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final CheckpointStore checkpoints;
    private final Path snapshotDirectory;
    private final Path logDirectory;
    private final RateLimit limit;
    private final int chunkBytes;
    private final int mostReceivers;
    private final BooleanSupplier isWrong;
    private final LongSupplier clockNanos;
    private final Background releaser;
    private final Snapshots snapshots;
    private final SnapshotOnDemand onDemand;
    private final Map<Integer, Receiver> receivers = new TreeMap<>();

    /** Members of which a start has been executed since they got a place here, if they have one. */
    private final Set<Integer> started = ConcurrentHashMap.newKeySet();

    private boolean isReleaseScheduled;
    private boolean closed;

    /** This replica's snapshots. */
    public interface Snapshots {
        /** @return what has been executed, so that a snapshot taken now would hold it */
        long executedPosition();

        /** @return the cluster's name, null if it has none; who joins must not get a state from before it had that */
        UUID clusterId();

        /**
         * Takes one, in the background.
         *
         * @return ends when it has been taken, or fails if that is not possible now, for want of space for example
         */
        CompletableFuture<?> take();
    }

    private static final class Receiver {
        private final OfferedState state;
        private long usedNanos;

        Receiver(OfferedState state) {
            this.state = state;
        }
    }

    /**
     * @param scheduler gives time, and what releases files in the background
     * @param name of that
     * @param waiting lets who answers wait
     * @param bounds of the transfers
     * @param checkpoints the checkpoints; an object of its own
     * @param snapshotDirectory where the snapshots lie
     * @param logDirectory where the transaction log lies
     * @param bytesPerSecond {@code ordering.stateTransferBytesPerSecond}
     * @param isWrong whether this replica's own state is known to be wrong, so that nobody may get it
     * @param snapshots takes one where the newest is too old for who asks
     */
    public SnapshotSender(
            Scheduler scheduler,
            String name,
            Waiting waiting,
            TransferBounds bounds,
            CheckpointStore checkpoints,
            Path snapshotDirectory,
            Path logDirectory,
            long bytesPerSecond,
            BooleanSupplier isWrong,
            Snapshots snapshots) {
        this.checkpoints = checkpoints;
        this.snapshotDirectory = snapshotDirectory;
        this.logDirectory = logDirectory;
        this.clockNanos = scheduler::nanoTime;
        this.limit = new RateLimit(bytesPerSecond, clockNanos, waiting::pause);
        // With a low limit an answer must not wait long for its turn.
        long mostAtOnce = Math.max(LEAST_CHUNK_BYTES, bytesPerSecond / CHUNKS_PER_SECOND);
        this.chunkBytes = (int) Math.min(bounds.chunkBytes(), mostAtOnce);
        this.mostReceivers = bounds.receivers();
        this.isWrong = isWrong;
        this.releaser = new BackgroundWork(scheduler, name);
        this.snapshots = snapshots;
        this.onDemand = new SnapshotOnDemand(snapshots, waiting, clockNanos);
    }

    @Override
    public ByteSlice answer(int peer, ByteSlice request, Supplier<ByteSlice> promise) throws IOException {
        try {
            return answer(peer, StateRequest.decode(request), promise).encode();
        } catch (MalformedMessageException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private StateAnswer answer(int peer, StateRequest request, Supplier<ByteSlice> promise) throws IOException {
        if (isWrong.getAsBoolean()) {
            // Also in the middle of a transfer: what was sent before is wrong as well.
            return request.kind() == StateRequest.Kind.MANIFEST
                    ? StateAnswer.nothing("its own state differs from that of a majority and is being replaced")
                    : StateAnswer.empty(StateAnswer.Kind.GONE);
        }
        if (request.kind() == StateRequest.Kind.MANIFEST) {
            return manifest(peer, request, promise);
        }
        OfferedState state = inUse(peer);
        if (state == null || !state.isReady() || state.snapshotZxid() != request.snapshotZxid()) {
            return StateAnswer.empty(StateAnswer.Kind.GONE);
        }
        try {
            return part(state, request);
        } catch (ClosedChannelException e) {
            // Released meanwhile, or closed by Java because a thread that read it was interrupted.
            drop(peer, state);
            return StateAnswer.empty(StateAnswer.Kind.GONE);
        }
    }

    private StateAnswer part(OfferedState state, StateRequest request) throws IOException {
        if (request.kind() == StateRequest.Kind.CHECKSUM) {
            requireAtMost(request.length(), TransferBounds.MAX_CHECKSUM_BYTES);
            return StateAnswer.checksum(state.checksum(request.file(), request.offset(), request.length()));
        }
        int length = Math.min(request.length(), chunkBytes);
        requireAtMost(length, TransferBounds.MAX_CHUNK_BYTES);
        limit.acquire(length);
        return StateAnswer.bytes(state.read(request.file(), request.offset(), length));
    }

    private static void requireAtMost(int length, int most) throws IOException {
        if (length < 0 || length > most) {
            throw new IOException("asked for " + length + " bytes at once, at most " + most + " are given");
        }
    }

    private StateAnswer manifest(int peer, StateRequest request, Supplier<ByteSlice> promise) throws IOException {
        long preferredSnapshotZxid = request.snapshotZxid();
        long leastPosition = request.offset();
        OfferedState state = inUse(peer);
        if (state == null
                || state.position() < leastPosition
                || (state.isReady() && state.snapshotZxid() != preferredSnapshotZxid)) {
            state = open(preferredSnapshotZxid);
            long least = state != null && isOfFormerName(state)
                    ? Math.max(leastPosition, state.position() + 1)
                    : leastPosition;
            if (state == null ? least > 0 : state.position() < least) {
                closeIfOpen(state);
                return takeSnapshot(peer, least);
            }
            if (state == null) {
                return StateAnswer.nothing("it has no snapshot with a checkpoint yet");
            }
            String refusal = keep(peer, state);
            if (refusal != null) {
                return StateAnswer.nothing(refusal);
            }
        }
        long deadline = clockNanos.getAsLong() + PREPARE_NANOS;
        StateManifest manifest;
        try {
            manifest = state.prepare(promise.get(), () -> deadline - clockNanos.getAsLong() > 0);
        } catch (IOException e) {
            drop(peer, state);
            throw e;
        }
        return manifest == null ? StateAnswer.empty(StateAnswer.Kind.PREPARING) : StateAnswer.manifest(manifest);
    }

    /** Earlier releases take the name of what they install for their own, and are refused if it is a former one. */
    private boolean isOfFormerName(OfferedState state) throws IOException {
        UUID present = snapshots.clusterId();
        UUID then = present == null ? null : state.clusterId();
        return then != null && !then.equals(present);
    }

    /** The answer says that another request is to follow, or why that would be of no use now. */
    private StateAnswer takeSnapshot(int peer, long leastPosition) {
        try {
            onDemand.await(peer, leastPosition, PREPARE_NANOS);
            return StateAnswer.empty(StateAnswer.Kind.PREPARING);
        } catch (IOException e) {
            return StateAnswer.nothing(e.getMessage());
        }
    }

    private static void closeIfOpen(OfferedState state) throws IOException {
        if (state != null) {
            state.close();
        }
    }

    private OfferedState open(long preferredSnapshotZxid) throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                return OfferedState.open(checkpoints, snapshotDirectory, logDirectory, preferredSnapshotZxid);
            } catch (NoSuchFileException e) {
                if (attempt == OPEN_ATTEMPTS) {
                    throw e; // normally only a purge that goes on at the same time
                }
            }
        }
    }

    private synchronized OfferedState inUse(int peer) {
        Receiver receiver = receivers.get(peer);
        if (receiver == null) {
            return null;
        }
        receiver.usedNanos = clockNanos.getAsLong();
        return receiver.state;
    }

    /** Keeps the files open for a receiver; returns why not, or null. */
    private synchronized String keep(int peer, OfferedState state) throws IOException {
        String refusal = closed ? "it is stopping" : withoutPlace(peer);
        if (refusal != null) {
            state.close();
            return refusal;
        }
        Receiver receiver = new Receiver(state);
        receiver.usedNanos = clockNanos.getAsLong();
        Receiver before = receivers.put(peer, receiver);
        started.remove(peer);
        if (before != null) {
            before.state.close();
        } else {
            LOG.info(
                    "Server {} needs the state: sending that of position {} in the background", peer, state.position());
        }
        if (!isReleaseScheduled) {
            scheduleRelease();
        }
        return null;
    }

    /**
     * A place bounds what is sent at the same time. Who asks no more may be starting from what it received, and the
     * order is kept for it; but its place is free, for nobody says that it has started before the order goes on, which
     * may need the next one's state. If it asks again, it goes on: then one more is served for a while.
     *
     * @return why there is none for it, null if there is
     */
    private String withoutPlace(int peer) {
        if (receivers.containsKey(peer)) {
            return null;
        }
        if (receivers.size() == TransferBounds.MAX_KEPT) {
            yieldIdle(Map.of());
        }
        if (receivers.size() == TransferBounds.MAX_KEPT) {
            return "it keeps its state for " + receivers.size() + " servers already";
        }
        long since = clockNanos.getAsLong() - PLACE_NANOS;
        Set<Integer> receiving = new TreeSet<>();
        receivers.forEach((member, receiver) -> {
            if (receiver.usedNanos - since > 0) {
                receiving.add(member);
            }
        });
        return receiving.size() < mostReceivers ? null : "it is sending its state to servers " + receiving + " already";
    }

    /** What cannot be read any more is opened anew when its receiver asks for a manifest. */
    private synchronized void drop(int peer, OfferedState state) {
        Receiver receiver = receivers.get(peer);
        if (receiver != null && receiver.state == state) {
            receivers.remove(peer);
        }
        closeQuietly(state);
    }

    private void scheduleRelease() {
        isReleaseScheduled = true;
        releaser.afterMillis(TimeUnit.NANOSECONDS.toMillis(IDLE_NANOS / 4), this::releaseIdle);
    }

    private synchronized void releaseIdle() {
        isReleaseScheduled = false;
        release(clockNanos.getAsLong() - IDLE_NANOS);
        if (!receivers.isEmpty() && !closed) {
            scheduleRelease();
        }
    }

    /**
     * A member begins a start. If it has received a state, it goes on from there, and by now the order itself knows
     * from where on this member needs it. Never waits.
     *
     * @param member replica id
     */
    public void memberStarted(int member) {
        started.add(member);
    }

    /**
     * The order has to forget something: it is not kept any more for who has asked for nothing for a while. Who has
     * started says so in the order; where that has no room it is the new link that tells.
     *
     * @param linkedSinceNanos the members that are linked, and since when
     */
    public void yieldIdle(Map<Integer, Long> linkedSinceNanos) {
        long now = clockNanos.getAsLong();
        release(now - YIELD_NANOS);
        release(now - STARTED_YIELD_NANOS, (peer, receiver) -> {
            Long since = linkedSinceNanos.get(peer);
            return started.contains(peer) || since != null && since - receiver.usedNanos > 0;
        });
    }

    /** Closes what was not used since a moment. */
    void release(long sinceNanos) {
        release(sinceNanos, (peer, receiver) -> true);
    }

    private synchronized void release(long sinceNanos, BiPredicate<Integer, Receiver> which) {
        Iterator<Map.Entry<Integer, Receiver>> all = receivers.entrySet().iterator();
        while (all.hasNext()) {
            Map.Entry<Integer, Receiver> entry = all.next();
            if (entry.getValue().usedNanos - sinceNanos <= 0 && which.test(entry.getKey(), entry.getValue())) {
                all.remove();
                LOG.info("Server {} asks for no more of the state", entry.getKey());
                closeQuietly(entry.getValue().state);
            }
        }
    }

    private static void closeQuietly(OfferedState state) {
        try {
            state.close();
        } catch (IOException e) {
            LOG.warn("Files that were read for another server cannot be closed: {}", e.getMessage());
        }
    }

    /**
     * The order must be kept from the next position on for those that are receiving.
     *
     * @return the lowest position of a state that is being sent, {@link Long#MAX_VALUE} if none is
     */
    public synchronized long lowestPositionInUse() {
        return receivers.values().stream()
                .mapToLong(receiver -> receiver.state.position())
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** Closes all files; whoever still asks is told that there is nothing. */
    @Override
    public synchronized void close() {
        closed = true;
        releaser.close();
        onDemand.close();
        receivers.values().forEach(receiver -> closeQuietly(receiver.state));
        receivers.clear();
    }
}
