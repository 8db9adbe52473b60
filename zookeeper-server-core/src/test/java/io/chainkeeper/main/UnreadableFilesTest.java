package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.Assume;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** A start by a user who may not read what another one has written: root, by a first start or a restored copy. */
public class UnreadableFilesTest {
    private static final int STRANGER = 65534;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    /** The program that is started, with a protocol. */
    public static final class Launcher {
        private Launcher() {}

        public static void main(String[] args) {
            ServerStarter none = config -> {
                throw new AssertionError("started: " + config);
            };
            System.exit(
                    new ServerLauncher(List.of(new NamedProtocol("chain")), none, stock -> {}, System.err).run(args));
        }
    }

    @Test
    public void identityMayNotBeRead_refusalSaysWhyAndWhatToDo() throws Exception {
        Assume.assumeTrue("only root gives files away", "root".equals(System.getProperty("user.name")));
        Assume.assumeTrue(
                "setpriv takes nothing from root here", run(List.of("true")).waitFor() == 0);
        ServerFiles files = new ServerFiles(folder.getRoot().toPath());
        Path file = Files.writeString(files.dataDirectory.resolve("ordering/identity"), "replicaId=1");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        Files.setAttribute(file, "unix:uid", STRANGER);
        Process process = run(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Launcher.class.getName(),
                files.zooCfg.toString()));
        String said = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue("hangs", process.waitFor(60, TimeUnit.SECONDS));
        assertTrue(said, said.contains(file + ": permission denied; give this user access"));
        assertEquals(said, 1, said.lines().count());
    }

    /** As root who, like everybody else, reads only what the permissions allow. */
    private Process run(List<String> command) throws IOException {
        List<String> whole = new ArrayList<>(List.of("setpriv", "--bounding-set=-dac_override,-dac_read_search"));
        whole.addAll(command);
        return new ProcessBuilder(whole).redirectOutput(folder.newFile()).start();
    }
}
