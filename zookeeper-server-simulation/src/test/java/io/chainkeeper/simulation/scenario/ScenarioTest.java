package io.chainkeeper.simulation.scenario;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;

import io.chainkeeper.simulation.Protocols;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameter;
import org.junit.runners.Parameterized.Parameters;

/**
 * Scenario files: commands and what they are expected to print ({@link ScenarioRunner}).
 * {@code -Dscenario.rewrite=true} writes what they print now into the files; the review looks at the difference.
 */
@RunWith(Parameterized.class)
public class ScenarioTest {
    private static final Path DIRECTORY = Path.of("src", "test", "resources", "scenarios");

    @Parameter
    public String scenario;

    @Parameters(name = "{0}")
    public static List<String> scenarios() throws IOException {
        List<String> names = new ArrayList<>();
        try (Stream<Path> files = Files.walk(DIRECTORY)) {
            files.filter(file -> file.toString().endsWith(".txt"))
                    .sorted()
                    .forEach(file -> names.add(DIRECTORY.relativize(file).toString()));
        }
        assertFalse("no scenarios in " + DIRECTORY, names.isEmpty());
        return names;
    }

    @Test
    public void commands_printWhatTheFileSays() throws IOException {
        Path file = DIRECTORY.resolve(scenario);
        String expected = Files.readString(file);
        String protocol = file.getParent().getFileName().toString();
        String actual = ScenarioRunner.run(Protocols.named(protocol), expected);
        if (Boolean.getBoolean("scenario.rewrite")) {
            Files.writeString(file, actual);
        } else {
            assertEquals(expected, actual);
        }
    }
}
