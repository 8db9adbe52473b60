package io.chainkeeper.disk;

import io.chainkeeper.disk.layout.DiskLayout;
import io.chainkeeper.disk.layout.RingEntry;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * What this server has proposed and not freed, in the order in which it lies in its ring on every disk. Kept in memory,
 * so that each disk gets it as fast as it can take it.
 */
final class OwnRing {
    /** @param encoded as it is written */
    record Stored(RingEntry entry, ByteSlice encoded) {}

    private final long clusterId;
    private final int slot;
    private final int regionBytes;
    private final TreeMap<Long, Stored> byOffset = new TreeMap<>();
    private long tail;
    private long end;

    /**
     * @param clusterId of the disks
     * @param slot of this server
     * @param layout of the disks
     * @param tail where the ring begins
     */
    OwnRing(long clusterId, int slot, DiskLayout layout, long tail) {
        this.clusterId = clusterId;
        this.slot = slot;
        this.regionBytes = layout.regionBytes();
        this.tail = tail;
        this.end = tail;
    }

    /** Takes up what a start has found on disks, the next one in order. */
    void recover(RingEntry entry) {
        InvariantViolated.check(entry.ringOffset() == end, "entry at %d behind %d", entry.ringOffset(), end);
        store(entry);
    }

    private void store(RingEntry entry) {
        ByteSlice encoded = entry.encode();
        ByteSlice value = entry.isSkip()
                ? ByteSlice.EMPTY
                : encoded.slice(RingEntry.HEAD_BYTES, entry.value().length());
        RingEntry kept = new RingEntry(
                entry.clusterId(),
                entry.slot(),
                entry.ringOffset(),
                entry.bytes(),
                entry.position(),
                entry.ballot(),
                entry.decided(),
                entry.prefixHash(),
                value);
        byOffset.put(end, new Stored(kept, encoded));
        end = entry.end();
    }

    private int toRegionEnd() {
        return regionBytes - (int) (end % regionBytes);
    }

    /**
     * @param valueBytes length of a value
     * @param reserve bytes that have to be left
     * @return whether the value can be appended
     */
    boolean hasRoom(int valueBytes, long reserve) {
        long bytes = RingEntry.bytesFor(valueBytes);
        long skipped = bytes > toRegionEnd() ? toRegionEnd() : 0;
        return end - tail + skipped + bytes + reserve <= regionBytes;
    }

    /**
     * @param bytes of several entries, with what is left out where the ring begins anew
     * @return whether there is room for them
     */
    boolean hasRoomFor(long bytes) {
        return end - tail + bytes <= regionBytes;
    }

    /** Appends a proposal; there must be room. Parameters as of the entry. */
    void append(long position, Ballot ballot, long decided, long prefixHash, ByteSlice value) {
        InvariantViolated.check(
                hasRoom(value.length(), 0),
                "the ring of %d bytes has no room for %d more: raise disk.regionBytes",
                regionBytes,
                value.length());
        int bytes = (int) RingEntry.bytesFor(value.length());
        if (bytes > toRegionEnd()) {
            store(RingEntry.skip(clusterId, slot, end, toRegionEnd(), ballot));
        }
        store(new RingEntry(clusterId, slot, end, bytes, position, ballot, decided, prefixHash, value));
    }

    /**
     * @param bytes that are to be in use at most
     * @return positions up to here, or a little less, would have to be freed for that; 0 if no more is in use
     */
    long toBeFreedFor(long bytes) {
        Map.Entry<Long, Stored> last = usedBytes() > bytes ? byOffset.lowerEntry(end - bytes) : null;
        while (last != null && last.getValue().entry().isSkip()) {
            last = byOffset.lowerEntry(last.getKey());
        }
        return last == null ? 0 : last.getValue().entry().position();
    }

    /** Positions up to here are not needed any more. */
    void free(long position) {
        while (!byOffset.isEmpty() && byOffset.firstEntry().getValue().entry().position() <= position) {
            tail = byOffset.pollFirstEntry().getValue().entry().end();
        }
    }

    /**
     * Frees everything below a place, without {@link SafetyRule#RING_IS_FREED_BY_POSITION}.
     *
     * @param offset where an entry begins, or the end; else nothing is freed
     */
    void freeTo(long offset) {
        if (offset == end || byOffset.containsKey(offset)) {
            byOffset.headMap(offset).clear();
            tail = Math.max(tail, offset);
        }
    }

    /** The entry that begins there; null if none does. */
    Stored at(long offset) {
        return byOffset.get(offset);
    }

    void forEach(Consumer<RingEntry> visitor) {
        byOffset.values().forEach(stored -> visitor.accept(stored.entry()));
    }

    /**
     * @param found what a disk has of this ring, in order
     * @return up to here the disk has what this ring has
     */
    long matched(Collection<RingEntry> found) {
        long matched = tail;
        for (RingEntry entry : found) {
            Stored own = byOffset.get(entry.ringOffset());
            boolean isNext =
                    entry.ringOffset() == matched && own != null && own.entry().equals(entry);
            matched = isNext ? entry.end() : matched;
        }
        return matched;
    }

    long tail() {
        return tail;
    }

    long end() {
        return end;
    }

    long usedBytes() {
        return end - tail;
    }
}
