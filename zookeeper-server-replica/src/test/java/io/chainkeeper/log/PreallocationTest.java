package io.chainkeeper.log;

import static org.junit.Assert.assertEquals;

import java.io.IOException;
import org.junit.Test;

/** How far the file of a segment reaches ahead of its records. */
public class PreallocationTest {
    private static final AcceptorLogSettings SETTINGS =
            new AcceptorLogSettings(8192, 512, 400, 512, 1024, 1024, 0, 0, 1_000_000, 1, 1 << 22);

    private final SimulatedDisk disk = new SimulatedDisk();

    private int bytesAfter(int firstBody, int secondBody) throws IOException {
        try (SegmentedAcceptorLog log = new SegmentedAcceptorLog(disk, Durability.SYNC, SETTINGS, () -> {})) {
            log.append(LogRecords.value(1, "", firstBody));
            log.sync();
            log.append(LogRecords.value(2, "", secondBody));
            log.sync();
        }
        return disk.contents(SegmentHeader.name(1)).length;
    }

    private static int recordsEnd(int... bodies) {
        int end = SegmentHeader.BYTES;
        for (int body : bodies) {
            end += RecordHeader.BYTES + body;
        }
        return end;
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
