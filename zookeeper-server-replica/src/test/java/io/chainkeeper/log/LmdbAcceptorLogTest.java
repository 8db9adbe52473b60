package io.chainkeeper.log;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeNoException;
import static org.junit.Assume.assumeTrue;

import io.chainkeeper.shareddisk.LoopDevice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.function.ThrowingRunnable;
import org.junit.rules.TemporaryFolder;

/** What is particular to LMDB. */
public class LmdbAcceptorLogTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private Path directory;
    private Path data;

    @Before
    public void chooseDirectory() {
        directory = folder.getRoot().toPath().resolve("ordering");
        data = directory.resolve(LmdbAcceptorLog.DATA_FILE);
    }

    private AcceptorLog open() throws IOException {
        return AcceptorLogs.open(directory, LogStore.LMDB, Durability.SYNC, LogRecords.SMALL);
    }

    private void write(int positions) throws IOException {
        try (AcceptorLog log = open()) {
            for (int position = 1; position <= positions; position++) {
                log.append(LogRecords.value(position, "1.1", 1000));
                log.sync();
            }
        }
    }

    @Test
    public void storeFull_failsWithItsBoundAndKeepsWhatWasSynced() throws IOException {
        long synced = 0;
        IOException failure = null;
        try (AcceptorLog log = open()) {
            for (int position = 1; failure == null && position < 10_000; position++) {
                try {
                    log.append(LogRecords.value(position, "1.1", 1000));
                    log.sync();
                    synced = position;
                } catch (IOException e) {
                    failure = e;
                }
            }
            assertThrows(IOException.class, log::sync);
        }
        String message = failure.getMessage();
        assertTrue(message, message.contains(directory.toString()) && message.contains("bound of 4194304 bytes"));
        try (AcceptorLog log = open()) {
            assertEquals(synced, log.recovered(0).lastPosition());
        }
    }

    @Test
    public void recordsNotSynced_areNotVisible() throws IOException {
        try (AcceptorLog log = open()) {
            log.append(LogRecords.value(1, "1.1", 10));
            assertEquals(List.of(), log.read(1, 100));
            log.sync();
            assertEquals(1, log.read(1, 100).size());
        }
    }

    @Test
    public void otherFileInPlaceOfTheStore_isRefused() throws IOException {
        Files.createDirectories(directory);
        byte[] rubbish = new byte[20_000];
        Arrays.fill(rubbish, (byte) 'x');
        Files.write(data, rubbish);
        assertRefused();
    }

    @Test
    public void bodyFlipped_isRefused() throws IOException {
        write(50);
        byte[] whole = Files.readAllBytes(data);
        byte[] body = LogRecords.value(25, "1.1", 1000).body().toByteArray();
        // Pages that LMDB has replaced keep older copies.
        for (int at = indexOf(whole, body, 0); at >= 0; at = indexOf(whole, body, at + 1)) {
            whole[at + 500] ^= 1;
        }
        Files.write(data, whole);
        String message = assertRefused();
        assertTrue(message, message.contains("position 25"));
    }

    private static int indexOf(byte[] whole, byte[] part, int from) {
        for (int i = from; i + part.length <= whole.length; i++) {
            if (Arrays.equals(whole, i, i + part.length, part, 0, part.length)) {
                return i;
            }
        }
        return -1;
    }

    @Test
    public void fileCut_isRefusedAndKeepsItsLength() throws IOException {
        write(200);
        byte[] whole = Files.readAllBytes(data);
        for (int kept : new int[] {whole.length / 2, whole.length / 3, 3 * 4096 + 17}) {
            Files.write(data, Arrays.copyOf(whole, kept));
            assertRefused();
            assertEquals(kept, Files.size(data));
        }
        Files.write(data, whole);
        open().close();
    }

    /** LMDB begins a new store in an empty file, which would forget all that was promised. */
    @Test
    public void fileEmptied_isRefusedNotForgotten() throws IOException {
        write(5);
        Files.write(data, new byte[0]);
        String message = assertRefused();
        assertTrue(message, message.contains("the file is empty"));
        assertThrows(CorruptLogException.class, () -> AcceptorLogs.traces(directory));
        assertEquals(0, Files.size(data));
    }

    @Test
    public void formatIsNoText_isRefusedAsDamaged() throws IOException {
        write(1);
        Path format = directory.resolve(LmdbFormat.FILE_NAME);
        Files.write(format, new byte[] {(byte) 0xff, (byte) 0xfe, '\n'});
        String message = assertThrows(CorruptLogException.class, this::open).getMessage();
        assertTrue(message, message.contains(format.toString()));
    }

    /** What the system refuses says nothing of the store, and nobody is to throw it away for that. */
    @Test
    public void systemLetsNobodyRead_isNotCalledDamage() throws IOException {
        Files.createDirectories(data);
        for (ThrowingRunnable reading : List.<ThrowingRunnable>of(
                this::open, () -> AcceptorLogs.traces(directory), () -> new LogInspection(null).directory(directory))) {
            IOException refusal = assertThrows(IOException.class, reading);
            assertFalse(refusal.getMessage(), refusal instanceof CorruptLogException);
            assertTrue(refusal.getMessage(), refusal.getMessage().contains(directory + " cannot be opened"));
        }
    }

    /** Where LMDB met the lack of room in memory that it had mapped, the process ended with a signal. */
    @Test
    public void diskFullAtTheFirstStart_opensWhenThereIsRoom() throws Exception {
        Path mount = folder.newFolder().toPath();
        directory = mount.resolve("ordering");
        int refusals = 0;
        for (int kib = 4; kib <= 48; kib += 4) {
            LoopDevice.run("mount", "-t", "tmpfs", "-o", "size=" + kib + "k", "tmpfs", mount.toString());
            try {
                refusals += isRefusedForLackOfRoom() ? 1 : 0;
                LoopDevice.run("mount", "-o", "remount,size=1m", mount.toString());
                AcceptorLogs.traces(directory);
                write(1);
            } finally {
                LoopDevice.run("umount", mount.toString());
            }
        }
        assertTrue("refused " + refusals + " times", refusals > 2);
    }

    private boolean isRefusedForLackOfRoom() {
        try (AcceptorLog log = open()) {
            return false;
        } catch (IOException e) {
            assertFalse(e.getMessage(), e instanceof CorruptLogException);
            assertTrue(e.getMessage(), e.getMessage().contains("free space"));
            return true;
        }
    }

    private String assertRefused() {
        CorruptLogException refusal = assertThrows(CorruptLogException.class, () -> open().close());
        assertTrue(refusal.getMessage(), refusal.getMessage().contains(data.toString()));
        return refusal.getMessage();
    }

    /** Records are read where the file is mapped: to take that away from a reader would end the process. */
    @Test
    public void closedBesideReader_readerIsToldAndNobodyEnds() throws Exception {
        for (int round = 0; round < 20; round++) {
            AcceptorLog log =
                    AcceptorLogs.open(directory, LogStore.LMDB, Durability.SYNC, AcceptorLogSettings.defaults());
            if (round == 0) {
                log.append(LogRecords.value(1, "1.1", 8 << 20));
                log.sync();
            }
            AtomicLong reads = new AtomicLong();
            AtomicReference<Throwable> end = new AtomicReference<>();
            Thread reader = new Thread(() -> {
                try {
                    while (true) {
                        assertEquals(1, log.read(1, 1).size());
                        reads.incrementAndGet();
                    }
                } catch (Throwable e) {
                    end.set(e);
                }
            });
            reader.start();
            while (reads.get() < 2 && end.get() == null) {
                Thread.onSpinWait();
            }
            log.close();
            reader.join();
            assertTrue(end.get().toString(), end.get() instanceof IOException);
        }
    }

    @Test
    public void killedProcess_syncedRecordIsThere() throws Exception {
        try (LogProcess process = new LogProcess(directory, LogStore.LMDB, LmdbAcceptorLog.JVM_OPTIONS.split(" "))) {
            assertEquals("open", process.firstLine());
            process.kill();
        }
        try (AcceptorLog log = open()) {
            assertEquals(1, log.recovered(0).lastPosition());
        }
    }

    /** Forcing a file does not force its name: with that a loss of power could take all that was promised. */
    @Test
    public void storeIsNew_itsNameIsForcedBeforeAnythingCounts() throws Exception {
        Path calls = folder.getRoot().toPath().resolve("calls");
        try (LogProcess process = traced(calls)) {
            String line = process.firstLine();
            assumeTrue("strace may not look at processes here: " + line, "open".equals(line));
            process.end();
        }
        List<String> lines = Files.readAllLines(calls);
        int opened = indexOf(lines, "\"open");
        int forced = indexOf(lines, "fsync(", "<" + directory.toRealPath() + ">)");
        assertTrue(forced + " < " + opened, forced >= 0 && forced < opened);
    }

    private LogProcess traced(Path calls) throws IOException {
        List<String> strace = List.of("strace", "-f", "-y", "-o", calls.toString(), "-e", "trace=fsync,write");
        try {
            return new LogProcess(strace, directory, LogStore.LMDB, LmdbAcceptorLog.JVM_OPTIONS.split(" "));
        } catch (IOException e) {
            assumeNoException("there is no strace here", e);
            throw e;
        }
    }

    private static int indexOf(List<String> lines, String... parts) {
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (Arrays.stream(parts).allMatch(line::contains)) {
                return i;
            }
        }
        return -1;
    }

    @Test
    public void javaStartedWithoutItsOptions_isRefusedWithThem() throws Exception {
        for (String[] options : new String[][] {{}, {"--add-opens=java.base/java.nio=ALL-UNNAMED"}}) {
            try (LogProcess process = new LogProcess(directory, LogStore.LMDB, options)) {
                String line = process.firstLine();
                assertTrue(line, line.contains(LmdbAcceptorLog.JVM_OPTIONS));
            }
        }
    }
}
