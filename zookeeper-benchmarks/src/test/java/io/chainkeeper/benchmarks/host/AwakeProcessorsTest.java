package io.chainkeeper.benchmarks.host;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What the kernel is told, and what the user is told where that is not possible. */
public final class AwakeProcessorsTest {
    @Rule
    public final TemporaryFolder directory = new TemporaryFolder();

    private final ByteArrayOutputStream told = new ByteArrayOutputStream();
    private final PrintStream progress = new PrintStream(told, true, StandardCharsets.UTF_8);

    @Test
    public void kernelCanBeAsked_noLatencyIsAllowed() throws Exception {
        Path bound = directory.newFile().toPath();
        try (AwakeProcessors awake = AwakeProcessors.ask(bound, progress)) {
            assertArrayEquals(new byte[4], Files.readAllBytes(bound));
        }
        assertEquals("", told.toString(StandardCharsets.UTF_8));
    }

    @Test
    public void kernelCannotBeAsked_itIsToldAndNothingIsLeftBehind() throws Exception {
        Path bound = directory.getRoot().toPath().resolve("cpu_dma_latency");
        AwakeProcessors.ask(bound, progress).close();
        String text = told.toString(StandardCharsets.UTF_8);
        assertTrue(text, text.contains("Processors may halt: " + bound + " cannot be written"));
        assertTrue(text, Files.notExists(bound));
    }
}
