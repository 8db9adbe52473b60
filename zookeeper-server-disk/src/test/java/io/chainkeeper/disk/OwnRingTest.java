package io.chainkeeper.disk;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.disk.layout.DiskLayout;
import io.chainkeeper.disk.layout.RingEntry;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.SharedDisks;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

/** The ring that this server keeps in memory. */
public final class OwnRingTest {
    private static final int BLOCK = SharedDisks.BLOCK_BYTES;
    private static final int BLOCKS = DiskLayout.MIN_REGION_BYTES / BLOCK;
    private static final Ballot BALLOT = new Ballot(1, 1);

    private final OwnRing ring = new OwnRing(1, 0, new DiskLayout(1, DiskLayout.MIN_REGION_BYTES), 0);

    /** Appends a value whose entry takes so many blocks. */
    private void append(long position, int blocks) {
        byte[] value = new byte[blocks * BLOCK - RingEntry.HEAD_BYTES];
        ring.append(position, BALLOT, 0, 0, ByteSlice.of(value));
    }

    private List<RingEntry> entries() {
        List<RingEntry> entries = new ArrayList<>();
        ring.forEach(entries::add);
        return entries;
    }

    @Test
    public void ringIsFull_takesNoMoreUntilSomethingIsFreed() {
        for (int i = 1; i <= BLOCKS; i++) {
            append(i, 1);
        }
        assertFalse(ring.hasRoom(1, 0));
        assertThrows(InvariantViolated.class, () -> append(BLOCKS + 1, 1));
        ring.free(2);
        assertEquals(2L * BLOCK, ring.tail());
        assertTrue(ring.hasRoom(1, BLOCK));
        assertFalse(ring.hasRoom(1, BLOCK + 1));
    }

    @Test
    public void entryHasNoRoomBeforeTheRegionEnds_aSkipLeadsToItsBeginning() {
        append(1, BLOCKS - 2);
        assertFalse("the skip takes room too", ring.hasRoom(3 * BLOCK - RingEntry.HEAD_BYTES, 0));
        ring.free(1);
        append(2, 3);
        assertTrue(ring.at((BLOCKS - 2L) * BLOCK).entry().isSkip());
        assertEquals(2, ring.at((long) BLOCKS * BLOCK).entry().position());
        ring.free(2);
        assertEquals("the skip goes with what is behind it", ring.end(), ring.tail());
    }

    @Test
    public void toBeFreedForLess_isThePositionThatReachesBeyond() {
        append(1, BLOCKS - 2);
        ring.free(1);
        append(2, 1);
        append(3, 3);
        append(4, 1);
        assertEquals(0, ring.toBeFreedFor(6L * BLOCK));
        assertEquals(2, ring.toBeFreedFor(5L * BLOCK));
        assertEquals("where it begins anew, a skip goes first", 2, ring.toBeFreedFor(4L * BLOCK));
        assertEquals(3, ring.toBeFreedFor(3L * BLOCK));
        assertEquals(4, ring.toBeFreedFor(0));
    }

    @Test
    public void diskHasTheBeginning_matchedUpToTheFirstDifference() {
        append(1, 1);
        append(2, 1);
        append(3, 1);
        List<RingEntry> found = new ArrayList<>(entries());
        assertEquals(3L * BLOCK, ring.matched(found));
        RingEntry third = found.remove(2);
        assertEquals(2L * BLOCK, ring.matched(found));
        RingEntry other =
                new RingEntry(1, 0, third.ringOffset(), third.bytes(), 3, new Ballot(0, 1), 0, 0, third.value());
        found.add(other);
        assertEquals(2L * BLOCK, ring.matched(found));
    }

    /** Without the rule that a ring is freed by position. */
    @Test
    public void freedByPlace_onlyWhereAnEntryBegins() {
        append(1, 2);
        append(2, 1);
        ring.freeTo(BLOCK);
        assertEquals("inside of an entry: of a ring that was given up", 0, ring.tail());
        ring.freeTo(2L * BLOCK);
        assertEquals(2L * BLOCK, ring.tail());
        assertNull(ring.at(0));
        ring.freeTo(3L * BLOCK);
        assertEquals(0, ring.usedBytes());
    }
}
