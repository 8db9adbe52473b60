package io.chainkeeper.log;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.LogRecord;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** An inspection finds what a server would refuse, says where it is, and reads everything else. */
public class LogInspectionTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final SimulatedDisk disk = new SimulatedDisk();
    private final List<LogRecord> appended = new ArrayList<>();

    /** Keeps what it is told. */
    private static final class Seen implements LogVisitor {
        final List<LogRecord> records = new ArrayList<>();
        final List<Place> places = new ArrayList<>();
        final List<SegmentFacts> segments = new ArrayList<>();
        final List<LogFinding> damage = new ArrayList<>();
        final List<LogFinding> unfinished = new ArrayList<>();

        @Override
        public void segment(SegmentFacts facts) {
            segments.add(facts);
        }

        @Override
        public void record(Place place, LogRecord record) {
            places.add(place);
            if (!place.isCopy()) {
                records.add(MetadataTable.copy(record));
            }
        }

        @Override
        public void found(LogFinding finding) {
            (finding.kind() == LogFinding.Kind.DAMAGE ? damage : unfinished).add(finding);
        }
    }

    private void write() throws IOException {
        try (SegmentedAcceptorLog log = open(disk)) {
            while (disk.list().size() < 3 || appended.size() % 10 < 5) {
                int i = appended.size();
                appended.add(
                        i % 10 == 0
                                ? LogRecords.metadata(1 + i % 3, "promised " + i)
                                : LogRecords.value(1 + i, "1." + i, 20 + i * 13 % 150));
                log.append(appended.get(i));
                log.sync();
            }
        }
    }

    private static SegmentedAcceptorLog open(SimulatedDisk disk) throws IOException {
        return new SegmentedAcceptorLog(disk, Durability.SYNC, LogRecords.SMALL, () -> {});
    }

    private static Seen inspect(SimulatedDisk disk) throws IOException {
        Seen seen = new Seen();
        new LogInspection(seen).segments(disk);
        return seen;
    }

    private static boolean opens(SimulatedDisk disk) throws IOException {
        try (SegmentedAcceptorLog log = open(disk.copy())) {
            return true;
        } catch (CorruptLogException e) {
            return false;
        }
    }

    @Test
    public void wholeLog_everyRecordIsRead() throws IOException {
        write();
        Seen seen = inspect(disk);
        assertEquals(appended, seen.records);
        assertEquals(List.of(), seen.damage);
        assertEquals(List.of(), seen.unfinished);
        assertEquals(3, seen.segments.size());
        assertTrue(seen.places.stream().anyMatch(LogVisitor.Place::isCopy));
    }

    @Test
    public void bitFlipped_isFoundWhereItIsAndTheRestIsRead() throws IOException {
        write();
        Random random = new Random(1);
        List<LogVisitor.Place> places = inspect(disk).places;
        for (String name : disk.list()) {
            byte[] whole = disk.contents(name);
            int end = (int) places.stream()
                    .filter(place -> place.file().equals(disk.path(name)))
                    .mapToLong(place -> place.offset() + place.bytes())
                    .max()
                    .getAsLong();
            for (int at = 0; at < end; at += 3) {
                SimulatedDisk damaged = disk.copy();
                byte[] flipped = whole.clone();
                flipped[at] ^= (byte) (1 << random.nextInt(8));
                damaged.setContents(name, flipped);
                Seen seen = inspect(damaged);
                assertEquals(name + " " + at + seen.damage, opens(damaged), seen.damage.isEmpty());
                List<LogFinding> findings = seen.damage.isEmpty() ? seen.unfinished : seen.damage;
                assertEquals(1, findings.size());
                LogFinding finding = findings.get(0);
                assertEquals(damaged.path(name), finding.file());
                if (at >= SegmentHeader.BYTES) {
                    int flippedAt = at;
                    LogVisitor.Place spoiled = places.stream()
                            .filter(place -> place.file().equals(disk.path(name)) && place.offset() <= flippedAt)
                            .reduce((first, second) -> second)
                            .orElseThrow();
                    assertEquals(spoiled.offset(), finding.offset());
                    assertEquals(places.size() - 1, seen.places.size());
                }
            }
        }
    }

    @Test
    public void lastSegmentCutAtAnyByte_isToldFromDamageAsAStartDoes() throws IOException {
        write();
        String last = SegmentHeader.name(3);
        byte[] whole = disk.contents(last);
        for (int cut = 0; cut <= whole.length; cut++) {
            SimulatedDisk damaged = disk.copy();
            damaged.setContents(last, Arrays.copyOf(whole, cut));
            Seen seen = inspect(damaged);
            assertEquals("cut at " + cut + seen.damage, opens(damaged), seen.damage.isEmpty());
        }
    }

    @Test
    public void earlierSegmentCut_isDamageWhereTheRecordsEnd() throws IOException {
        write();
        String second = SegmentHeader.name(2);
        LogVisitor.Place cut = inspect(disk).places.stream()
                .filter(place -> place.file().equals(disk.path(second)) && !place.isCopy())
                .skip(2)
                .findFirst()
                .orElseThrow();
        disk.setContents(second, Arrays.copyOf(disk.contents(second), (int) cut.offset() + 5));
        Seen seen = inspect(disk);
        assertEquals(seen.damage.toString(), 1, seen.damage.size());
        assertEquals(cut.offset(), seen.damage.get(0).offset());
        assertEquals(disk.path(second), seen.damage.get(0).file());
    }

    @Test
    public void segmentMissing_isNamed() throws IOException {
        write();
        disk.remove(SegmentHeader.name(2));
        Seen seen = inspect(disk);
        assertEquals(1, seen.damage.size());
        assertEquals(disk.path(SegmentHeader.name(2)), seen.damage.get(0).file());
        assertTrue(seen.damage.get(0).toString(), seen.damage.get(0).toString().contains("is missing"));
    }

    @Test
    public void positionsWithoutRecord_areGapsUnlessTheyNoLongerCount() throws IOException {
        try (SegmentedAcceptorLog log = open(disk)) {
            for (long position : new long[] {5, 6, 9, 12}) {
                log.append(LogRecords.value(position, "1.1", 30));
            }
            log.sync();
            LogInspection inspection = new LogInspection(new Seen());
            inspection.segments(disk);
            assertEquals(5, inspection.firstPosition());
            assertEquals(12, inspection.lastPosition());
            assertEquals(List.of(new LogInspection.Gap(7, 8), new LogInspection.Gap(10, 11)), inspection.gaps(13));
            log.discardThrough(8);
        }
        LogInspection inspection = new LogInspection(new Seen());
        inspection.segments(disk);
        assertEquals(9, inspection.firstPosition());
        assertEquals(List.of(new LogInspection.Gap(10, 11)), inspection.gaps(13));
    }

    @Test
    public void logThatIsWrittenMeanwhile_isWholeAndUntouched() throws Exception {
        Path directory = folder.newFolder().toPath();
        AtomicReference<Exception> failure = new AtomicReference<>();
        Thread writer = new Thread(() -> {
            try (AcceptorLog log =
                    AcceptorLogs.open(directory, LogStore.SEGMENTED, Durability.ASYNC, LogRecords.SMALL)) {
                for (int position = 1; position <= 1_500; position++) {
                    log.append(LogRecords.value(position, "1.1", 20 + position % 400));
                    if (position % 3 == 0) {
                        log.sync();
                    }
                    log.truncate(position - 100);
                }
            } catch (IOException | RuntimeException e) {
                failure.set(e);
            }
        });
        writer.start();
        int inspections = 0;
        while (writer.isAlive() || inspections == 0) {
            Seen seen = new Seen();
            new LogInspection(seen).directory(directory);
            assertEquals(List.of(), seen.damage);
            inspections++;
        }
        writer.join();
        assertEquals(null, failure.get());
    }

    private static Map<String, String> contents(Path directory) throws IOException {
        Map<String, String> contents = new TreeMap<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                contents.put(
                        file.getFileName().toString(),
                        Arrays.hashCode(Files.readAllBytes(file)) + " " + Files.getLastModifiedTime(file));
            }
        }
        return contents;
    }

    @Test
    public void lmdbStore_isReadUnlessAServerHasIt_andNothingIsWritten() throws IOException {
        Path directory = folder.newFolder().toPath();
        List<LogRecord> written = new ArrayList<>();
        try (AcceptorLog log = AcceptorLogs.open(directory, LogStore.LMDB, Durability.SYNC, LogRecords.SMALL)) {
            written.add(LogRecords.metadata(3, "promised"));
            for (int position = 4; position < 9; position++) {
                written.add(LogRecords.value(position, "1.1", 50));
            }
            for (LogRecord record : written) {
                log.append(record);
            }
            log.sync();
            IOException refusal =
                    assertThrows(IOException.class, () -> new LogInspection(new Seen()).directory(directory));
            assertTrue(refusal.getMessage(), refusal.getMessage().contains("is in use by a server"));
        }
        Map<String, String> before = contents(directory);
        Seen seen = new Seen();
        LogInspection inspection = new LogInspection(seen);
        assertEquals(LogStore.LMDB, inspection.directory(directory));
        assertEquals(written, seen.records);
        assertEquals(4, inspection.firstPosition());
        assertEquals(before, contents(directory));
        assertFalse(before.isEmpty());
    }

    @Test
    public void lmdbRecordThatIsNotIntact_isNamedByItsPosition() throws IOException {
        Path directory = folder.newFolder().toPath();
        try (AcceptorLog log = AcceptorLogs.open(directory, LogStore.LMDB, Durability.SYNC, LogRecords.SMALL)) {
            for (int position = 1; position < 5; position++) {
                log.append(LogRecords.value(position, "ballot" + position, 50));
            }
            log.sync();
        }
        Path file = directory.resolve(LmdbAcceptorLog.DATA_FILE);
        byte[] content = Files.readAllBytes(file);
        byte[] wanted = "ballot3".getBytes(StandardCharsets.UTF_8);
        int at = 0;
        while (!Arrays.equals(Arrays.copyOfRange(content, at, at + wanted.length), wanted)) {
            at++;
        }
        try (RandomAccessFile damaged = new RandomAccessFile(file.toFile(), "rw")) {
            damaged.seek(at);
            damaged.write('B');
        }
        Seen seen = new Seen();
        new LogInspection(seen).directory(directory);
        assertEquals(3, seen.records.size());
        assertEquals(1, seen.damage.size());
        assertEquals(
                "the record of position 3 is not intact", seen.damage.get(0).what());
    }
}
