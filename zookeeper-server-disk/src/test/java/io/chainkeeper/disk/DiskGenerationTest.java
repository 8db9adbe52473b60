package io.chainkeeper.disk;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.disk.layout.Superblock;
import io.chainkeeper.ordering.SharedDisks;
import java.util.List;
import org.junit.Before;
import org.junit.Test;

/** A disk that was away while another one was replaced. */
public final class DiskGenerationTest {
    private static final int LONG = DiskEnsemble.LONG;
    private static final int AWAY = 3;
    private static final int REPLACED = 4;

    private final DiskEnsemble one = new DiskEnsemble(new DiskPaxosFactory(), 1, 5, 1);
    private Superblock next;

    @Before
    public void oneIsReplacedWhileAnotherIsAway() throws Exception {
        one.startAll();
        one.awaitLeader();
        one.assertGoesOn(1);
        one.crash(1);
        Superblock now = Superblock.decode(one.disks().read(0, 0, SharedDisks.BLOCK_BYTES));
        next = new Superblock(
                now.clusterId(), 0, List.of(100L, 101L, 102L, 103L, 999L), now.slots(), now.regionBytes(), 1, true);
        for (int disk = 0; disk < 3; disk++) {
            one.disks().write(disk, 0, next.ofDisk(disk).encode());
        }
        one.disks().setAlive(REPLACED, false);
    }

    private void start() {
        one.start(1);
        while (one.node(1).carryOut(AWAY, one.random()) | one.node(1).answer(AWAY, one.random())) {
            // the disk of the older generation is the first that answers
        }
    }

    @Test
    public void diskOfTheOlderGenerationAnswersFirst_theOthersAreUsed() {
        start();
        one.run(LONG);
        one.assertGoesOn(1);
        assertEquals(3, one.node(1).gauge("disks_in_use"));
    }

    @Test
    public void itsLabelIsMended_itIsUsedAgain() {
        start();
        one.run(LONG);
        one.disks().write(AWAY, 0, next.ofDisk(AWAY).encode());
        one.run(LONG);
        assertEquals(4, one.node(1).gauge("disks_in_use"));
        one.disks().setAlive(0, false);
        one.assertGoesOn(1);
        one.crash(1);
        one.start(1);
        one.run(LONG);
        one.assertGoesOn(1);
        assertEquals(one.order(), one.node(1).deliveredValues());
    }
}
