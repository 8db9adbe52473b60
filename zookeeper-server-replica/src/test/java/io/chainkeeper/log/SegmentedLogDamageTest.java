package io.chainkeeper.log;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.LogRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.zip.CRC32C;
import org.junit.Before;
import org.junit.Test;

/** A log that was cut, flipped or robbed of a file either opens with what was before the place, or is refused. */
public class SegmentedLogDamageTest {
    private final SimulatedDisk disk = new SimulatedDisk();
    private final List<LogRecord> appended = new ArrayList<>();

    /** For each record in {@link #appended}: segment and where in it the record ends. */
    private final List<String> names = new ArrayList<>();

    private final List<Integer> ends = new ArrayList<>();

    @Before
    public void writeThreeSegments() throws IOException {
        try (SegmentedAcceptorLog log = open(disk)) {
            IntFunction<LogRecord> next = i -> i % 10 == 0
                    ? LogRecords.metadata(1 + i % 3, "promised " + i)
                    : LogRecords.value(1 + i * 7 % 40, "1." + i, 20 + i * 13 % 150);
            for (int i = 0; disk.list().size() < 3 || disk.contents(last()).length < 2048; i++) {
                appended.add(next.apply(i));
                log.append(appended.get(i));
                log.sync();
                names.add(last());
                ends.add(dataEnd(disk.contents(last())));
            }
        }
    }

    private static SegmentedAcceptorLog open(SimulatedDisk disk) throws IOException {
        return new SegmentedAcceptorLog(disk, Durability.SYNC, LogRecords.SMALL, () -> {});
    }

    private String last() {
        return disk.list().stream().max(String::compareTo).get();
    }

    private static int dataEnd(byte[] segment) {
        int end = segment.length;
        while (end > 0 && segment[end - 1] == 0) {
            end--;
        }
        return end;
    }

    private int recordsBefore(String name, int offset) {
        int count = 0;
        while (count < names.size()
                && (names.get(count).compareTo(name) < 0
                        || names.get(count).equals(name) && ends.get(count) <= offset)) {
            count++;
        }
        return count;
    }

    private static void assertRefusedUntouched(SimulatedDisk damaged, String file) throws IOException {
        Map<String, ByteBuffer> before = damaged.image();
        CorruptLogException refusal = assertThrows(CorruptLogException.class, () -> open(damaged));
        assertEquals("opening changed something", before, damaged.image());
        assertTrue(refusal.getMessage(), refusal.getMessage().contains(file));
        assertFalse(refusal.getMessage(), refusal.getMessage().contains("\n"));
    }

    @Test
    public void lastSegmentCutAtAnyByte_opensWithTheRecordsBeforeOrIsRefused() throws IOException {
        byte[] whole = disk.contents(last());
        int metadataEnd =
                SegmentHeader.decode(ByteBuffer.wrap(whole), disk, last()).metadataEnd();
        for (int cut = 0; cut <= whole.length; cut++) {
            SimulatedDisk damaged = disk.copy();
            damaged.setContents(last(), Arrays.copyOf(whole, cut));
            if (cut < metadataEnd) {
                assertRefusedUntouched(damaged, last());
            } else {
                assertOpensWith(damaged, recordsBefore(last(), cut));
            }
        }
    }

    @Test
    public void firstSegmentAloneCutAtAnyByte_opensWithTheRecordsBeforeOrIsRefused() throws IOException {
        String first = SegmentHeader.name(1);
        byte[] whole = disk.contents(first);
        for (int cut = 0; cut <= whole.length; cut++) {
            SimulatedDisk damaged = new SimulatedDisk();
            damaged.setContents(first, Arrays.copyOf(whole, cut));
            if (cut < SegmentHeader.BYTES) {
                assertRefusedUntouched(damaged, first);
            } else {
                assertOpensWith(damaged, recordsBefore(first, cut));
            }
        }
    }

    private void assertOpensWith(SimulatedDisk damaged, int count) throws IOException {
        LogRecord more = LogRecords.value(1000, "9.9", 50);
        try (SegmentedAcceptorLog log = open(damaged)) {
            assertEquals(LogRecords.after(appended, count), LogRecords.contents(log));
            log.append(more);
        }
        List<LogRecord> expected = LogRecords.after(appended, count);
        expected.add(more);
        try (SegmentedAcceptorLog log = open(damaged)) {
            assertEquals(expected, LogRecords.contents(log));
        }
    }

    @Test
    public void earlierSegmentCutAtAnyByteOfItsRecords_isRefused() throws IOException {
        String second = SegmentHeader.name(2);
        byte[] whole = disk.contents(second);
        for (int cut = 0; cut < dataEnd(whole); cut++) {
            SimulatedDisk damaged = disk.copy();
            damaged.setContents(second, Arrays.copyOf(whole, cut));
            assertRefusedUntouched(damaged, second);
        }
    }

