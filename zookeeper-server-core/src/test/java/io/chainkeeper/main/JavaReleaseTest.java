package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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

    /** What Java 11 itself says is that it does not know one of our flags. */
    @Test
    public void tooOld_everyScriptSaysWhatToInstall() throws Exception {
        release("11.0.22");
        findJavaByALinkOnThePath();
        environment.put("STAND_IN_MISTAKE", "Unrecognized option: --enable-native-access=ALL-UNNAMED");
        for (String script : List.of("zkCli.sh", "zkCleanup.sh", "zkSnapShotToolkit.sh", "zkTxnLogToolkit.sh")) {
            Result result = runScript(script, "anything");
            assertEquals(script + result, 1, result.exitCode());
            assertEquals(script + result, 1, result.err().lines().count());
            assertTrue(
                    script + result, result.err().contains("/path/java is Java 11; install a JDK 17 or newer, or set"));
        }
    }

    @Test
    public void tooOldForTheServerThatRuns_isStoppedAndAskedAllTheSame() throws Exception {
        release("17.0.15");
        assertEquals(0, run("start").exitCode());
        awaitReady();
        release("1.8.0_402");
        Result restart = run("restart");
        assertEquals(restart.toString(), 1, restart.exitCode());
        assertTrue(restart.toString(), restart.err().contains("is Java 8; install a JDK 17"));
        assertFalse(Files.exists(end));
        environment.put("STAND_IN_ANSWER", "Mode: asked by java");
        assertEnd(
                run("status"),
                1,
                "Client port found: 1. Client address: localhost. Client SSL: false.\n"
                        + "Error contacting service. It is probably not running.\n");
        assertEnd(run("stop"), 0, "Stopping zookeeper ... STOPPED\n");
        assertTrue(Files.exists(end));
    }
}
