package io.chainkeeper.benchmarks.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.Test;

/** The heap that live objects take, from the JDK's own tool. */
public final class LiveHeapTest {
    @Test
    public void histogram_totalIsItsLastLine() throws IOException {
        assertEquals(3_456_789, LiveHeap.total("""
                42:
                 num     #instances         #bytes  class name (module)
                -------------------------------------------------------
                   1:         23456        2345678  [B (java.base@17)
                Total         60123        3456789
                """));
    }

    @Test
    public void processIsGone_toolsAnswerIsTold() {
        IOException failure =
                assertThrows(IOException.class, () -> LiveHeap.total("java.io.IOException: No such process"));
        assertTrue(failure.getMessage(), failure.getMessage().contains("No such process"));
    }

    @Test
    public void noSuchTool_saysWhatIsNeeded() {
        IOException failure =
                assertThrows(IOException.class, () -> LiveHeap.bytes(Path.of("no-such-directory", "jcmd"), 1));
        assertTrue(failure.getMessage(), failure.getMessage().contains("needs a JDK"));
    }
}