    @Test
    public void bitFlippedInAnyByte_lastRecordIsCutAnyOtherRefused() throws IOException {
        Random random = new Random(1);
        for (String name : disk.list()) {
            byte[] whole = disk.contents(name);
            for (int at = 0; at < dataEnd(whole); at++) {
                byte[] flipped = whole.clone();
                flipped[at] ^= (byte) (1 << random.nextInt(8));
                SimulatedDisk damaged = disk.copy();
                damaged.setContents(name, flipped);
                if (name.equals(last()) && recordsBefore(name, at) == appended.size() - 1) {
                    assertOpensWith(damaged, appended.size() - 1);
                } else {
                    assertRefusedUntouched(damaged, name);
                }
            }
        }
    }

    @Test
    public void rubbishInPreallocatedSpace_isCut() throws IOException {
        byte[] whole = disk.contents(last());
        int end = dataEnd(whole);
        byte[] rubbish = Arrays.copyOf(whole, end + 700);
        new Random(2).nextBytes(rubbish);
        System.arraycopy(whole, 0, rubbish, 0, end);
        disk.setContents(last(), rubbish);
        assertOpensWith(disk, appended.size());
    }

    @Test
    public void recordsOfOneSyncPartlyWritten_areCutAtTheFirstMissingOne() throws IOException {
        SimulatedDisk other = new SimulatedDisk();
        List<LogRecord> group = new ArrayList<>();
        try (SegmentedAcceptorLog log = open(other)) {
            for (int position = 1; position <= 5; position++) {
                group.add(LogRecords.value(position, "1.1", 60));
                log.append(group.get(position - 1));
            }
            log.sync();
        }
        byte[] whole = other.contents(SegmentHeader.name(1));
        int recordBytes = (int) RecordHeader.recordBytes(group.get(0));
        Arrays.fill(whole, SegmentHeader.BYTES + 2 * recordBytes, SegmentHeader.BYTES + 3 * recordBytes, (byte) 0);
        other.setContents(SegmentHeader.name(1), whole);
        try (SegmentedAcceptorLog log = open(other)) {
            assertEquals(group.subList(0, 2), LogRecords.contents(log));
        }
        // The records behind are intact: left in place, they would come back once a record ends where they begin.
        assertEquals(SegmentHeader.BYTES + 2 * recordBytes, dataEnd(other.contents(SegmentHeader.name(1))));
    }

    @Test
    public void recordCopiedFromElsewhere_isNotTakenForOne() throws IOException {
        byte[] whole = disk.contents(last());
        int end = dataEnd(whole);
        int size = (int) RecordHeader.recordBytes(appended.get(appended.size() - 1));
        byte[] repeated = Arrays.copyOf(whole, end + size);
        System.arraycopy(whole, end - size, repeated, end, size);
        disk.setContents(last(), repeated);
        open(disk).close();
        assertEquals("the copy is cut off", end, dataEnd(disk.contents(last())));
        assertOpensWith(disk, appended.size());
    }

    @Test
    public void segmentMissingInTheMiddle_isRefused() throws IOException {
        disk.remove(SegmentHeader.name(2));
        assertRefusedUntouched(disk, SegmentHeader.name(2));
    }

    @Test
    public void segmentRenamed_isRefused() throws IOException {
        disk.setContents(SegmentHeader.name(4), disk.contents(last()));
        assertRefusedUntouched(disk, SegmentHeader.name(4));
    }

    @Test
    public void preparedSegmentLeftBehind_isRemoved() throws IOException {
        disk.setContents("4" + SegmentHeader.PREPARED_SUFFIX, new byte[10]);
        assertOpensWith(disk, appended.size());
        assertFalse(disk.list().contains("4" + SegmentHeader.PREPARED_SUFFIX));
    }

    @Test
    public void newerFormat_isRefusedWithoutTalkOfDamage() throws IOException {
        byte[] whole = disk.contents(SegmentHeader.name(1));
        whole[11] = 9;
        CRC32C crc = new CRC32C();
        crc.update(whole, 0, 60);
        ByteBuffer.wrap(whole).putInt(60, (int) crc.getValue());
        disk.setContents(SegmentHeader.name(1), whole);
        IOException refusal = assertThrows(IOException.class, () -> open(disk));
        assertTrue(refusal.getMessage(), refusal.getMessage().contains("format version 9"));
        assertFalse(refusal instanceof CorruptLogException);
    }

    @Test
    public void damagedWhileRunning_readIsRefused() throws IOException {
        try (SegmentedAcceptorLog log = open(disk)) {
            long position = log.recovered(0).firstPosition();
            LogRecord wanted = log.read(position, 1).get(0);
            String name = names.get(appended.lastIndexOf(wanted));
            byte[] whole = disk.contents(name);
            whole[ends.get(appended.lastIndexOf(wanted)) - 1] ^= 1;
            disk.setContents(name, whole);
            assertThrows(CorruptLogException.class, () -> log.read(position, 1));
        }
    }
}
