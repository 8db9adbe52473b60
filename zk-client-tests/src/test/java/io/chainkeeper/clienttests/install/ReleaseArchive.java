package io.chainkeeper.clienttests.install;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.clienttests.harness.Scripts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** {@code chainkeeper-VERSION.tar.gz} as the build has made it, and commands around it. */
final class ReleaseArchive {
    private static final long LIMIT_SECONDS = 60;

    /** A user that no distribution gives files to. */
    private static final String STRANGER = "65534";

    private ReleaseArchive() {}

    /** Returns the directory of a source tree that the archive is made in. */
    static Path directory(Path tree) {
        return tree.resolve("zookeeper-assembly/target");
    }

    /** Returns the archive of this source tree. */
    static Path file() throws IOException {
        return file(Scripts.home());
    }

    /** Returns the archive of a source tree. */
    static Path file(Path tree) throws IOException {
        try (Stream<Path> files = Files.list(directory(tree))) {
            List<Path> archives = files.filter(
                            file -> file.getFileName().toString().matches("chainkeeper-.*\\.tar\\.gz"))
                    .toList();
            assertEquals("archives in " + directory(tree) + ": " + archives, 1, archives.size());
            return archives.get(0);
        }
    }

    /** Returns the Debian package of this source tree. */
    static Path debianPackage() throws IOException {
        return directory(Scripts.home()).resolve("chainkeeper_" + version() + "_all.deb");
    }

    /** Whether this machine has a command. */
    static boolean hasCommand(String name) {
        return Stream.of(System.getenv("PATH").split(":"))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, name)));
    }

    /** Returns the version that the archive's name says. */
    static String version() throws IOException {
        String name = file().getFileName().toString();
        return name.substring("chainkeeper-".length(), name.length() - ".tar.gz".length());
    }

    /**
     * Unpacks the archive.
     *
     * @return the directory that holds {@code bin/}
     */
    static Path unpack(Path directory) throws Exception {
        run(directory, "tar", "-xzf", file().toString());
        return directory.resolve("chainkeeper-" + version());
    }

    /** Runs a command to its end and returns what it printed. */
    static String run(Path directory, String... command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
        Scripts.Result result = Scripts.run(LIMIT_SECONDS, builder);
        assertEquals(List.of(command) + ": " + result, 0, result.exitCode());
        return result.output();
    }

    /** Whether the tests may become another user. */
    static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    /** Opens a directory and those above it up to the given one, so that another user gets there. */
    static void openTo(Path directory, Path last) throws IOException {
        for (Path open = directory; open.startsWith(last); open = open.getParent()) {
            Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }

    /**
     * Lets a command be run by a user who owns nothing of the installation, if the tests may do that.
     *
     * @param own a directory for the user's files; becomes the user's
     */
    static void asStranger(ProcessBuilder builder, Path own) throws Exception {
        Map<String, String> environment = builder.environment();
        environment.remove("USER");
        environment.put("HOME", own.toString());
        environment.put("TMPDIR", own.toString());
        if (isRoot()) {
            run(own, "chown", "-R", STRANGER + ":" + STRANGER, own.toString());
            List<String> command = new ArrayList<>(
                    List.of("setpriv", "--reuid=" + STRANGER, "--regid=" + STRANGER, "--clear-groups", "bash"));
            command.addAll(builder.command());
            builder.command(command);
        }
    }
}
