package io.chainkeeper.disk.layout;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.SharedDisks;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.util.List;
import java.util.Random;
import org.junit.Test;

/** What is on a disk is read back, and what is not whole is known as such. */
public final class DiskLayoutTest {
    private static final int BLOCK = SharedDisks.BLOCK_BYTES;
    private static final long CLUSTER = 4711;
    private static final long DISK = 12;
    private static final Superblock SUPERBLOCK =
            new Superblock(CLUSTER, 1, List.of(11L, DISK, 13L), 8, DiskLayout.MIN_REGION_BYTES, 3, true);

    private static ServerHeader header(long sequence) {
        return new ServerHeader(2, DISK, sequence, 99, new Ballot(sequence, 3), 5, 8192, 7, 9 + sequence, 8);
    }

    private static RingEntry entry(int valueBytes) {
        byte[] value = new byte[valueBytes];
        new Random(valueBytes).nextBytes(value);
        int bytes = (int) RingEntry.bytesFor(valueBytes);
        return new RingEntry(CLUSTER, 2, 3L * BLOCK, bytes, 5, new Ballot(2, 3), 4, 77, ByteSlice.of(value));
    }

    private static ByteSlice changed(ByteSlice bytes, int at) {
        byte[] copy = bytes.toByteArray();
        copy[at] ^= 1;
        return ByteSlice.of(copy);
    }

    @Test
    public void regions_followOneAnotherAndAreWholeBlocks() {
        DiskLayout layout = SUPERBLOCK.layout();
        assertEquals(9 * BLOCK, layout.headersBytes());
        assertEquals(BLOCK, layout.headerOffset(0));
        assertEquals(layout.headersBytes(), layout.ringOffset(0));
        for (int slot = 1; slot < layout.slots(); slot++) {
            assertEquals(layout.headerOffset(slot - 1) + BLOCK, layout.headerOffset(slot));
            assertEquals(layout.ringOffset(slot - 1) + layout.regionBytes(), layout.ringOffset(slot));
        }
        assertEquals(layout.ringOffset(7) + layout.regionBytes(), layout.secondSuperblockOffset());
        assertEquals(layout.secondSuperblockOffset() + BLOCK, layout.diskBytes());
        assertThrows(InvariantViolated.class, () -> layout.headerOffset(8));
        assertThrows(InvariantViolated.class, () -> new DiskLayout(8, DiskLayout.MIN_REGION_BYTES + 1));
    }

    @Test
    public void superblock_isReadBackAndEveryChangedBitIsNoticed() throws Exception {
        ByteSlice block = SUPERBLOCK.encode();
        assertEquals(BLOCK, block.length());
        assertEquals(SUPERBLOCK, Superblock.decode(block));
        assertEquals(DISK, SUPERBLOCK.diskId());
        int noticed = 0;
        for (int at = 0; at < 100; at++) {
            ByteSlice other = changed(block, at);
            try {
                assertEquals(SUPERBLOCK, Superblock.decode(other));
            } catch (DamagedBlockException e) {
                noticed++;
            }
        }
        assertEquals("bytes in use", 77, noticed);
        assertThrows(DamagedBlockException.class, () -> Superblock.decode(ByteSlice.of(new byte[BLOCK])));
    }

    @Test
    public void header_isReadBack() throws Exception {
        ByteSlice block = header(4).encode(header(3));
        assertEquals(BLOCK, block.length());
        assertEquals(header(4), ServerHeader.decode(block, 2, DISK));
        assertEquals(header(1), ServerHeader.decode(header(1).encode(ServerHeader.blank(2, DISK)), 2, DISK));
        ServerHeader blank = ServerHeader.blank(2, DISK);
        assertTrue(blank.isBlank());
        assertEquals(blank, ServerHeader.decode(blank.encode(null), 2, DISK));
    }

