package io.chainkeeper.compatibility;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.curator.framework.recipes.locks.TestInterProcessMutex;
import org.apache.zookeeper.PortAssignment;
import org.junit.jupiter.api.Test;

/** Every class of the jars of other people's tests is run or excluded with a reason. */
public class SuiteTest {
    @Test
    public void everyClassOfZooKeepersTests_isRunOrExcluded() throws Exception {
        checkComplete(Suite.ZOOKEEPER, PortAssignment.class);
    }

    @Test
    public void everyClassOfCuratorsTests_isRunOrExcluded() throws Exception {
        checkComplete(Suite.CURATOR, TestInterProcessMutex.class);
    }

    /** Surefire skips an execution whose settings, the list aside, are those of an earlier one. */
    @Test
    public void everyExecution_namesItsListInItsSettings() throws IOException {
        String list = "src/test/suites/([a-z-]+/[a-z-]+)\\.txt</includesFile>(.{0,200})";
        Matcher lists = Pattern.compile(list, Pattern.DOTALL).matcher(Files.readString(Path.of("pom.xml")));
        Set<String> found = new TreeSet<>();
        while (lists.find()) {
            found.add(lists.group(1));
            String setting = "<compatibility.suite>" + lists.group(1) + "</compatibility.suite>";
            assertTrue(lists.group(2).contains(setting), "behind the includesFile there is no " + setting);
        }
        assertTrue(found.contains("zookeeper/full") && found.contains("curator/full"), found.toString());
    }

    private static void checkComplete(Suite suite, Class<?> ofJar) throws Exception {
        List<String> run = suite.run();
        Set<String> listed = new TreeSet<>(run);
        assertEquals(listed.size(), run.size(), "a class is listed twice among " + run);
        for (String name : suite.excluded().keySet()) {
            if (!name.contains("#")) {
                assertTrue(listed.add(name), name + " is both run and excluded");
            }
        }
        assertEquals(classes(ofJar), listed);
        for (String name : suite.excluded().keySet()) {
            if (name.contains("#")) {
                checkMethod(name, run);
            }
        }
        for (String name : suite.impatient().keySet()) {
            checkMethod(name, run);
            assertFalse(suite.excluded().containsKey(name), name + " is also excluded");
        }
    }

    private static void checkMethod(String name, List<String> run) throws ClassNotFoundException {
        String[] parts = name.split("#");
        assertTrue(run.contains(parts[0]), name + " is left out, but its class is not run");
        boolean exists = Arrays.stream(Class.forName(parts[0], false, SuiteTest.class.getClassLoader())
                        .getMethods())
                .map(Method::getName)
                .anyMatch(parts[1]::equals);
        assertTrue(exists, name + " is left out, but there is no such method");
    }

    private static Set<String> classes(Class<?> ofJar) throws IOException {
        String jar = Path.of(ofJar.getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .getPath())
                .toString();
        try (JarFile file = new JarFile(jar)) {
            return file.stream()
                    .map(entry -> entry.getName())
                    .filter(entry -> entry.endsWith(".class") && !entry.contains("$"))
                    .map(entry -> entry.substring(0, entry.length() - ".class".length())
                            .replace('/', '.'))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }
}
