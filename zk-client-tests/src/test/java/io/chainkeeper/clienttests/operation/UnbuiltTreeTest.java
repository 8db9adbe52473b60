package io.chainkeeper.clienttests.operation;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Combinations;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.Scripts;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.Assume;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The source tree as a newcomer has it: cloned, not built, in a directory whose path has a space. */
public class UnbuiltTreeTest {
    private static final long LIMIT_SECONDS = 60;
    private static final long BUILD_LIMIT_SECONDS = 600;

    /** Scripts that need no jars. */
    private static final List<String> WITHOUT_JARS =
            List.of("zkEnv.sh", "zkServerCommands.sh", "zkTool.sh", "zkServer-initialize.sh");

    /** How each of the other scripts is called. */
    private static final Map<String, List<String>> CALLS = new TreeMap<>(Map.ofEntries(
            Map.entry("benchmark.sh", List.of("writes", "jmh", "--preset quick")),
            Map.entry("explore.sh", List.of("")),
            Map.entry("simulate.sh", List.of("--seed 42")),
            Map.entry("ycsb.sh", List.of("load zookeeper -P workloads/workloada")),
            Map.entry("zkAcceptorLog.sh", List.of("", "--verify data")),
            Map.entry("zkBackup.sh", List.of("list /backup")),
            Map.entry("zkClassArchive.sh", List.of("")),
            Map.entry("zkCleanup.sh", List.of("-n 3")),
            Map.entry("zkCli.sh", List.of("", "ls /")),
            Map.entry("zkDisk.sh", List.of("format", "inspect", "replace 2")),
            Map.entry("zkEnsemble.sh", List.of("demo", "start 3")),
            Map.entry(
                    "zkServer.sh",
                    List.of(
                            "start",
                            "start-foreground",
                            "restart",
                            "status",
                            "version",
                            "print-cmd",
                            "force-new-cluster",
                            "position",
                            "move-in",
                            "switch-protocol iss",
                            "replace 3 --with host:1:2")),
            Map.entry("zkSnapShotToolkit.sh", List.of("snapshot.0")),
            Map.entry("zkSnapshotComparer.sh", List.of("-l a -r b -b 0 -n 0")),
            Map.entry("zkSnapshotRecursiveSummaryToolkit.sh", List.of("snapshot.0 / 1")),
            Map.entry("zkTxnLogToolkit.sh", List.of("log.1"))));

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private Path tree;
    private Path mavenWasCalled;

    /** Where the scripts look for commands. */
    private String path = System.getenv("PATH");

    /** Where the scripts put temporary files; null for the system's place. */
    private String temporary;

