package io.chainkeeper.clienttests.harness;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/** The jars of another release, of ours or of ZooKeeper's, with the libraries of this build. */
public final class OtherRelease {
    private static final String FIRST_JAR = "00-release.jar";
    private static final String OUR_JARS = "zookeeper-server-";
    private static final String PROPERTIES = "io/chainkeeper/release/release.properties";

    private OtherRelease() {}

    /**
     * A release that has been: its own jars, as they were.
     *
     * @param name of the release; its jars are kept among the resources of the tests
     * @return the directory that holds them and the libraries
     */
    public static Path stored(String name) throws IOException {
        Path directory = links(name, jar -> !jar.startsWith(OUR_JARS));
        link(Path.of("src", "test", "resources", "releases", name), directory);
        return directory;
    }

    /**
     * A release that never was: the jars of this build, behind a jar that holds another {@code release.properties}. For
     * levels that no release has brought yet.
     *
     * @param name of the release
     * @param oldestLevel that it knows
     * @param newestLevel that it knows
     * @return the directory that holds them
     */
    public static Path jars(String name, int oldestLevel, int newestLevel) throws IOException {
        Path directory = links(name, jar -> true);
        List<String> lines = List.of(
                "release=" + name,
                "oldestLevel=" + oldestLevel,
                "newestLevel=" + newestLevel,
                "level.1=0.1.0",
                "level.2=0.2.0",
                "level.3=" + name);
        try (OutputStream file = Files.newOutputStream(directory.resolve(FIRST_JAR));
                JarOutputStream jar = new JarOutputStream(file)) {
            jar.putNextEntry(new ZipEntry(PROPERTIES));
            jar.write(String.join("\n", lines).getBytes(StandardCharsets.UTF_8));
            jar.closeEntry();
        }
        return directory;
    }

    /**
     * The jars of this build with another ZooKeeper release.
     *
     * @param zooKeeper a directory that holds the jars of that release and nothing else
     * @return the directory that holds them all
     */
    public static Path jarsWith(Path zooKeeper) throws IOException {
        Path directory =
                links("with-" + zooKeeper.getFileName(), jar -> !jar.matches("zookeeper(-jute)?-[0-9.]+\\.jar"));
        link(zooKeeper, directory);
        return directory;
    }

    private static void link(Path from, Path directory) throws IOException {
        try (Stream<Path> jars = Files.list(from)) {
            for (Path jar : jars.toList()) {
                Files.createSymbolicLink(directory.resolve(jar.getFileName()), jar.toRealPath());
            }
        }
    }

    private static Path links(String name, Predicate<String> included) throws IOException {
        Path directory = Path.of("target", "releases", name).toAbsolutePath();
        Files.createDirectories(directory);
        try (Stream<Path> old = Files.list(directory)) {
            for (Path file : old.toList()) {
                Files.delete(file);
            }
        }
        Path present = Scripts.home().resolve("zookeeper-assembly/target/lib");
        try (Stream<Path> jars = Files.list(present)) {
            for (Path jar : jars.toList()) {
                String file = jar.getFileName().toString();
                if (file.endsWith(".jar") && included.test(file)) {
                    Files.createSymbolicLink(directory.resolve(file), jar.toRealPath());
                }
            }
        }
        return directory;
    }
}
