package io.chainkeeper.disk.layout;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.SharedDiskFormat.Blocks;
import io.chainkeeper.ordering.SharedDisks;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.Test;

/** What a new disk gets of one server where the others do not agree, or change meanwhile. */
public final class SlotCopyTest {
    private static final int BLOCK = SharedDisks.BLOCK_BYTES;
    private static final int NEW = 2;
    private static final List<Long> IDS = List.of(100L, 101L, 102L);

    /** A disk in memory with a ring of one server, whose entries take a block each. */
    private static final class MemoryDisk implements Blocks {
        private final Superblock label;
        private final byte[] bytes;
        private long whenRead = -1;
        private Runnable then;

        private MemoryDisk(int number) {
            label = new Superblock(4711, number, IDS, 1, DiskLayout.MIN_REGION_BYTES, 1, true);
            bytes = new byte[(int) label.layout().diskBytes()];
            write(0, label.encode());
            header(0, 0);
        }

        private void header(long tail, long freed) {
            ServerHeader header =
                    new ServerHeader(0, label.diskId(), 1, 1, new Ballot(9, 1), 0, tail * BLOCK, freed, freed, freed);
            write(label.layout().headerOffset(0), header.encode(null));
        }

        private void entry(long place, long position, long round) {
            RingEntry entry = new RingEntry(
                    label.clusterId(), 0, place * BLOCK, BLOCK, position, new Ballot(round, 1), 0, 0, ByteSlice.EMPTY);
            write(label.layout().ringOffset(0) + place * BLOCK, entry.encode());
        }

        /** Once, behind the next read of a place in the ring. */
        private void behindReadOf(long place, Runnable what) {
            whenRead = label.layout().ringOffset(0) + place * BLOCK;
            then = what;
        }

        @Override
        public ByteSlice read(long offset, int length) {
            ByteSlice read = ByteSlice.of(Arrays.copyOfRange(bytes, (int) offset, (int) offset + length));
            if (offset == whenRead) {
                whenRead = -1;
                then.run();
            }
            return read;
        }

        @Override
        public void write(long offset, ByteSlice what) {
            System.arraycopy(what.array(), what.offset(), bytes, (int) offset, what.length());
        }

        /** What a reader finds, as position and round of each. */
        private List<String> ring() throws DamagedBlockException {
            ByteSlice block = read(label.layout().headerOffset(0), BLOCK);
            ServerHeader header = ServerHeader.decode(block, 0, label.diskId());
            List<String> found = new ArrayList<>();
            new RingScan(this, label, 0, header.tail())
                    .run(entry ->
                            found.add(entry.position() + "/" + entry.ballot().round()));
            return found;
        }
    }

    private final MemoryDisk first = new MemoryDisk(0);
    private final MemoryDisk second = new MemoryDisk(1);
    private final MemoryDisk target = new MemoryDisk(NEW);

    private long copy() {
        return new SlotCopy(target.label, 0, List.of(first, second)).writeTo(target);
    }

    /** What was written over on one disk was taken up by a start that did not see that, and goes on behind it. */
    @Test
    public void disksDiffer_newOneGetsTheRingOfTheHighestLastBallot() throws Exception {
        first.entry(0, 1, 1);
        first.entry(1, 2, 1);
        first.entry(2, 1, 3);
        first.entry(3, 2, 3);
        second.entry(0, 1, 2);
        assertEquals(4 * BLOCK, copy());
        assertEquals(List.of("1/1", "2/1", "1/3", "2/3"), target.ring());
    }

    @Test
    public void oneReachesFarther_newOneGetsThat() throws Exception {
        first.entry(0, 1, 1);
        second.entry(0, 1, 1);
        second.entry(1, 2, 1);
        copy();
        assertEquals(List.of("1/1", "2/1"), target.ring());
    }

    /** What one disk says to be freed is another entry than the others have there. */
    @Test
    public void ringThatWasGivenUpBeginsFartherOn_newOneLacksNothing() throws Exception {
        first.header(1, 1);
        second.entry(0, 2, 2);
        second.entry(1, 3, 2);
        copy();
        assertEquals(List.of("2/2", "3/2"), target.ring());
    }

    @Test
    public void nothingIsThere_newOneGoesOnWhereTheFarthestDoes() throws Exception {
        first.header(3, 4);
        second.header(2, 3);
        assertEquals(0, copy());
        ServerHeader header = ServerHeader.decode(target.read(BLOCK, BLOCK), 0, IDS.get(NEW));
        assertEquals(3L * BLOCK, header.tail());
        assertEquals(4, header.freed());
    }

    /** Else the new disk would have an entry that was given up, and behind it a later one. */
    @Test
    public void serverWritesOverTheEndOfItsRing_allIsReadOnceMore() throws Exception {
        first.entry(0, 1, 1);
        first.entry(1, 2, 1);
        first.behindReadOf(0, () -> {
            first.entry(0, 1, 2);
            first.entry(1, 2, 2);
        });
        copy();
        assertEquals(List.of("1/2", "2/2"), target.ring());
    }

    @Test
    public void serverFreesMeanwhile_allIsReadOnceMore() throws Exception {
        first.entry(0, 1, 1);
        first.entry(1, 2, 1);
        first.behindReadOf(1, () -> first.header(1, 1));
        copy();
        assertEquals(List.of("2/1"), target.ring());
    }
}