    @Before
    public void copySources() throws IOException {
        Path root = Scripts.home();
        tree = folder.newFolder("a newcomer's directory").toPath().resolve("tree");
        mavenWasCalled = folder.getRoot().toPath().resolve("maven-was-called");
        Files.createDirectories(tree);
        try (Stream<Path> files = Files.list(root)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, tree.resolve(file.getFileName()));
            }
        }
        copy(root, "bin");
        copy(root, "conf");
        copy(root, "docs");
        copy(root, "monitoring");
        Files.deleteIfExists(tree.resolve("conf/zoo.cfg"));
        try (Stream<Path> modules = Files.list(root)) {
            for (Path module : modules.filter(path -> Files.exists(path.resolve("pom.xml")))
                    .toList()) {
                String name = module.getFileName().toString();
                Files.createDirectories(tree.resolve(name));
                try (Stream<Path> contents = Files.list(module)) {
                    for (Path content :
                            contents.filter(UnbuiltTreeTest::isSource).toList()) {
                        copy(root, name + "/" + content.getFileName());
                    }
                }
            }
        }
    }

    private static boolean isSource(Path path) {
        return !List.of("target", "build", "data", "logs")
                .contains(path.getFileName().toString());
    }

    private void copy(Path root, String part) throws IOException {
        try (Stream<Path> files = Files.walk(root.resolve(part))) {
            for (Path file : files.toList()) {
                Path copied = tree.resolve(root.relativize(file));
                if (!Files.isDirectory(copied)) {
                    Files.copy(file, copied, StandardCopyOption.COPY_ATTRIBUTES);
                }
            }
        }
    }

    @Test
    public void everyScript_buildsOrSaysInOneLineWhatToRun() throws Exception {
        maven("echo \"$*\" >>'" + mavenWasCalled + "'; exit 1");
        List<String> mistakes = new ArrayList<>();
        forEachCall((call, result) -> {
            boolean builds = Files.deleteIfExists(mavenWasCalled);
            boolean says = saysInOneLine("mvn -q -f ", result) && saysInOneLine("package", result);
            if (result.exitCode() == 0 || hasStackTrace(result) || !builds && !says) {
                mistakes.add(call + ": " + result);
            }
        });
        assertEquals(String.join("\n", mistakes), 0, mistakes.size());
    }

    @Test
    public void everyScriptThatBuilds_saysThatItNeedsMaven() throws Exception {
        Path commands = folder.newFolder("commands").toPath();
        for (String directory : path.split(":")) {
            linkAllButMaven(Path.of(directory), commands);
        }
        path = commands.toString();
        List<String> mistakes = new ArrayList<>();
        forEachCall((call, result) -> {
            boolean says = saysInOneLine("mvn", result);
            if (result.exitCode() == 0 || hasStackTrace(result) || !says) {
                mistakes.add(call + ": " + result);
            }
        });
        assertEquals(String.join("\n", mistakes), 0, mistakes.size());
    }

    /** README's first command, in a path with a space. The gate itself runs it in a checkout that is not built. */
    @Test
    public void demo_buildsAndShowsEverything() throws Exception {
        Assume.assumeTrue("skipped without -Densemble.combinations=all", Combinations.areAllAsked());
        String repository = System.getProperty("localRepository");
        if (repository != null) {
            maven("PATH='" + path + "' exec mvn '-Dmaven.repo.local=" + repository + "' \"$@\"");
        }
        ProcessBuilder demo = command("zkEnsemble.sh", "demo", "--protocol", Ensemble.defaultProtocol());
        Scripts.Result result = Scripts.run(BUILD_LIMIT_SECONDS, demo);
        assertEquals(result.toString(), 0, result.exitCode());
        assertTrue(result.toString(), result.output().contains("Every step succeeded"));
        assertFalse(result.toString(), result.errors().contains("without a class archive"));
        assertTrue(Files.exists(tree.resolve("zookeeper-assembly/target/classes.jsa")));
        Scripts.Result command = Scripts.run(LIMIT_SECONDS, command("zkServer.sh", "print-cmd"));
        assertTrue(command.toString(), command.output().contains("SharedArchiveFile"));
    }

    @Test
    public void disksThatDoNotFit_areRefusedInOneLine() throws Exception {
        assertRefused("--disks 4: give an odd number", "start", "2", "--protocol", "disk", "--disks", "4");
        assertRefused("--disks 3 has no effect with --protocol chain", "start", "3", "--disks", "3");
        assertRefused("demo takes no --disks", "demo", "--protocol", "disk", "--disks", "3");
        assertRefused("start 65: with --protocol disk give the number of servers", "start", "65", "--protocol", "disk");
    }

    /** The servers read zoo.cfg otherwise than the scripts do, where it has such characters. */
    @Test
    public void directoryThatServersWouldMisread_isRefusedInOneLine() throws Exception {
        Assume.assumeTrue("a locale without these letters", "UTF-8".equals(System.getProperty("sun.jnu.encoding")));
        for (String name : List.of("größe", "back\\slash")) {
            Path directory = folder.getRoot().toPath().resolve(name);
            assertRefused("give a --dir of plain ASCII", "start", "1", "--dir", directory.toString());
            assertFalse(name, Files.exists(directory));
        }
        assertRefused("größe/x: give a --dir of plain ASCII", "start", "1", "--dir", "größe/x");
        temporary = folder.newFolder("größe").toString();
        assertRefused(temporary + ": give a TMPDIR of plain ASCII", "demo");
        assertEquals(0, folder.getRoot().toPath().resolve("größe").toFile().list().length);
    }

    private void assertRefused(String problem, String... arguments) throws Exception {
        Path lib = Files.createDirectories(tree.resolve("zookeeper-assembly/target/lib"));
        Files.writeString(lib.resolve("zookeeper-server-core-0.jar"), "no class of it is needed");
        ProcessBuilder command = command("zkEnsemble.sh", arguments);
        command.environment().put("ZOO_JARS_ARE_NEW", "true");
        Scripts.Result result = Scripts.run(LIMIT_SECONDS, command);
        assertEquals(result.toString(), 1, result.exitCode());
        assertEquals(result.toString(), 1, result.errors().lines().count());
        assertTrue(result.toString(), result.errors().contains(problem));
    }

    /** What a build server runs on a new checkout. */
    @Test
    public void theGate_runsTheDemoWithEveryProtocol() throws IOException {
        String gate = Files.readString(Scripts.home().resolve(".ci/run"));
        Matcher loop = Pattern.compile("\\nfor protocol in (.*); do\\n").matcher(gate);
        assertTrue(gate, loop.find());
        var demonstrated = new TreeSet<>(List.of(loop.group(1).split(" ")));
        var names = new TreeSet<String>();
        ServiceLoader.load(OrderingProtocolFactory.class).forEach(factory -> names.add(factory.name()));
        assertEquals(names, demonstrated);
        int demo = gate.indexOf("bin/zkEnsemble.sh demo");
        int verify = gate.indexOf("verify\n");
        assertTrue(gate, demo > 0 && verify > demo && gate.indexOf("verify -Plong\n") > verify);
    }

    private interface Check {
        void call(String call, Scripts.Result result) throws IOException;
    }

    private void forEachCall(Check check) throws Exception {
        Files.copy(tree.resolve("conf/zoo_sample.cfg"), tree.resolve("conf/zoo.cfg"));
        var scripts = new TreeSet<String>();
        try (Stream<Path> files = Files.list(tree.resolve("bin"))) {
            files.map(file -> file.getFileName().toString()).forEach(scripts::add);
        }
        WITHOUT_JARS.forEach(scripts::remove);
        assertEquals("a script of bin/ and how it is called here", scripts, CALLS.keySet());
        for (Map.Entry<String, List<String>> script : CALLS.entrySet()) {
            for (String arguments : script.getValue()) {
                String[] words = arguments.isEmpty() ? new String[0] : arguments.split(" ");
                Scripts.Result result = Scripts.run(LIMIT_SECONDS, command(script.getKey(), words));
                check.call(script.getKey() + " " + arguments, result);
            }
        }
    }

    /** Puts a command in Maven's place. */
    private void maven(String script) throws IOException {
        Path commands = folder.newFolder("commands").toPath();
        Path maven = commands.resolve("mvn");
        Files.writeString(maven, "#!/bin/sh\n" + script + "\n");
        assertTrue(maven.toFile().setExecutable(true));
        path = commands + ":" + path;
    }

    private static void linkAllButMaven(Path directory, Path commands) throws IOException {
        if (!Files.isDirectory(directory)) {
            return;
        }
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Path link = commands.resolve(file.getFileName());
                if (!link.endsWith("mvn") && !Files.exists(link, LinkOption.NOFOLLOW_LINKS)) {
                    Files.createSymbolicLink(link, file);
                }
            }
        }
    }

    private ProcessBuilder command(String script, String... arguments) {
        ProcessBuilder command = Scripts.commandOf(tree, tree, script, arguments);
        Map<String, String> environment = command.environment();
        environment.keySet().removeIf(name -> name.endsWith("_JVMFLAGS"));
        environment.put("PATH", path);
        if (temporary != null) {
            environment.put("TMPDIR", temporary);
        }
        return command;
    }

    private static boolean hasStackTrace(Scripts.Result result) {
        String text = result.output() + result.errors();
        return text.contains("Exception") || text.contains("\tat ");
    }

    private static boolean saysInOneLine(String text, Scripts.Result result) {
        List<String> lines = result.errors()
                .lines()
                .filter(line -> !line.startsWith("Using config:") && !line.contains("JMX"))
                .toList();
        return lines.size() == 1 && lines.get(0).contains(text);
    }
}