    @Test
    public void headerOfAnotherServerOrDisk_isDamaged() {
        ByteSlice block = header(4).encode(header(3));
        assertThrows(DamagedBlockException.class, () -> ServerHeader.decode(block, 1, DISK));
        assertThrows(DamagedBlockException.class, () -> ServerHeader.decode(block, 2, DISK + 1));
        assertThrows(DamagedBlockException.class, () -> ServerHeader.decode(ByteSlice.of(new byte[BLOCK]), 2, DISK));
    }

    /** Wherever a write stops, and whatever becomes of the bytes that it was changing. */
    @Test
    public void tornHeader_isTheOneBeforeOrTheNewOne() throws Exception {
        for (long sequence = 2; sequence <= 5; sequence++) {
            ServerHeader before = header(sequence - 1);
            ServerHeader next = header(sequence);
            byte[] old = before.encode(sequence == 2 ? ServerHeader.blank(2, DISK) : header(sequence - 2))
                    .toByteArray();
            byte[] written = next.encode(before).toByteArray();
            Random random = new Random(sequence);
            for (int cut = 0; cut <= BLOCK; cut += 4) {
                byte[] torn = old.clone();
                System.arraycopy(written, 0, torn, 0, cut);
                ServerHeader read = ServerHeader.decode(ByteSlice.of(torn), 2, DISK);
                assertTrue("cut at " + cut, read.equals(before) || read.equals(next));
                for (int i = 0; i < BLOCK; i++) {
                    torn[i] = old[i] == written[i] ? old[i] : (byte) random.nextInt();
                }
                assertEquals(before, ServerHeader.decode(ByteSlice.of(torn), 2, DISK));
            }
        }
    }

    @Test
    public void entry_isReadBack() {
        for (int bytes : new int[] {0, 1, BLOCK - RingEntry.HEAD_BYTES, BLOCK - RingEntry.HEAD_BYTES + 1, 100_000}) {
            RingEntry entry = entry(bytes);
            ByteSlice encoded = entry.encode();
            assertEquals(entry.bytes(), encoded.length());
            assertEquals(0, encoded.length() % BLOCK);
            assertEquals(entry.bytes(), RingEntry.bytesAt(encoded, CLUSTER, 2, 3L * BLOCK));
            assertEquals(entry, RingEntry.decode(encoded));
            assertEquals(3L * BLOCK + entry.bytes(), entry.end());
        }
    }

    @Test
    public void entryOfAnEarlierLapOrAnotherServerOrCluster_isNone() {
        ByteSlice encoded = entry(10).encode();
        assertEquals(0, RingEntry.bytesAt(encoded, CLUSTER, 2, 7L * BLOCK));
        assertEquals(0, RingEntry.bytesAt(encoded, CLUSTER, 1, 3L * BLOCK));
        assertEquals(0, RingEntry.bytesAt(encoded, CLUSTER + 1, 2, 3L * BLOCK));
        assertEquals(0, RingEntry.bytesAt(ByteSlice.of(new byte[BLOCK]), 0, 0, 0));
    }

    @Test
    public void tornEntry_isNone() {
        ByteSlice encoded = entry(20_000).encode();
        for (int at = 0; at < RingEntry.HEAD_BYTES; at++) {
            assertEquals(0, RingEntry.bytesAt(changed(encoded, at), CLUSTER, 2, 3L * BLOCK));
        }
        for (int cut = BLOCK; cut < 20_000; cut += 512) {
            byte[] torn = new byte[encoded.length()];
            System.arraycopy(encoded.array(), 0, torn, 0, cut);
            assertNull(RingEntry.decode(ByteSlice.of(torn)));
        }
    }

    @Test
    public void skip_takesTheRestOfTheRegionAndIsOneBlockLong() {
        RingEntry skip = RingEntry.skip(CLUSTER, 2, 3L * BLOCK, 5 * BLOCK, new Ballot(2, 3));
        ByteSlice encoded = skip.encode();
        assertEquals(BLOCK, encoded.length());
        assertEquals(BLOCK, RingEntry.bytesAt(encoded, CLUSTER, 2, 3L * BLOCK));
        assertEquals(skip, RingEntry.decode(encoded));
        assertTrue(skip.isSkip());
        assertEquals(8L * BLOCK, skip.end());
    }
}
