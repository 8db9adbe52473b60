package io.chainkeeper.clienttests;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.Test;

/** The list of the tests that every build leaves to {@code -Plong}. */
public class LongTestsTest {
    private static final String CLASS_FILE = ".class";

    /** A name that no class has would leave the class to every build. */
    @Test
    public void everyListedClass_exists() throws IOException, ClassNotFoundException {
        List<String> listed = Files.readAllLines(Path.of("src/test/long.txt")).stream()
                .filter(line -> !line.startsWith("#"))
                .toList();
        assertFalse(listed.isEmpty());
        for (String line : listed) {
            assertEquals(CLASS_FILE, line.substring(line.length() - CLASS_FILE.length()));
            String name = line.substring(0, line.length() - CLASS_FILE.length()).replace('/', '.');
            Class.forName(name, false, LongTestsTest.class.getClassLoader());
        }
    }
}
