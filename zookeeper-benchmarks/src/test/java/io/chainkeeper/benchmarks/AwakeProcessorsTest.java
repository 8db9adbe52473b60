package io.chainkeeper.benchmarks;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.Test;

/** Processes that spin at idle priority, and end with the run. */
public final class AwakeProcessorsTest {
    private static final int DEADLINE_SECONDS = 60;

    @Test
    public void started_oneSpinsUntilClosedOrItIsTold() throws Exception {
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        AwakeProcessors awake = AwakeProcessors.start(1, new PrintStream(told, true, StandardCharsets.UTF_8));
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
