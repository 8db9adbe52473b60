package io.chainkeeper.disk;

import io.chainkeeper.disk.layout.RingEntry;
import java.util.Map;
import java.util.TreeMap;

/**
 * When this server's application is to write a checkpoint, so that rings can be freed. An application takes them by
 * what it executes; small batches fill whole blocks, and some hold nothing to be executed, so a ring could be full
 * long before.
 */
final class CheckpointWish {
    private static final int PER_RING = 8;

    /** Of these, so many may be without a checkpoint before it is asked for one again. */
    private static final int PATIENCE = 5;

    private final long everyBytes;
    private final int retryTicks;

    /** By position at which a checkpoint was asked for: bytes delivered until then. */
    private final TreeMap<Long, Long> asked = new TreeMap<>();

    private long bytes;
    private long askedBytes;
    private long retryTick;
    private boolean hasAsked;

    /** @param settings say how large a ring is */
    CheckpointWish(DiskSettings settings) {
        this.everyBytes = settings.layout().regionBytes() / PER_RING;
        this.retryTicks = settings.suspicionTicks();
    }

    /** A position was delivered, whose value has so many bytes. */
    void delivered(int valueBytes) {
        bytes += RingEntry.bytesFor(valueBytes);
    }

    /**
     * Whether one is due; then it counts as asked for.
     *
     * @param now in ticks
     * @param position up to which everything is delivered
     * @param checkpoint up to which the application needs nothing of the order
     * @param isHoldingUp whether a ring is full that a later checkpoint could free: then no bytes come that would make
     *     another due
     */
    boolean isDue(long now, long position, long checkpoint, boolean isHoldingUp) {
        // Of earlier starts it is not known how much they have left without one.
        boolean isFirst = !hasAsked && position > 0;
        Map.Entry<Long, Long> covered = asked.floorEntry(checkpoint);
        long uncovered = bytes - (covered == null ? 0 : covered.getValue());
        boolean isLacking = isHoldingUp && checkpoint < position;
        boolean isLate = (isLacking || uncovered >= PATIENCE * everyBytes) && now >= retryTick;
        if (!isFirst && !isLate && bytes - askedBytes < everyBytes) {
            return false;
        }
        if (covered != null) {
            asked.headMap(covered.getKey()).clear();
        }
        asked.put(position, bytes);
        askedBytes = bytes;
        retryTick = now + retryTicks;
        hasAsked = true;
        return true;
    }
}
