package io.chainkeeper.simulation.disk;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.disk.DiskPaxosFactory;
import io.chainkeeper.ordering.SharedDiskFormat;
import io.chainkeeper.shareddisk.DiskSource;
import io.chainkeeper.shareddisk.SharedDisk;
import io.chainkeeper.simulation.time.EventQueue;
import io.chainkeeper.simulation.time.Trace;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.Test;

public final class SharedDiskArrayTest {
    private static final int DISKS = 3;
    private static final long EXCHANGED_MICROS = 1_000;

    private final EventQueue events = new EventQueue();

    private SharedDiskArray disks() {
        return disks(DISKS);
    }

    private SharedDiskArray disks(int count) {
        SharedDiskFormat format = new DiskPaxosFactory().sharedDisks();
        return SharedDiskArray.of(
                count,
                format,
                SharedDiskArray.naming(count, format, Map.of()),
                new SplittableRandom(1),
                events,
                new Trace(events, null));
    }

    private void untilItIsBack() {
        while (events.step()) {
            // Nothing else is waited for.
        }
    }

    @Test
    public void aDiskOfAnotherClusterInTheList_refusesTheStart_untilTheRightOneIsBack() throws Exception {
        SharedDiskArray disks = disks();
        disks.exchange(1, EXCHANGED_MICROS, true);

        assertNull(disks.openFor(1));
        untilItIsBack();
        List<DiskSource> sources = disks.openFor(1);
        assertNotNull(sources);
        sources.get(1).open().close();
    }

    /** Who stood still while all disks were replaced, one after the other, has to see that on one of them. */
    @Test
    public void replacedWhileAServerRuns_itOpensTheNewDisk_whoseLabelSaysSo() throws Exception {
        SharedDiskArray disks = disks();
        DiskSource source = disks.openFor(1).get(1);
        disks.lose(1, EXCHANGED_MICROS);
        assertThrows(IOException.class, source::open);
        disks.replaceNow(1);
        source.open().close();
    }

    @Test
    public void awayWhileAnotherWasReplaced_countsAgainWhenTheOperatorHasMendedIt() throws Exception {
        SharedDiskArray disks = disks(5);
        disks.disk(3).die();
        disks.lose(1, EXCHANGED_MICROS);
        disks.replaceNow(1);
        disks.disk(3).revive();
        assertFalse(disks.areWhole());
        DiskSource source = disks.openFor(1).get(3);
        String message = assertThrows(IOException.class, source::open).getMessage();
        assertTrue(message, message.contains("was away when another disk was replaced"));

        untilItIsBack();
        assertTrue(disks.areWhole());
        source.open().close();
    }

    @Test
    public void onlyAMinorityIsGoneForGood_andIsNeverBack() throws Exception {
        for (boolean hangs : new boolean[] {false, true}) {
            SharedDiskArray disks = disks();
            DiskSource source = disks.openFor(1).get(1);
            assertTrue(disks.leave(1, hangs));
            if (hangs) {
                disks.disk(1).hang(1, true); // as whoever lets disks hang tells all servers
            }
            assertFalse(disks.leave(1, hangs));
            assertFalse("two of three would be missing", disks.leave(2, hangs));
            disks.lose(2, EXCHANGED_MICROS);
            assertTrue("nor is another one lost", disks.areWhole());
            disks.calm();
            assertThrows(IOException.class, source::open);
        }
    }

    @Test
    public void exchangedWhileAServerRuns_itMustOpenTheDiskAgain_andFindsThatItIsAnother() throws Exception {
        SharedDiskArray disks = disks();
        DiskSource source = disks.openFor(1).get(1);
        SharedDisk before = source.open();
        disks.exchange(1, EXCHANGED_MICROS, true);

        assertThrows(IOException.class, () -> before.read(0, SharedDisk.BLOCK_BYTES));
        IOException refusal = assertThrows(IOException.class, source::open);
        assertEquals("shared disk 1 is another disk than disk 2 of this cluster", refusal.getMessage());
        untilItIsBack();
        source.open().read(0, SharedDisk.BLOCK_BYTES);
    }

    @Test
    public void withoutTheRule_theOtherDiskPassesForTheRightOne() throws Exception {
        SharedDiskArray disks = disks();
        disks.exchange(1, EXCHANGED_MICROS, false);

        disks.openFor(1).get(1).open().close();
    }
}
