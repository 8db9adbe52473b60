package io.chainkeeper.benchmarks.host;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Parsing of files as Linux writes them under /proc. */
public final class ProcFilesTest {
    private static final String STAT_BEHIND_NAME =
            " S 1 7 7 0 -1 4194560 5000 0 3 0 %d %d 0 0 20 0 40 0 900 4000000 30000 18446744073709551615 0 0 0\n";

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private Path write(String file, String text) throws IOException {
        Path path = folder.getRoot().toPath().resolve(file);
        Files.createDirectories(path.getParent());
        return Files.writeString(path, text);
    }

    private ProcFiles proc() {
        return new ProcFiles(folder.getRoot().toPath());
    }

    @Test
    public void processStat_userAndSystemTimeInMicros() throws IOException {
        write("42/stat", "42 (java)" + String.format(STAT_BEHIND_NAME, 150, 25));
        assertEquals(1_750_000, proc().processCpuMicros(42));
    }

    @Test
    public void processNameHasBlanksAndParentheses_fieldsAreCountedBehindIt() throws IOException {
        write("42/stat", "42 (a) b (c 1 2 3)" + String.format(STAT_BEHIND_NAME, 7, 3));
        assertEquals(100_000, proc().processCpuMicros(42));
    }

    @Test
    public void processStatIsCutShort_namesTheFile() throws IOException {
        Path file = write("42/stat", "42 (java) S 1 7\n");
        IOException failure = assertThrows(IOException.class, () -> proc().processCpuMicros(42));
        assertTrue(failure.getMessage(), failure.getMessage().contains(file.toString()));
    }

    @Test
    public void noSuchProcess_fails() {
        assertThrows(IOException.class, () -> proc().processCpuMicros(42));
    }

    @Test
    public void compilerThreads_onlyTheirTimeIsCounted() throws IOException {
        thread(1, "C2 CompilerThre", 100);
        thread(2, "C1 CompilerThre", 20);
        thread(3, "main", 4000);
        assertEquals(1_200_000, proc().compilerCpuMicros(42));
    }

    private void thread(int id, String name, int ticks) throws IOException {
        write("42/task/" + id + "/comm", name + "\n");
        write("42/task/" + id + "/stat", id + " (" + name + ")" + String.format(STAT_BEHIND_NAME, ticks, 0));
    }

    @Test
    public void threads_areGroupedByNameWithoutTheirNumber() throws IOException {
        thread(1, "executor-1", 100);
        thread(2, "NIOWorkerThread", 20);
        thread(3, "NIOWorkerThread", 30);
        thread(4, "GC Thread#0", 5);
        Map<Long, ThreadCpu.Named> before = proc().threadCpu(42);
        assertEquals("executor-1", before.get(1L).name());
        thread(1, "executor-1", 150);
        thread(3, "NIOWorkerThread", 40);
        thread(4, "GC Thread#0", 6);
        thread(5, "GC Thread#1", 7);
        Map<String, ThreadCpu> groups = ThreadCpu.byGroup(before, proc().threadCpu(42));
        assertEquals(Set.of("executor", "NIOWorkerThread", "GC Thread"), groups.keySet());
        assertEquals(500_000, groups.get("executor").userMicros(), 0);
        assertEquals(0, groups.get("executor").systemMicros(), 0);
        assertEquals(100_000, groups.get("NIOWorkerThread").micros(), 0);
        assertEquals(80_000, groups.get("GC Thread").micros(), 0);
    }

    @Test
    public void writtenBytes_withoutThoseCancelled() throws IOException {
        write("42/io", "rchar: 1\nwchar: 9999\nread_bytes: 5\nwrite_bytes: 8192\ncancelled_write_bytes: 4096\n");
        assertEquals(4096, proc().writtenBytes(42));
    }

    @Test
    public void residentBytes_areReadFromStatus() throws IOException {
        write("42/status", "Name:\tjava\nVmHWM:\t  9 kB\nVmRSS:\t  300 kB\n");
        assertEquals(307_200, proc().residentBytes(42));
        write("42/status", "Name:\tjava\n");
        assertThrows(IOException.class, () -> proc().residentBytes(42));
    }

    @Test
    public void ioWithoutWriteBytes_fails() throws IOException {
        write("42/io", "rchar: 1\n");
        assertThrows(IOException.class, () -> proc().writtenBytes(42));
    }

    @Test
    public void systemStat_idleInterruptAndStealAreKeptApart() throws IOException {
        write("stat", "cpu  100 20 30 400 50 6 7 8 99 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n");
        ProcFiles.SystemCpu cpu = proc().systemCpu();
        assertEquals(6_210_000, cpu.totalMicros());
        assertEquals(4_500_000, cpu.idleMicros());
        assertEquals(130_000, cpu.interruptMicros());
        assertEquals(80_000, cpu.stealMicros());
        assertEquals(1_500_000, cpu.processMicros());
    }

    @Test
    public void systemStatOfAnotherForm_fails() throws IOException {
        write("stat", "intr 1 2 3\n");
        assertThrows(IOException.class, () -> proc().systemCpu());
    }
}
