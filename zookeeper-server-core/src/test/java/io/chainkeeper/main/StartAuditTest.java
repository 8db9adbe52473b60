package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What ZooKeeper's audit log, which is switched on once in a process, says of a server that does not start. */
public class StartAuditTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    @Test(timeout = 120_000)
    public void serverThatIsRefused_isAuditedAsAFailure() throws Exception {
        ServerFiles files = new ServerFiles(folder.getRoot().toPath());
        Files.writeString(files.zooCfg, "audit.enable=true\ndataDir=" + files.dataDirectory + "\ntickTime=soon\n");
        Path printed = folder.getRoot().toPath().resolve("out");
        Process server = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Dzookeeper.audit.enable=true",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        ChainkeeperMain.class.getName(),
                        files.zooCfg.toString()))
                .redirectErrorStream(true)
                .redirectOutput(printed.toFile())
                .start();
        try {
            assertTrue(server.waitFor(90, TimeUnit.SECONDS));
            String text = Files.readString(printed, StandardCharsets.UTF_8);
            assertEquals(text, 2, server.exitValue());
            List<String> audited = text.lines()
                    .filter(line -> line.contains("operation=serverStart"))
                    .toList();
            assertEquals(text, 1, audited.size());
            assertTrue(text, audited.get(0).contains("result=failure"));
        } finally {
            server.destroyForcibly();
        }
    }
}
