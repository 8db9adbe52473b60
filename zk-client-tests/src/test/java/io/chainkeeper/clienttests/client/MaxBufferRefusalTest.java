package io.chainkeeper.clienttests.client;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.ServerProcess;
import java.util.List;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TestRule;

/** A jute.maxbuffer that does not fit is found when the server starts, not when a client makes use of it. */
public class MaxBufferRefusalTest {
    private static final int INVALID_CONFIGURATION = 2;

    private final Ensemble ensemble =
            Ensemble.named("max-buffer-refusal").servers(3).build();

    @Rule(order = 0)
    public final TestRule servers = ensemble.startedByTheTest();

    @Rule(order = 1)
    public final TestRule limit = ensemble.testLimit(60);

    private void assertRefused(String line, String... flags) throws Exception {
        ServerProcess server = ensemble.server(1);
        server.jvmFlags(flags);
        server.start();
        assertEquals(INVALID_CONFIGURATION, server.awaitExit());
        List<String> lines = server.lastLogLines(3);
        assertTrue(String.join("\n", lines), lines.stream().anyMatch(last -> last.startsWith(line)));
    }

    @Test
    public void moreThanTheLargest_orThanTheHeapHasRoomFor_isRefusedInOneLine() throws Exception {
        ensemble.writeConfigurations();
        assertRefused("jute.maxbuffer=67108865: must be 1 to 67108864 at servers; ", "-Djute.maxbuffer=67108865");
        assertRefused(
                "jute.maxbuffer=67108864: requests of that size need a heap of 1536 MiB, ",
                "-Djute.maxbuffer=67108864",
                "-Xmx1000m");
    }
}
