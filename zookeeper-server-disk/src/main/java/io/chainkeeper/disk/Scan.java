package io.chainkeeper.disk;

import io.chainkeeper.disk.layout.RingEntry;
import io.chainkeeper.ordering.ByteSlice;
import java.util.TreeMap;

/** What the rings of all servers hold above a position, on a majority of the disks: per position the highest ballot. */
final class Scan {
    private final DiskState state;
    private final long from;
    private final long target;
    private final long maxBytes;
    private final TreeMap<Long, RingEntry> best = new TreeMap<>();
    private final boolean[] begun;
    private final boolean[] finished;
    private long bytes;
    private long last;
    private long decided;

    /** Positions from here on were left out. */
    private long cut = Long.MAX_VALUE;

    /**
     * @param state of this server
     * @param from the first position of interest
     * @param target the last one that is kept
     * @param maxBytes of values; the highest positions give way
     */
    Scan(DiskState state, long from, long target, long maxBytes) {
        this.state = state;
        this.from = from;
        this.target = target;
        this.maxBytes = maxBytes;
        this.begun = new boolean[state.disks.length];
        this.finished = new boolean[state.disks.length];
        state.ring.forEach(entry -> {
            if (!entry.isSkip()) {
                take(entry);
            }
        });
    }

    /**
     * Reads a disk, unless that was begun before. Where it hangs, or is so slow that it is still being read for a scan
     * that did not wait for it, what scans ask of it would only pile up.
     */
    void begin(Disk disk) {
        if (!begun[disk.number()] && disk.isAnswering() && !disk.isBeingScanned()) {
            begun[disk.number()] = true;
            new DiskScan(disk, state, this::take, () -> finished[disk.number()] = true).start();
        }
    }

    /** What was asked of a disk is lost. */
    void failed(Disk disk) {
        begun[disk.number()] = finished[disk.number()];
    }

    private void take(RingEntry entry) {
        long position = entry.position();
        last = Math.max(last, position);
        decided = Math.max(decided, entry.decided());
        if (position < from || position > target || position >= cut) {
            return;
        }
        RingEntry known = best.get(position);
        boolean isHigher = known == null || known.ballot().lessThan(entry.ballot());
        if (known == null || isHigher == state.rules.isOn(SafetyRule.VALUE_OF_THE_HIGHEST_BALLOT)) {
            bytes += entry.value().length() - (known == null ? 0 : known.value().length());
            best.put(position, withOwnValue(entry));
        }
        while (bytes > maxBytes && best.size() > 1) {
            cut = best.lastKey();
            bytes -= best.pollLastEntry().getValue().value().length();
        }
    }

    private static RingEntry withOwnValue(RingEntry entry) {
        return new RingEntry(
                entry.clusterId(),
                entry.slot(),
                entry.ringOffset(),
                entry.bytes(),
                entry.position(),
                entry.ballot(),
                entry.decided(),
                entry.prefixHash(),
                ByteSlice.of(entry.value().toByteArray()));
    }

    /** Whether a majority of the disks has been read. */
    boolean isComplete() {
        int count = 0;
        for (boolean each : finished) {
            count += each ? 1 : 0;
        }
        return count >= state.majority();
    }

    /** What has the highest ballot there; null if nothing was found. */
    RingEntry at(long position) {
        return best.get(position);
    }

    /** The highest position of any entry. */
    long last() {
        return last;
    }

    /** Up to here somebody knew positions to be decided. */
    long decided() {
        return decided;
    }

    /** The last position that is kept, if there is anything. */
    long lastKept() {
        return Math.min(target, cut - 1);
    }
}
