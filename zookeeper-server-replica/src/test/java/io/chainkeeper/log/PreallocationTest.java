package io.chainkeeper.log;

import static org.junit.Assert.assertEquals;

import java.io.IOException;
import java.util.List;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/** How far the file of a segment reaches ahead of its records. */
@RunWith(Parameterized.class)
public class PreallocationTest {
    private static final AcceptorLogSettings SETTINGS =
            new AcceptorLogSettings(8192, 512, 400, 512, 1024, 1024, 0, 0, 1_000_000, 1, 1 << 22);

    /** Written through the system's cache, and past it. */
    @Parameters(name = "blocks of {0} bytes")
    public static List<Integer> blockBytes() {
        return List.of(1, SimulatedDisk.DIRECT_BLOCK_BYTES);
    }

    private final int blockBytes;

    private final SimulatedDisk disk;

    public PreallocationTest(int blockBytes) {
        this.blockBytes = blockBytes;
        disk = new SimulatedDisk(blockBytes);
    }

    private int bytesAfter(int firstBody, int secondBody) throws IOException {
        try (SegmentedAcceptorLog log = new SegmentedAcceptorLog(disk, Durability.SYNC, SETTINGS, () -> {})) {
            log.append(LogRecords.value(1, "", firstBody));
            log.sync();
            log.append(LogRecords.value(2, "", secondBody));
            log.sync();
        }
        return disk.contents(SegmentHeader.name(1)).length;
    }

    private int recordsEnd(int... bodies) {
        int end = SegmentHeader.BYTES;
        for (int body : bodies) {
            end += RecordHeader.BYTES + body;
        }
        return (end + blockBytes - 1) / blockBytes * blockBytes;
    }

    @Test
    public void smallWrites_stayInsideThePreallocatedPart() throws IOException {
        assertEquals(512, bytesAfter(100, 100));
    }

    @Test
    public void smallWriteBeyondIt_addsTheNextPart() throws IOException {
        assertEquals(1024, bytesAfter(300, 350));
    }

    @Test
    public void largeWriteBeyondIt_addsNothingButItself() throws IOException {
        assertEquals(recordsEnd(450, 470), bytesAfter(450, 470));
    }

    @Test
    public void smallWriteBehindALargeOne_addsTheNextPartAgain() throws IOException {
        bytesAfter(450, 470);
        try (SegmentedAcceptorLog log = new SegmentedAcceptorLog(disk, Durability.SYNC, SETTINGS, () -> {})) {
            assertEquals(2, log.recovered(0).lastPosition());
            log.append(LogRecords.value(3, "", 10));
        }
        assertEquals(1536, disk.contents(SegmentHeader.name(1)).length);
    }
}
