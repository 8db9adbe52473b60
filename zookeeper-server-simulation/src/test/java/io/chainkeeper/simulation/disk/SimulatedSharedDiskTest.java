package io.chainkeeper.simulation.disk;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.shareddisk.SharedDisk;
import java.io.IOException;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.Test;

/** What was forced is there for everybody; of what was not, any sectors, at any time until that server is back. */
public final class SimulatedSharedDiskTest {
    private static final int BLOCK = SharedDisk.BLOCK_BYTES;
    private static final int SECTORS = BLOCK / 512;

    private static SimulatedSharedDisk disk(long seed) {
        return new SimulatedSharedDisk("disk 0", 4L * BLOCK, new SplittableRandom(seed));
    }

    private static ByteSlice filled(int value, int blocks) {
        byte[] bytes = new byte[blocks * BLOCK];
        Arrays.fill(bytes, (byte) value);
        return ByteSlice.of(bytes);
    }

    /** How many sectors of the first block hold a value. */
    private static int sectorsWith(SimulatedSharedDisk disk, int value) {
        int count = 0;
        for (int sector = 0; sector < SECTORS; sector++) {
            count += disk.stable(sector * 512L, 512).get(511) == value ? 1 : 0;
        }
        return count;
    }

    @Test
    public void forced_isReadByOthers() throws Exception {
        SimulatedSharedDisk disk = disk(1);
        SharedDisk first = disk.open(1);
        SharedDisk second = disk.open(2);
        first.write(BLOCK, filled(7, 2));
        first.force();
        second.write(0, filled(8, 1));
        second.force();
        assertEquals(filled(7, 2), second.read(BLOCK, 2 * BLOCK));
        assertEquals(filled(8, 1), first.read(0, BLOCK));
        assertEquals(filled(0, 1), first.read(3L * BLOCK, BLOCK));
        assertEquals(4L * BLOCK, first.length());
    }

    @Test
    public void crashBeforeTheForce_leavesAnySectors_andSomeArriveLater() throws Exception {
        TreeSet<Integer> atOnce = new TreeSet<>();
        TreeSet<Integer> later = new TreeSet<>();
        for (int seed = 0; seed < 200; seed++) {
            SimulatedSharedDisk disk = disk(seed);
            SharedDisk crashing = disk.open(1);
            crashing.write(0, filled(1, 1));
            crashing.force();
            crashing.write(0, filled(2, 1));
            int arrived = sectorsWith(disk, 2);
            assertEquals(SECTORS, arrived + sectorsWith(disk, 1));
            atOnce.add(arrived);
            disk.arriveLate();
            assertTrue(sectorsWith(disk, 2) >= arrived);
            disk.open(1);
            int settled = sectorsWith(disk, 2);
            later.add(settled - arrived);
            disk.arriveLate();
            assertEquals("nothing of an earlier start arrives any more", settled, sectorsWith(disk, 2));
        }
        assertTrue(atOnce.toString(), atOnce.size() > SECTORS / 2);
        assertTrue(later.toString(), later.size() > SECTORS / 2);
    }

    @Test
    public void deadDisk_answersNobody_untilItIsRevived() throws Exception {
        SimulatedSharedDisk disk = disk(1);
        SharedDisk first = disk.open(1);
        first.write(0, filled(1, 1));
        first.force();
        disk.die();
        assertThrows(IOException.class, () -> first.read(0, BLOCK));
        assertThrows(IOException.class, () -> first.write(0, filled(1, 1)));
        assertThrows(IOException.class, first::force);
        assertEquals(
                "disk 0 does not answer",
                assertThrows(IOException.class, () -> disk.open(2)).getMessage());
        disk.revive();
        assertEquals(filled(1, 1), disk.open(2).read(0, BLOCK));
    }

    @Test
    public void emptyReplacement_isNotTakenForTheOldDisk() throws Exception {
        SimulatedSharedDisk disk = disk(1);
        SharedDisk first = disk.open(1);
        first.write(0, filled(1, 1));
        first.force();
        disk.replaceByEmpty();
        assertThrows(IOException.class, () -> first.read(0, BLOCK));
        assertEquals(filled(0, 1), disk.open(1).read(0, BLOCK));
    }

    @Test
    public void cutOffServer_aloneGetsNoAnswer() throws Exception {
        SimulatedSharedDisk disk = disk(1);
        SharedDisk first = disk.open(1);
        SharedDisk second = disk.open(2);
        disk.answer(1, false);
        assertThrows(IOException.class, () -> first.read(0, BLOCK));
        second.write(0, filled(1, 1));
        second.force();
        disk.answer(1, true);
        assertEquals(filled(1, 1), first.read(0, BLOCK));
    }

    @Test
    public void whatIsNoBlockOfIt_isADefect() throws Exception {
        SharedDisk first = disk(1).open(1);
        assertThrows(InvariantViolated.class, () -> first.read(512, BLOCK));
        assertThrows(InvariantViolated.class, () -> first.read(3L * BLOCK, 2 * BLOCK));
        first.close();
        assertThrows(InvariantViolated.class, () -> first.read(0, BLOCK));
    }
}
