package io.chainkeeper.clienttests.install;

import io.chainkeeper.clienttests.harness.Scripts;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.Assume;

/** A Debian system with a JDK, made of Debian's packages. */
final class DebianRoot {
    private static final long LIMIT_SECONDS = 900;
    private static final String PACKAGES = "openjdk-17-jdk-headless,adduser,procps";

    private DebianRoot() {}

    /**
     * Returns an archive of the system's files, which is made once for all tests. Skips the test, with a word, where it
     * cannot be made.
     */
    static Path archive() throws Exception {
        Assume.assumeTrue("only root can make a system of Debian's packages", ReleaseArchive.isRoot());
        Assume.assumeTrue("there is no mmdebstrap here", ReleaseArchive.hasCommand("mmdebstrap"));
        Path target = Scripts.home().resolve("zk-client-tests/target").toAbsolutePath();
        Path made = target.resolve("debian-root.tar");
        try (FileChannel channel = FileChannel.open(
                        target.resolve("debian-root.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                var lock = channel.lock()) {
            if (!Files.exists(made)) {
                make(target, made);
            }
        }
        return made;
    }

    private static void make(Path target, Path made) throws IOException, InterruptedException {
        Path part = target.resolve("debian-root.part.tar");
        ProcessBuilder command = new ProcessBuilder(
                "mmdebstrap", "--variant=minbase", "--include=" + PACKAGES, suite(), part.toString());
        Scripts.Result result = Scripts.run(LIMIT_SECONDS, command.directory(target.toFile()));
        Assume.assumeTrue("no system can be made of Debian's packages here: " + result, result.exitCode() == 0);
        Files.move(part, made, StandardCopyOption.ATOMIC_MOVE);
    }

    private static String suite() throws IOException {
        Path release = Path.of("/etc/os-release");
        List<String> lines = Files.isReadable(release) ? Files.readAllLines(release) : List.of();
        Assume.assumeTrue("this system is not Debian", lines.contains("ID=debian"));
        return lines.stream()
                .filter(line -> line.startsWith("VERSION_CODENAME="))
                .map(line -> line.substring(line.indexOf('=') + 1))
                .findFirst()
                .orElseThrow();
    }
}
