package io.chainkeeper.log;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * Where the latest record of each position lies. Pages of primitive arrays, so that neighbours cost 12 bytes each and
 * a gap between positions costs nothing. Not thread-safe.
 */
final class PositionIndex {
    private static final int PAGE_POSITIONS = 1024;

    private final TreeMap<Long, Page> pages = new TreeMap<>();
    private Page latest;

    private static final class Page {
        final long number;
        final long[] locations = new long[PAGE_POSITIONS];
        final int[] lengths = new int[PAGE_POSITIONS];

        Page(long number) {
            this.number = number;
        }

        long firstAtOrAbove(int slot) {
            for (int i = slot; i < PAGE_POSITIONS; i++) {
                if (locations[i] != 0) {
                    return number * PAGE_POSITIONS + i;
                }
            }
            return 0;
        }

        long last() {
            for (int i = PAGE_POSITIONS - 1; i >= 0; i--) {
                if (locations[i] != 0) {
                    return number * PAGE_POSITIONS + i;
                }
            }
            return 0;
        }
    }

    private static int slot(long position) {
        return (int) (position % PAGE_POSITIONS);
    }

    /**
     * Notes where a record lies, instead of what was noted for the position before.
     *
     * @param position from 1
     * @param segment the segment's number
     * @param offset in the segment, above 0
     * @param length size on disk
     */
    void put(long position, int segment, int offset, int length) {
        long number = position / PAGE_POSITIONS;
        if (latest == null || latest.number != number) {
            latest = pages.computeIfAbsent(number, Page::new);
        }
        latest.locations[slot(position)] = (long) segment << 32 | offset;
        latest.lengths[slot(position)] = length;
    }

    /**
     * @param position from 1
     * @return the location, to be given to {@link #segment} and {@link #offset}; 0 if there is no record
     */
    long location(long position) {
        Page page = pages.get(position / PAGE_POSITIONS);
        return page == null ? 0 : page.locations[slot(position)];
    }

    /**
     * @param position from 1
     * @return size on disk of the position's record, 0 if there is none
     */
    int length(long position) {
        Page page = pages.get(position / PAGE_POSITIONS);
        return page == null ? 0 : page.lengths[slot(position)];
    }

    static int segment(long location) {
        return (int) (location >>> 32);
    }

    static int offset(long location) {
        return (int) location;
    }

    /** @return lowest position that has a record, 0 if none has */
    long first() {
        return ceiling(0);
    }

    /** @return highest position that has a record, 0 if none has */
    long last() {
        return pages.isEmpty() ? 0 : pages.lastEntry().getValue().last();
    }

    /**
     * @param position any
     * @return lowest position not below that has a record, 0 if none has
     */
    long ceiling(long position) {
        long from = Math.max(0, position);
        Map.Entry<Long, Page> entry = pages.ceilingEntry(from / PAGE_POSITIONS);
        while (entry != null) {
            int slot = entry.getKey() == from / PAGE_POSITIONS ? slot(from) : 0;
            long found = entry.getValue().firstAtOrAbove(slot);
            if (found != 0) {
                return found;
            }
            entry = pages.higherEntry(entry.getKey());
        }
        return 0;
    }

    /** @param position the first position that stays */
    void removeBelow(long position) {
        pages.headMap(position / PAGE_POSITIONS).clear();
        Page page = pages.get(position / PAGE_POSITIONS);
        if (page != null) {
            Arrays.fill(page.locations, 0, slot(position), 0);
            Arrays.fill(page.lengths, 0, slot(position), 0);
            if (page.last() == 0) {
                pages.remove(page.number);
            }
        }
        latest = null;
    }
}
