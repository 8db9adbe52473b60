package io.chainkeeper.log;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.release.NewerFormatException;
import io.chainkeeper.release.Release;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.Assume;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Logs of each format that was ever written stay readable; a newer one is refused. */
public class SegmentFormatTest {
    private static final byte[] LATER_RELEASE =
            Arrays.copyOf("9.8.7".getBytes(StandardCharsets.US_ASCII), Release.NAME_BYTES);

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private Path directory;

    @Before
    public void findDirectory() {
        directory = folder.getRoot().toPath();
    }

    /** Of a release that did not write its name into the files. */
    @Test
    public void logOfFormatVersion1WithoutRelease_isRead() throws IOException {
        unpack("log-format-1", SegmentHeader.name(1), SegmentHeader.name(2));
        assertReads(LogStore.SEGMENTED);
    }

    @Test
    public void logOfFormatVersion1_isRead() throws IOException {
        unpack("log-format-1-0.2.0", SegmentHeader.name(1));
        assertReads(LogStore.SEGMENTED);
    }

    @Test
    public void storeOfFormatVersion1_isRead() throws IOException {
        unpack("lmdb-format-1-0.2.0", LmdbAcceptorLog.DATA_FILE, LmdbFormat.FILE_NAME);
        assertReads(LogStore.LMDB);
    }

    @Test
    public void newerSegment_isRefusedAndStays() throws IOException {
        unpack("log-format-1-0.2.0", SegmentHeader.name(1));
        Path file = directory.resolve(SegmentHeader.name(1));
        ByteBuffer content = ByteBuffer.wrap(Files.readAllBytes(file));
        content.putInt(8, 2);
        content.put(32, LATER_RELEASE);
        content.putInt(60, crc(content.array(), 60));
        Files.write(file, content.array());
        assertNewerIsRefused(LogStore.SEGMENTED, file);
    }

    /** Of a release that did not say the format. */
    @Test
    public void storeWithoutFormat_isReadAndSaysItFromThenOn() throws IOException {
        unpack("lmdb-format-1-0.2.0", LmdbAcceptorLog.DATA_FILE);
        assertReads(LogStore.LMDB);
        assertEquals(
                "release=" + Release.name(),
                Files.readAllLines(directory.resolve(LmdbFormat.FILE_NAME)).get(1));
    }

    @Test
    public void newerStore_isRefusedAndStays() throws IOException {
        unpack("lmdb-format-1-0.2.0", LmdbAcceptorLog.DATA_FILE);
        Path file = directory.resolve(LmdbFormat.FILE_NAME);
        Files.writeString(file, "formatVersion=2\nrelease=9.8.7\n");
        assertNewerIsRefused(LogStore.LMDB, file);
    }

    private static int crc(byte[] bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }

    private void assertNewerIsRefused(LogStore store, Path file) throws IOException {
        byte[] before = Files.readAllBytes(file);
        String refusal = assertThrows(
                        NewerFormatException.class,
                        () -> AcceptorLogs.open(directory, store, Durability.SYNC, LogRecords.SMALL))
                .getMessage();
        assertTrue(refusal, refusal.startsWith(file + " has format version 2, written by release 9.8.7; "));
        refusal = assertThrows(NewerFormatException.class, () -> AcceptorLogs.traces(directory))
                .getMessage();
        assertTrue(refusal, refusal.endsWith("start release 9.8.7 or later. Nothing was changed"));
        assertTrue(Arrays.equals(before, Files.readAllBytes(file)));
    }

    private void unpack(String sample, String... names) throws IOException {
        for (String name : names) {
            try (InputStream in = SegmentFormatTest.class.getResourceAsStream("/" + sample + "/" + name)) {
                Files.copy(in, directory.resolve(name));
            }
        }
    }

    private static List<LogRecord> expected() {
        List<LogRecord> expected = new ArrayList<>();
        expected.add(LogRecords.metadata(1, "promised 1.1"));
        expected.add(LogRecords.metadata(100, "incarnation 5"));
        for (int position = 1; position <= 7; position++) {
            expected.add(LogRecords.value(position, "1.1", 300));
        }
        expected.add(LogRecords.value(8, "2.3", 40));
        return expected;
    }

    private void assertReads(LogStore store) throws IOException {
        try (AcceptorLog log = AcceptorLogs.open(directory, store, Durability.SYNC, LogRecords.SMALL)) {
            assertEquals(expected(), LogRecords.contents(log));
        }
    }

    /** Writes the samples of this release; run by hand when a format has changed. */
    @Test
    public void writesSamples_whenAsked() throws IOException {
        String wanted = System.getProperty("formats.write");
        Assume.assumeTrue("-Dformats.write=DIRECTORY writes samples", wanted != null);
        for (LogStore store : new LogStore[] {LogStore.SEGMENTED, LogStore.LMDB}) {
            Path target = Path.of(wanted, store == LogStore.LMDB ? "lmdb" : "segmented");
            Files.createDirectories(target);
            try (AcceptorLog log = AcceptorLogs.open(target, store, Durability.SYNC, LogRecords.SMALL)) {
                for (LogRecord record : expected()) {
                    log.append(record);
                }
                log.sync();
            }
        }
    }
}
