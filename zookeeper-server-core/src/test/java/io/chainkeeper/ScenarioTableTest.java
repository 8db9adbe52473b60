package io.chainkeeper;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.Test;

/** What docs/scenarios.md names as a test exists, and it leaves out no seed that has once failed. */
public final class ScenarioTableTest {
    private static final Pattern NAME = Pattern.compile("`([^`]+)`");
    private static final Pattern TEST_METHOD = Pattern.compile("\\bvoid (\\w+)\\(");
    private static final Pattern WORD = Pattern.compile("[\\w-]+");
    private static final Pattern NUMBER = Pattern.compile("\\d+");

    private final Path root = SourceTree.root();

    private List<String> rows() throws IOException {
        return Files.readAllLines(root.resolve("docs/scenarios.md")).stream()
                .filter(line -> line.startsWith("|"))
                .toList();
    }

    /** Test classes and scenarios, the methods of tests, what the simulator and the explorer may do. */
    private TreeSet<String> existing() throws IOException {
        TreeSet<String> existing = new TreeSet<>();
        try (Stream<Path> modules = Files.walk(root, 1)) {
            for (Path module : modules.toList()) {
                Path tests = module.resolve("src/test");
                if (Files.isDirectory(tests)) {
                    addTests(tests, existing);
                }
            }
        }
        Path simulator = root.resolve("zookeeper-server-simulation/src/main/java/io/chainkeeper/simulation");
        try (Stream<Path> files = Files.walk(simulator)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                WORD.matcher(Files.readString(file))
                        .results()
                        .map(MatchResult::group)
                        .forEach(existing::add);
            }
        }
        return existing;
    }

    private static void addTests(Path tests, TreeSet<String> existing) throws IOException {
        try (Stream<Path> files = Files.walk(tests)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String name = file.getFileName().toString();
                existing.add(name.replaceFirst("\\.\\w+$", ""));
                if (name.endsWith(".java")) {
                    TEST_METHOD
                            .matcher(Files.readString(file))
                            .results()
                            .map(method -> method.group(1))
                            .forEach(existing::add);
                }
            }
        }
    }

    private static boolean exists(String name, TreeSet<String> existing) {
        if (!name.endsWith("*")) {
            return existing.contains(name);
        }
        String beginning = name.substring(0, name.length() - 1);
        String next = existing.ceiling(beginning);
        return next != null && next.startsWith(beginning);
    }

    @Test
    public void everyTestThatIsNamed_exists() throws IOException {
        TreeSet<String> existing = existing();
        List<String> missing = new ArrayList<>();
        int names = 0;
        for (String row : rows()) {
            for (MatchResult name : NAME.matcher(row).results().toList()) {
                names++;
                for (String part : name.group(1).split("\\.")) {
                    if (!exists(part, existing)) {
                        missing.add(part + " in: " + row);
                    }
                }
            }
        }
        assertTrue("a table with names", names > 50);
        assertEquals(List.of(), missing);
    }

    @Test
    public void everySeedThatOnceFailed_hasItsRow() throws IOException {
        TreeSet<String> told = new TreeSet<>();
        for (String row : rows()) {
            NUMBER.matcher(row.split("\\|")[1])
                    .results()
                    .map(MatchResult::group)
                    .forEach(told::add);
        }
        Path seeds = root.resolve("zookeeper-server-simulation/src/test/resources/failed-seeds.txt");
        List<String> missing = Files.readAllLines(seeds).stream()
                .filter(line -> line.startsWith("chain "))
                .map(line -> line.split(" ")[1])
                .filter(seed -> !told.contains(seed))
                .toList();
        assertEquals(List.of(), missing);
    }
}
