package io.chainkeeper.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.runner.JUnitCore;
import org.junit.runner.Result;

/** The programs in docs/testing.md are those in this directory, and they work. */
class DocumentedExamplesTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "testing.md");
    private static final Path SOURCES = Path.of("src", "test", "java", "example");
    private static final Pattern PROGRAM = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final Pattern CLASS = Pattern.compile("\\bclass (\\w+)");

    @Test
    void programsInTheDocument_areThoseThatAreRun() throws Exception {
        Set<String> shown = new TreeSet<>();
        Matcher programs = PROGRAM.matcher(Files.readString(DOCUMENT));
        while (programs.find()) {
            Matcher name = CLASS.matcher(programs.group(1));
            assertTrue(name.find(), programs.group(1));
            Path file = SOURCES.resolve(name.group(1) + ".java");
            assertEquals(Files.readString(file), programs.group(1), file.toString());
            shown.add(file.getFileName().toString());
        }
        assertEquals(Set.of("ConfigurationWithJUnit4.java", "FromCurator.java", "LeaderElectionTest.java"), shown);
    }

    @Test
    void programForJUnit4_works() throws Exception {
        Result result = JUnitCore.runClasses(Class.forName("example.ConfigurationWithJUnit4"));
        assertTrue(result.wasSuccessful(), result.getFailures().toString());
        assertEquals(1, result.getRunCount());
    }

    @Test
    void programWithCuratorsClass_works() throws Exception {
        Class.forName("example.FromCurator").getMethod("main", String[].class).invoke(null, (Object) new String[0]);
    }
}
