package io.chainkeeper.clienttests.install;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Scripts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What is in the archive, and that all of it is what users are told. */
public class ArchiveTest {
    private static final Pattern ENTRY = Pattern.compile("(\\S+) (\\S+) +\\d+ (\\S+ \\S+) (.*)");
    private static final Pattern JAR = Pattern.compile("(.+?)-(\\d.*)\\.jar");
    private static final Pattern LINK = Pattern.compile("]\\(([^()\\s#]+)(#[^()\\s]*)?\\)");

    /** What is for the project's developers, or for systems that {@code bin/} does not run on. */
    private static final Pattern FOREIGN =
            Pattern.compile(".*(simulation|benchmark|ycsb|tests|junit|mockito|curator|windows).*\\.(jar|sh)");

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private Path root;

    @Before
    public void unpack() throws Exception {
        root = ReleaseArchive.unpack(folder.getRoot().toPath());
    }

    private static Set<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> root.relativize(file).toString())
                    .sorted()
                    .toList();
        }
    }

    @Test
    public void entries_haveOneOwnerAndTimeAndTheModesOfTheirKind() throws Exception {
        String list = ReleaseArchive.run(
                root,
                "env",
                "TZ=UTC",
                "tar",
                "--numeric-owner",
                "--full-time",
                "-tvzf",
                ReleaseArchive.file().toString());
        var times = new TreeSet<String>();
        for (String line : list.lines().toList()) {
            var entry = ENTRY.matcher(line);
            assertTrue(line, entry.matches());
            boolean script = entry.group(4).endsWith(".sh");
            assertEquals(
                    line,
                    entry.group(4).endsWith("/") ? "drwxr-xr-x" : script ? "-rwxr-xr-x" : "-rw-r--r--",
                    entry.group(1));
            assertEquals(line, "0/0", entry.group(2));
            times.add(entry.group(3));
        }
        assertEquals(times.toString(), 1, times.size());
    }

    @Test
    public void checksum_isTheArchives() throws Exception {
        Path archive = ReleaseArchive.file();
        String checked = ReleaseArchive.run(archive.getParent(), "sha512sum", "-c", archive.getFileName() + ".sha512");
        assertEquals(archive.getFileName() + ": OK\n", checked);
    }

    @Test
    public void contents_areWhatAServerNeeds() throws Exception {
        assertEquals(
                Set.of(
                        "CHANGELOG.md",
                        "CONTRIBUTING.md",
                        "LICENSE",
                        "NOTICE",
                        "README.md",
                        "SECURITY.md",
                        "bin",
                        "conf",
                        "docs",
                        "lib",
                        "licences",
                        "monitoring"),
                names(root));
        var scripts = new TreeSet<>(names(Scripts.home().resolve("bin")));
        scripts.removeIf(name -> !name.startsWith("zk"));
        assertEquals(scripts, names(root.resolve("bin")));
        assertEquals(
                Set.of("logback-cli.xml", "logback-json.xml", "logback.xml", "zoo_chain_three.cfg", "zoo_sample.cfg"),
                names(root.resolve("conf")));
        assertEquals(names(ReleaseArchive.directory(Scripts.home()).resolve("lib")), names(root.resolve("lib")));
        assertTrue(files().contains("lib/zookeeper-server-core-" + ReleaseArchive.version() + ".jar"));
        assertEquals(
                List.of(), files().stream().filter(FOREIGN.asMatchPredicate()).toList());
    }

    /** A library that comes with natives comes with those of every system that {@code bin/} runs on. */
    @Test
    public void natives_areThereForBothProcessors() throws Exception {
        for (String library : List.of("netty-transport-native-epoll", "netty-tcnative-boringssl-static")) {
            for (String processor : List.of("linux-x86_64", "linux-aarch_64")) {
                assertTrue(
                        library + " " + processor,
                        files().stream()
                                .anyMatch(file -> file.matches("lib/" + library + ".*" + processor + "\\.jar")));
            }
        }
    }

    @Test
    public void libraries_areListedWithLicencesWhoseTextIsThere() throws Exception {
        List<String> list = Files.readAllLines(root.resolve("licences/LIBRARIES.txt"));
        var missing = new ArrayList<String>();
        var listed = new TreeSet<String>();
        for (String jar : names(root.resolve("lib"))) {
            var name = JAR.matcher(jar);
            assertTrue(jar, name.matches());
            if (name.group(1).startsWith("zookeeper-server-")) {
                continue;
            }
            // a classifier may follow the version
            String version = name.group(2).replaceFirst("-(native|linux|osx).*", "");
            String start = name.group(1) + "  " + version + "  ";
            String line =
                    list.stream().filter(l -> l.startsWith(start)).findFirst().orElse(null);
            if (line == null) {
                missing.add(jar);
            } else {
                listed.add(line);
                assertTrue(
                        line,
                        Stream.of(line.substring(start.length()).split(" or ")).anyMatch(this::hasText));
            }
        }
        assertEquals("jars without a line in\n" + String.join("\n", list), List.of(), missing);
        assertEquals(
                "lines without a jar",
                listed,
                list.stream().filter(l -> l.matches("\\S+  \\S+  .*")).collect(Collectors.toCollection(TreeSet::new)));
        String notice = Files.readString(root.resolve("NOTICE"));
        assertTrue(notice, notice.contains("licences/"));
    }

    private boolean hasText(String licence) {
        return licence.equals("Apache-2.0") || Files.isRegularFile(root.resolve("licences/" + licence + ".txt"));
    }

    @Test
    public void linksOfDocuments_leadToWhatIsThere() throws Exception {
        var dead = new ArrayList<String>();
        int links = 0;
        for (String file : files()) {
            if (file.endsWith(".md")) {
                String text = Files.readString(root.resolve(file)).replaceAll("(?s)```.*?```|`[^`\\n]+`", "");
                for (MatchResult link : LINK.matcher(text).results().toList()) {
                    links++;
                    Path target = root.resolve(file).resolveSibling(link.group(1));
                    if (!link.group(1).matches("[a-z]+:.*") && !Files.exists(target)) {
                        dead.add(file + ": " + link.group(1));
                    }
                }
            }
        }
        assertEquals(List.of(), dead);
        assertFalse(links == 0);
    }
}
