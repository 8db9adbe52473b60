package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.UUID;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/**
 * What cannot be a path: in a locale without letters outside ASCII, such as that of cron, that is every path with one.
 */
public class ToolPathsTest {
    private static final int MISTAKE = 2;
    private static final String NO_PATH = "/data\0";

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final ByteArrayOutputStream said = new ByteArrayOutputStream();
    private final PrintStream to = new PrintStream(said, true, StandardCharsets.UTF_8);
    private final List<OrderingProtocolFactory> factories = List.of(new NamedProtocol("chain"));

    private void assertMistake(int exitCode) {
        String line = said.toString(StandardCharsets.UTF_8);
        said.reset();
        assertEquals(line, MISTAKE, exitCode);
        assertEquals("one line: " + line, 1, line.lines().count());
        assertTrue(line, line.contains("cannot be a path here") && line.contains("LC_ALL=C.UTF-8"));
    }

    @Test
    public void argument_isRefusedInOneLine() throws Exception {
        assertMistake(new BackupCommand(to, to, Clock.systemUTC(), "9.9.9").run("zoo.cfg", "list", NO_PATH));
        assertMistake(new BackupCommand(to, to, Clock.systemUTC(), "9.9.9")
                .run("zoo.cfg", "restore", "backup", "--into", NO_PATH));
        assertMistake(new AcceptorLogCommand(factories, to, to).run("zoo.cfg", NO_PATH));
        assertMistake(new DiskCommand(factories, to, to, () -> 1).run("zoo.cfg", "inspect", NO_PATH));
        assertMistake(new MoveIn(factories, to, to).run(NO_PATH));
        assertMistake(new SwitchProtocol(factories, to, to).run("chain", NO_PATH));
        assertMistake(new ForceNewCluster(factories, Clock.systemUTC(), to, to).run(NO_PATH));
        assertMistake(new FeatureLevelCommand(to, to, 1).run(List.of(NO_PATH)));
    }

    @Test
    public void directoryOfTheConfiguration_isRefusedInOneLine() throws IOException {
        ServerFiles files = new ServerFiles(folder.getRoot().toPath());
        files.replaceLine("dataDir", "dataDir=/da\0ta");
        String config = files.zooCfg.toString();
        assertMistake(new BackupCommand(to, to, Clock.systemUTC(), "9.9.9").run(config, "backup", "--to", "backup"));
        assertMistake(new SwitchProtocol(factories, to, to).run("chain", config));
    }

    @Test
    public void serverIsStartedWithIt_isRefusedInOneLine() throws IOException {
        ServerFiles files = new ServerFiles(folder.getRoot().toPath());
        files.replaceLine("dataDir", "dataDir=/da\0ta");
        int exitCode = new ServerLauncher(factories, config -> null, stockArgs -> {}, to)
                .run(new String[] {files.zooCfg.toString()});
        assertMistake(exitCode);
    }

    /** As where a variable was empty; the directory in which the command is run would be filled. */
    @Test
    public void directoryWithoutAName_isNotRestoredInto() {
        for (String names : List.of("", ",", "/data,", "/data, ")) {
            said.reset();
            int exitCode = new BackupCommand(to, to, Clock.systemUTC(), "9.9.9")
                    .run("zoo.cfg", "restore", "backup", "--into", names);
            String line = said.toString(StandardCharsets.UTF_8);
            assertEquals(line, MISTAKE, exitCode);
            assertTrue(line, line.startsWith("--into '" + names + "': give directories"));
        }
    }

    @Test
    public void fileInThePlaceOfADirectory_isSaidToBeNone() throws IOException {
        ServerFiles files = new ServerFiles(folder.getRoot().toPath());
        new ClusterIdentity(1, new UUID(3, 4), "chain").write(files.dataDirectory.resolve("ordering"));
        String file = folder.newFile("backup").toString();
        int exitCode = new BackupCommand(to, to, Clock.systemUTC(), "9.9.9")
                .run(files.zooCfg.toString(), "backup", "--to", file);
        assertEquals(1, exitCode);
        assertEquals(file + ": this is no directory; give one\n", said.toString(StandardCharsets.UTF_8));
    }
}
