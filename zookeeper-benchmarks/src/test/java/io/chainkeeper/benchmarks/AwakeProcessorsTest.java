package io.chainkeeper.benchmarks;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeFalse;
import static org.junit.Assume.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What keeps processors awake, and ends with the run. */
public final class AwakeProcessorsTest {
    private static final int DEADLINE_SECONDS = 60;
    private static final Path NO_BOUND = Path.of("does-not-exist");
    private static final Path IDLE_DRIVER = Path.of("/sys/devices/system/cpu/cpuidle/current_driver");

    @Rule
    public final TemporaryFolder directory = new TemporaryFolder();

    @Test
    public void kernelCanBeAsked_noLatencyIsAllowedAndNothingSpins() throws Exception {
        assumeTrue("The kernel has no idle states", Files.isReadable(IDLE_DRIVER));
        assumeFalse(
                "The kernel has no idle states",
                Files.readString(IDLE_DRIVER).strip().equals("none"));
        Path bound = directory.newFile().toPath();
        try (AwakeProcessors awake = AwakeProcessors.start(0, bound, System.out)) {
            assertTrue(awake.byKernel());
            assertEquals(List.of(), awake.pids());
            assertArrayEquals(new byte[4], Files.readAllBytes(bound));
        }
    }

    @Test
    public void started_oneSpinsUntilClosedOrItIsTold() throws Exception {
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        AwakeProcessors awake = AwakeProcessors.start(1, NO_BOUND, new PrintStream(told, true, StandardCharsets.UTF_8));
        List<Long> pids = awake.pids();
        if (pids.isEmpty()) {
            String text = told.toString(StandardCharsets.UTF_8);
            assertTrue(text, text.contains("taskset and chrt do not work here"));
            return;
        }
        assertEquals(1, pids.size());
        ProcessHandle process = ProcessHandle.of(pids.get(0)).orElseThrow();
        assertTrue(process.isAlive());
        awake.close();
        process.onExit().get(DEADLINE_SECONDS, TimeUnit.SECONDS);
        assertFalse(process.isAlive());
    }
}
