package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.Assume;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** A start by a user who may not read what another one has written: root, by a first start or a restored copy. */
public class UnreadableFilesTest {
    private static final String STRANGER = "65534";

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
        Assume.assumeTrue("only root becomes another user", "root".equals(System.getProperty("user.name")));
        ServerFiles files = new ServerFiles(folder.getRoot().toPath());
        Files.setPosixFilePermissions(files.root, PosixFilePermissions.fromString("rwxr-xr-x"));
        for (String own : List.of("", "version-2", "ordering")) {
            Files.setPosixFilePermissions(
                    files.dataDirectory.resolve(own), PosixFilePermissions.fromString("rwxrwxrwx"));
        }
        Path file = Files.writeString(files.dataDirectory.resolve("ordering/identity"), "replicaId=1");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        Process process = new ProcessBuilder(
                        "setpriv",
                        "--reuid=" + STRANGER,
                        "--clear-groups",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Launcher.class.getName(),
                        files.zooCfg.toString())
                .redirectOutput(folder.newFile())
                .start();
        String said = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue("hangs", process.waitFor(60, TimeUnit.SECONDS));
        assertTrue(said, said.contains(file + ": permission denied; give this user access"));
        assertEquals(said, 1, said.lines().count());
    }
}
