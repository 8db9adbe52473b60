package io.chainkeeper.log;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Directories in which no log can be opened are refused in one line; what may be opened is locked. */
public class AcceptorLogsTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private Path directory;

    @Before
    public void chooseDirectory() {
        directory = folder.getRoot().toPath().resolve("new/ordering");
    }

    private AcceptorLog open(LogStore store, Durability durability) throws IOException {
        return AcceptorLogs.open(directory, store, durability, LogRecords.SMALL);
    }

    private String refusal(LogStore store, Durability durability) {
        IOException refusal = assertThrows(IOException.class, () -> open(store, durability));
        assertFalse(refusal.getMessage(), refusal.getMessage().contains("\n"));
        return refusal.getMessage();
    }

    private static void assertSays(String message, String... parts) {
        for (String part : parts) {
            assertTrue(message, message.contains(part));
        }
    }

    @Test
    public void defaults_takeTheLargestRecord() throws IOException {
        AcceptorLogSettings settings = AcceptorLogSettings.defaults().withRetentionBytes(1 << 20);
        try (AcceptorLog log = AcceptorLogs.open(directory, LogStore.SEGMENTED, Durability.SYNC, settings)) {
            for (int position = 1; position <= 6; position++) {
                log.append(LogRecords.value(position, "1.1", 16 << 20));
            }
            log.sync();
            log.truncate(6);
            assertEquals(1, log.read(6, 1).size());
            assertTrue("size " + log.sizeBytes(), log.sizeBytes() <= 2L * settings.segmentBytes());
        }
        try (AcceptorLog log = AcceptorLogs.open(directory, LogStore.SEGMENTED, Durability.SYNC, settings)) {
            assertEquals(LogRecords.value(6, "1.1", 16 << 20), log.read(6, 1).get(0));
        }
    }

    @Test
    public void fileInPlaceOfDirectory_isRefused() throws IOException {
        Files.createDirectories(directory.getParent());
        Files.createFile(directory);
        for (LogStore store : LogStore.values()) {
            assertSays(refusal(store, Durability.SYNC), directory.toString(), "is not a directory", "dataLogDir");
        }
    }

    @Test
    public void fileInPlaceOfParent_isRefused() throws IOException {
        Files.createFile(directory.getParent());
        assertSays(
                refusal(LogStore.SEGMENTED, Durability.SYNC),
                directory.getParent().toString(),
                "is not a directory");
    }

    @Test
    public void directoryThatCannotBeCreated_isRefused() {
        directory = Path.of("/proc/ordering");
        assertSays(refusal(LogStore.SEGMENTED, Durability.SYNC), "/proc/ordering", "dataLogDir");
    }

    @Test
    public void directoryInPlaceOfSegment_isRefused() throws IOException {
        open(LogStore.SEGMENTED, Durability.SYNC).close();
        Path segment = directory.resolve(SegmentHeader.name(1));
        Files.delete(segment);
        Files.createDirectory(segment);
        refusal(LogStore.SEGMENTED, Durability.SYNC);
    }

    @Test
    public void openTwiceInOneProcess_isRefusedUntilClosed() throws IOException {
        for (LogStore store : LogStore.values()) {
            directory = folder.getRoot().toPath().resolve(store.name());
            AcceptorLog log = open(store, Durability.SYNC);
            String message = refusal(store, Durability.SYNC);
            assertSays(message, directory.toString(), "another server is running");
            assertEquals("the first lock is still held", message, refusal(store, Durability.SYNC));
            log.close();
            open(store, Durability.SYNC).close();
        }
    }

    @Test
    public void openInAnotherProcess_isRefusedUntilThatEnds() throws Exception {
        try (LogProcess process = new LogProcess(directory, LogStore.SEGMENTED)) {
            assertEquals("open", process.firstLine());
            assertSays(refusal(LogStore.SEGMENTED, Durability.SYNC), "another server is running");
            process.kill();
            try (AcceptorLog log = open(LogStore.SEGMENTED, Durability.SYNC)) {
                assertEquals("synced before the kill", 1, log.recovered(0).lastPosition());
            }
        }
    }

    /** Something that the server uses elsewhere has not ended: its next start must be in the same process. */
    @Test
    public void heldBeyondTheEndOfTheLog_opensInThisProcessOnly() throws Exception {
        AcceptorLog log = open(LogStore.SEGMENTED, Durability.SYNC);
        Closeable first = AcceptorLogs.hold(directory);
        Closeable second = AcceptorLogs.hold(directory);
        log.close();
        first.close();
        first.close();
        assertSays(outcomeInAnotherProcess(), directory.toString(), "another server is running");
        try (AcceptorLog next = open(LogStore.SEGMENTED, Durability.SYNC)) {
            second.close();
            assertSays(refusal(LogStore.SEGMENTED, Durability.SYNC), "another server is running");
            assertSays(outcomeInAnotherProcess(), "another server is running");
            assertEquals(0, next.recovered(0).lastPosition());
        }
        assertEquals("open", outcomeInAnotherProcess());
    }

    private String outcomeInAnotherProcess() throws Exception {
        try (LogProcess process = new LogProcess(directory, LogStore.SEGMENTED)) {
            return process.firstLine();
        }
    }

    @Test
    public void logThatIsClosed_cannotBeHeld() throws IOException {
        AcceptorLog log = open(LogStore.SEGMENTED, Durability.SYNC);
        Closeable held = AcceptorLogs.hold(directory);
        log.close();
        assertThrows(IOException.class, () -> AcceptorLogs.hold(directory));
        held.close();
        assertFalse(DirectoryLock.isHeld(directory));
    }

    @Test
    public void openedAfterRefusal_lockWasReleased() throws IOException {
        open(LogStore.SEGMENTED, Durability.SYNC).close();
        Path segment = directory.resolve(SegmentHeader.name(1));
        byte[] sound = Files.readAllBytes(segment);
        Files.write(segment, new byte[100]);
        assertSays(refusal(LogStore.SEGMENTED, Durability.SYNC), segment.toString(), "byte 0", "damaged");
        Files.write(segment, sound);
        open(LogStore.SEGMENTED, Durability.SYNC).close();
    }

    @Test
    public void damagedLogWithoutLockFile_nothingIsCreated() throws IOException {
        open(LogStore.SEGMENTED, Durability.SYNC).close();
        Path segment = directory.resolve(SegmentHeader.name(1));
        Files.write(segment, new byte[100]);
        Files.delete(directory.resolve(DirectoryLock.FILE_NAME));
        refusal(LogStore.SEGMENTED, Durability.SYNC);
        assertFalse(Files.exists(directory.resolve(DirectoryLock.FILE_NAME)));
        assertArrayEquals(new byte[100], Files.readAllBytes(segment));
    }

    @Test
    public void logOfTheOtherStore_isRefusedNotForgotten() throws IOException {
        open(LogStore.SEGMENTED, Durability.SYNC).close();
        assertSays(refusal(LogStore.LMDB, Durability.SYNC), directory.toString(), "ordering.logStore=segmented");
        directory = folder.getRoot().toPath().resolve("lmdb");
        open(LogStore.LMDB, Durability.SYNC).close();
        assertSays(refusal(LogStore.SEGMENTED, Durability.SYNC), directory.toString(), "ordering.logStore=lmdb");
    }

    @Test
    public void memoryOverLogOnDisk_isRefusedNotForgotten() throws IOException {
        open(LogStore.SEGMENTED, Durability.SYNC).close();
        assertSays(refusal(LogStore.SEGMENTED, Durability.MEMORY), directory.toString(), "ordering.durability");
    }

    @Test
    public void memory_touchesNoDisk() throws IOException {
        open(LogStore.SEGMENTED, Durability.MEMORY).close();
        assertFalse(Files.exists(directory));
    }

    @Test
    public void durabilityChanged_logIsKept() throws IOException {
        try (AcceptorLog log = open(LogStore.SEGMENTED, Durability.ASYNC)) {
            log.append(LogRecords.value(1, "1.1", 10));
        }
        try (AcceptorLog log = open(LogStore.SEGMENTED, Durability.SYNC)) {
            assertEquals(1, log.recovered(0).lastPosition());
        }
    }
}
