package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.Test;

/** The scripts with releases of Java that take other flags, or none of ours. */
public class JavaReleaseTest extends DistributionScripts {
    private static final String SAMPLING = "-XX:PerfDataSamplingInterval";

    private void release(String version) throws IOException {
        Files.writeString(
                Path.of(environment.get("JAVA_HOME"), "release"),
                "IMPLEMENTOR=\"anybody\"\nJAVA_VERSION=\"" + version + "\"\nJAVA_VERSION_DATE=\"2026-04-21\"\n");
    }

    /** As {@code /usr/bin/java} is on Debian: a link to a link, and no {@code JAVA_HOME}. */
    private void findJavaByALinkOnThePath() throws IOException {
        Path java = Path.of(environment.remove("JAVA_HOME"), "bin", "java");
        Path alternative = folder.newFolder("alternatives").toPath().resolve("java");
        Files.createSymbolicLink(alternative, java);
        Path path = folder.newFolder("path").toPath();
        Files.createSymbolicLink(path.resolve("java"), alternative);
        environment.put("PATH", path + ":" + System.getenv("PATH"));
    }

    @Test
    public void flagThatJavaDoesWithout_isNotGiven() throws Exception {
        release("17.0.15");
        assertTrue(run("print-cmd").out().contains(SAMPLING));
        release("25.0.3");
        assertFalse(run("print-cmd").out().contains(SAMPLING));
        release("26-ea");
        assertFalse(run("print-cmd").out().contains(SAMPLING));
    }

    @Test
    public void flagThatJavaDoesWithout_isNotGivenToOneBehindALink() throws Exception {
        release("25.0.3");
        findJavaByALinkOnThePath();
        Result result = run("print-cmd");
        assertEquals(result.toString(), 0, result.exitCode());
        assertFalse(result.toString(), result.out().contains(SAMPLING));
    }
}
