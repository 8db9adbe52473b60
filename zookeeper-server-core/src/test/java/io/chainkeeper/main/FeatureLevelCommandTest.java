package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.config.FeatureLevelRequest;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** An operator who changes their mind while the command waits for a server. */
public class FeatureLevelCommandTest {
    private static final int TERMINATED = 143;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    @Test(timeout = 120_000)
    public void interrupted_requestIsWithdrawn() throws Exception {
        ServerFiles files = new ServerFiles(folder.getRoot().toPath());
        Path ordering = files.dataDirectory.resolve("ordering");
        new ClusterIdentity(1, new UUID(3, 4), "chain").write(ordering);
        Path request = ordering.resolve(FeatureLevelRequest.FILE_NAME);
        File printed = folder.newFile("out");
        Process command = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        FeatureLevelCommand.class.getName(),
                        "1",
                        files.zooCfg.toString()))
                .redirectErrorStream(true)
                .redirectOutput(printed)
                .start();
        try {
            while (!Files.exists(request)) {
                assertFalse(Files.readString(printed.toPath()), command.waitFor(10, TimeUnit.MILLISECONDS));
            }
            command.destroy();
            assertTrue(command.waitFor(90, TimeUnit.SECONDS));
            String text = Files.readString(printed.toPath());
            assertEquals(text, TERMINATED, command.exitValue());
            assertTrue(text, text.contains("no server has taken the request, and it is withdrawn"));
            assertFalse(Files.exists(request));
        } finally {
            command.destroyForcibly();
        }
    }
}
