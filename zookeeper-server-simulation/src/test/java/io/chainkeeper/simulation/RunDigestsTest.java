package io.chainkeeper.simulation;

import static org.junit.Assert.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.Test;

/** The same seed is the same run on every machine. */
public class RunDigestsTest {
    private static final String FILE = "/run-digests.txt";

    @Test
    public void sameSeeds_sameRunsAsOnTheMachineThatWroteTheFile() throws IOException {
        try (InputStream stored = RunDigestsTest.class.getResourceAsStream(FILE)) {
            List<String> expected = new String(stored.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
            assertEquals(
                    "Runs differ from the stored ones. If the simulator, or what it runs, was changed on purpose:"
                            + " bin/simulate.sh --digests zookeeper-server-simulation/src/test/resources" + FILE + "\n",
                    String.join("\n", expected),
                    String.join("\n", RunDigests.all()));
        }
    }
}
