package io.chainkeeper.compatibility;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What is run of somebody else's tests: the files of a directory below {@code src/test/suites}. Each lists class files
 * for surefire, but for {@code excluded.txt}, which says what is not run and why, and {@code impatient.txt}, which says
 * which methods of the listed classes every build leaves out and why.
 */
final class Suite {
    /** ZooKeeper's own tests. */
    static final Suite ZOOKEEPER = new Suite("zookeeper");
    /** The tests of Curator's recipes. */
    static final Suite CURATOR = new Suite("curator");

    private static final String EXCLUDED = "excluded.txt";
    private static final String IMPATIENT = "impatient.txt";
    private static final String CLASS_FILE = ".class";

    private final Path directory;

    private Suite(String name) {
        directory = Path.of("src", "test", "suites", name);
    }

    /** Returns what is excluded, a class or class#method, and the reason. */
    Map<String, String> excluded() {
        return reasons(EXCLUDED);
    }

    /** Returns what only runs of all suites run though every build runs its class: class#method, and the reason. */
    Map<String, String> impatient() {
        return reasons(IMPATIENT);
    }

    private Map<String, String> reasons(String name) {
        Path file = directory.resolve(name);
        Map<String, String> reasons = new TreeMap<>();
        for (String line : lines(file)) {
            String[] parts = line.split("\t", -1);
            if (parts.length != 2 || parts[1].isBlank()) {
                throw new IllegalStateException(file + ": not a name, a tab, a reason: " + line);
            }
            if (reasons.put(parts[0], parts[1]) != null) {
                throw new IllegalStateException(file + ": listed twice: " + parts[0]);
            }
        }
        return reasons;
    }

    /** Returns the classes that are run; a class that is listed twice is there twice. */
    List<String> run() throws IOException {
        List<String> classes = new ArrayList<>();
        try (var files = Files.list(directory)) {
            for (Path file : files.filter(file -> !file.endsWith(EXCLUDED) && !file.endsWith(IMPATIENT))
                    .sorted()
                    .collect(Collectors.toList())) {
                for (String line : lines(file)) {
                    if (!line.endsWith(CLASS_FILE)) {
                        throw new IllegalStateException(file + ": not a class file: " + line);
                    }
                    classes.add(line.substring(0, line.length() - CLASS_FILE.length())
                            .replace('/', '.'));
                }
            }
        }
        classes.sort(Comparator.naturalOrder());
        return classes;
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file).stream()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .collect(Collectors.toList());
        } catch (IOException e) {
            throw new UncheckedIOException(file + " cannot be read", e);
        }
    }
}
