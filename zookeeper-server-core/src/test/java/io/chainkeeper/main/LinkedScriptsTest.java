package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.Before;
import org.junit.Test;

/** All scripts where they are called by links, or with variables that change what cd does. */
public class LinkedScriptsTest extends DistributionScripts {
    private static final Set<String> SOURCED = Set.of("zkEnv.sh", "zkTool.sh", "zkServerCommands.sh");

    private Path root;

    @Before
    public void endJavaAtOnce() {
        root = folder.getRoot().toPath();
        environment.put("STAND_IN_MISTAKE", "java has been reached");
    }

    /** Runs them by paths relative to the directory above that of the distribution. */
    private void runIn(String directory) {
        launcher = List.of(
                "bash",
                "-c",
                "cd '" + root + "' && CDPATH='" + root + "' && export CDPATH && name=\"${1##*/}\" && shift"
                        + " && exec bash '" + directory + "'/\"$name\" \"$@\"",
                "bash");
    }

    private void assertAllFindTheirFiles() throws Exception {
        String command = run("print-cmd").out();
        assertTrue(command, command.contains("/home\\ with\\ a\\ space/lib/zookeeper-server-core-1.2.3.jar"));
        for (String script : SCRIPTS) {
            if (!SOURCED.contains(script)) {
                Result result = runScript(script, "verify", "operand");
                assertFalse(script + result, result.err().contains("No such file"));
                assertFalse(script + result, result.err().contains("command not found"));
            }
        }
    }

    private void link(String directory, boolean relative) throws IOException {
        Path links = Files.createDirectories(root.resolve(directory));
        for (String script : SCRIPTS) {
            if (!SOURCED.contains(script)) {
                Path target = home.resolve("bin").resolve(script);
                Files.createSymbolicLink(links.resolve(script), relative ? links.relativize(target) : target);
            }
        }
        runIn(directory);
    }

    @Test
    public void links_areFollowed() throws Exception {
        link("links", false);
        assertAllFindTheirFiles();
    }

    @Test
    public void relativeLinks_areFollowed() throws Exception {
        link("usr/links", true);
        assertAllFindTheirFiles();
    }

    @Test
    public void searchPathOfCd_isNotUsed() throws Exception {
        runIn("home with a space/bin");
        assertAllFindTheirFiles();
        launcher = List.of("bash", "-c", "cd '" + root + "'; \"$1\" --config conf print-cmd", "bash");
        environment.put("CDPATH", root.toString());
        String command = run().out();
        assertTrue(command, command.endsWith(" " + conf + "/zoo.cfg \n"));
    }

    /** Where a link leads from one release to the next, the server keeps its paths. */
    @Test
    public void linkToTheDistribution_isKept() throws Exception {
        Path current = Files.createSymbolicLink(root.resolve("current"), home);
        Files.createDirectory(home.resolve("conf"));
        launcher = List.of("bash", "-c", "exec '" + current + "/bin/zkServer.sh' print-cmd", "bash");
        Result result = run();
        assertEquals(result.toString(), 0, result.exitCode());
        assertTrue(result.out(), result.out().endsWith(" " + current + "/conf/zoo.cfg \n"));
    }
}
