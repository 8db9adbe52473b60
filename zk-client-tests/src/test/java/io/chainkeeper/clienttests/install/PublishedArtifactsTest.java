package io.chainkeeper.clienttests.install;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeFalse;

import io.chainkeeper.clienttests.harness.Scripts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The Maven artifacts as others use them: installed into a repository, from which a project of theirs is built. */
public class PublishedArtifactsTest {
    private static final long BUILD_LIMIT_SECONDS = 600;
    private static final List<String> JARS = List.of(
            "zookeeper-server-ordering",
            "zookeeper-server-replica",
            "zookeeper-server-core",
            "zookeeper-server-chain",
            "zookeeper-server-iss",
            "zookeeper-server-disk",
            "chainkeeper-test");

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private Path tree;
    private Path repository;
    private String version;

    /** A repository that has what the user's has, and artifacts of ours of its own. */
    @Before
    public void copyTreeAndRepository() throws Exception {
        tree = folder.newFolder("tree").toPath();
        String copy =
                "tar --exclude=target --exclude=.git --exclude=build --exclude=data -cf - . | tar -xf - -C \"$0\"";
        ReleaseArchive.run(Scripts.home(), "bash", "-c", copy, tree.toString());
        String used = System.getProperty("localRepository");
        Path users = used == null ? Path.of(System.getProperty("user.home"), ".m2", "repository") : Path.of(used);
        repository = folder.newFolder("repository").toPath();
        Files.createDirectories(users.resolve("io"));
        link(users, repository, "io");
        link(users.resolve("io"), Files.createDirectories(repository.resolve("io")), "chainkeeper");
        version = Files.readString(tree.resolve("pom.xml")).replaceAll("(?s).*<revision>(.*?)</revision>.*", "$1");
    }

    private static void link(Path from, Path to, String butNot) throws IOException {
        try (Stream<Path> entries = Files.list(from)) {
            for (Path entry : entries.toList()) {
                if (!entry.getFileName().toString().equals(butNot)) {
                    Files.createSymbolicLink(to.resolve(entry.getFileName()), entry);
                }
            }
        }
    }

    private Scripts.Result maven(Path directory, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("mvn", "-q", "-B", "-Dmaven.repo.local=" + repository));
        command.addAll(List.of(arguments));
        return Scripts.run(BUILD_LIMIT_SECONDS, new ProcessBuilder(command).directory(directory.toFile()));
    }

    @Test
    public void outsideProject_buildsWithTheBomAndTheTestKit() throws Exception {
        Scripts.Result installed = maven(
                tree,
                "-Prelease",
                "-pl",
                "chainkeeper-bom,chainkeeper-test",
                "-am",
                "-DskipTests",
                "-Dspotless.check.skip=true",
                "install");
        boolean offline = installed.exitCode() != 0
                && Pattern.compile("Could not transfer|offline mode|Unknown host")
                        .matcher(installed.output())
                        .find();
        if (offline) {
            System.out.println("PublishedArtifactsTest is skipped: the plugins for sources and documentation cannot be"
                    + " had here");
        }
        assumeFalse(offline);
        assertEquals(installed.toString(), 0, installed.exitCode());
        for (String artifact : JARS) {
            for (String suffix : List.of(".jar", "-sources.jar", "-javadoc.jar")) {
                assertTrue(artifact + suffix, Files.exists(file(artifact, suffix)));
            }
            assertPublishable(artifact);
        }
        assertPublishable("chainkeeper");
        String bom = Files.readString(file("chainkeeper-bom", ".pom"));
        assertFalse("the BOM would decide what our build decides:\n" + bom, bom.contains("<parent>"));
        assertFalse(bom, bom.contains("<artifactId>mockito"));
        assertBuilds("junit5", "LeaderElectionTest");
        assertBuilds("junit4", "ConfigurationWithJUnit4");
    }

    private Path file(String artifact, String suffix) {
        return repository.resolve(
                "io/chainkeeper/" + artifact + "/" + version + "/" + artifact + "-" + version + suffix);
    }

    /** What Maven Central asks of a POM, which may be inherited. */
    private void assertPublishable(String artifact) throws IOException {
        String pom = Files.readString(file(artifact, ".pom"));
        assertFalse(pom, pom.contains("${revision}"));
        assertTrue(pom, pom.contains("<description>"));
        String all = pom + Files.readString(file("chainkeeper", ".pom"));
        for (String element : List.of("<name>", "<url>", "<license>", "<developer>", "<scm", "<connection>")) {
            assertTrue(artifact + " lacks " + element, all.contains(element));
        }
    }

    /** A project whose sources are an example of the documentation, and a look at its class path. */
    private void assertBuilds(String project, String example) throws Exception {
        Path directory = folder.newFolder(project).toPath();
        Path sources = Files.createDirectories(directory.resolve("src/test/java/example"));
        Path resources = Path.of("src", "test", "resources", "outside");
        String pom = Files.readString(resources.resolve(project + "-pom.xml"));
        Files.writeString(directory.resolve("pom.xml"), pom.replace("@version@", version));
        String source = example + ".java";
        Files.copy(tree.resolve("chainkeeper-test/src/test/java/example").resolve(source), sources.resolve(source));
        Path classPath = directory.resolve("class-path.txt");
        Scripts.Result built = maven(
                directory,
                "-Dtest=" + example,
                "-Dmdep.outputFile=" + classPath,
                "test",
                "org.apache.maven.plugins:maven-dependency-plugin:3.9.0:build-classpath");
        String report = built.toString();
        assertEquals(report, 0, built.exitCode());
        assertClassPath(Files.readString(classPath), project.equals("junit5") ? "/junit/junit/" : "/org/junit/");
        try (Stream<Path> reports = Files.list(directory.resolve("target/surefire-reports"))) {
            assertTrue(report, reports.anyMatch(file -> file.toString().endsWith(example + ".xml")));
        }
    }

    private static void assertClassPath(String classPath, String otherJUnit) {
        assertFalse("users choose their logging: " + classPath, classPath.contains("logback"));
        assertFalse("users choose their JUnit: " + classPath, classPath.contains(otherJUnit));
        SortedSet<String> versions = new TreeSet<>();
        Matcher netty =
                Pattern.compile("/io/netty/netty-(?!tcnative)[^/]*/([^/]*)/").matcher(classPath);
        while (netty.find()) {
            versions.add(netty.group(1));
        }
        assertEquals("parts of several releases of Netty do not go together: " + classPath, 1, versions.size());
    }
}
