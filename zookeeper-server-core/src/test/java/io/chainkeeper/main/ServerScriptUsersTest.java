package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.server.TestEnsemble;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.After;
import org.junit.Assume;
import org.junit.Test;

/** The scripts where the server is another user's, or Apache ZooKeeper's. */
public class ServerScriptUsersTest extends DistributionScripts {
    private static final int STRANGER = 65534;

    /** The bit of SIGINT in a set of signals. */
    private static final long INTERRUPTS = 1 << 1;

    private Process other;

    @After
    public void endOther() {
        launcher = List.of();
        if (other != null) {
            other.destroyForcibly();
        }
    }

    /** Starts a process with a main class and zoo.cfg in its command, and notes it in the file of the process id. */
    private void startOther(String mainClass) throws IOException {
        startOther(mainClass, conf.resolve("zoo.cfg"));
    }

    private void startOther(String mainClass, Path configuration) throws IOException {
        other = new ProcessBuilder("bash", "-c", "read -t 600", mainClass, configuration.toString()).start();
        // as ZooKeeper's script, without the end of the line
        Files.writeString(pidFile, Long.toString(other.pid()));
        Files.createDirectories(data.resolve("version-2"));
        Files.createDirectories(data.resolve("ordering"));
    }

    /** From now on the scripts are run by somebody else than the test, who may write the data. */
    private void becomeStranger() throws IOException {
        Assume.assumeTrue("only root becomes another user", "root".equals(System.getProperty("user.name")));
        Files.setPosixFilePermissions(folder.getRoot().toPath(), PosixFilePermissions.fromString("rwxr-xr-x"));
        for (Path own : List.of(data, data.resolve("version-2"), data.resolve("ordering"))) {
            Files.setAttribute(own, "unix:uid", STRANGER);
        }
        launcher = List.of("setpriv", "--reuid=" + STRANGER, "--regid=" + STRANGER, "--clear-groups");
    }

    private void assertOtherIsLeftAlone() {
        assertTrue(other.isAlive());
        assertTrue(Files.exists(pidFile));
        assertTrue(Files.exists(data.resolve("version-2")));
    }

    private void assertRunsAlready() throws Exception {
        assertEnd(run("start"), 1, "Starting zookeeper ... already running as process " + other.pid() + ".\n");
        Result refused = initialize("--force");
        assertEquals(refused.toString(), 1, refused.exitCode());
        assertTrue(refused.out(), refused.out().contains(" runs as process " + other.pid() + "; stop it first: "));
        assertOtherIsLeftAlone();
    }

    @Test
    public void zooKeeperRuns_isNotedAndStoppedAsByItsOwnScript() throws Exception {
        startOther("org.apache.zookeeper.server.quorum.QuorumPeerMain");
        assertRunsAlready();
        assertEnd(run("stop"), 0, "Stopping zookeeper ... STOPPED\n");
        assertTrue(other.waitFor(60, TimeUnit.SECONDS));
        assertFalse(Files.exists(pidFile));
    }

    /** The number of a process that is long gone may be given to a server of another configuration. */
    @Test
    public void pidFileNamesAServerOfAnotherConfiguration_thatIsLeftAlone() throws Exception {
        Path elsewhere = Files.writeString(
                folder.newFolder("elsewhere").toPath().resolve("zoo.cfg"),
                "dataDir=" + folder.newFolder("others-data") + "\nclientPort=1\n");
        startOther("io.chainkeeper.main.ChainkeeperMain", elsewhere);
        Result stop = run("stop");
        assertEnd(stop, 0, "Stopping zookeeper ... STOPPED\n");
        assertTrue(stop.err(), stop.err().endsWith(" is the server of " + elsewhere + " and goes on\n"));
        assertTrue(other.isAlive());
        assertFalse(Files.exists(pidFile));
        Files.writeString(pidFile, Long.toString(other.pid()));
        Result drain = run("drain");
        assertTrue(drain.err(), drain.err().endsWith("there is nothing to drain\n"));
        assertEnd(run("start"), 0, "Starting zookeeper ... STARTED\n");
        assertFalse(Files.readString(pidFile).trim().equals(Long.toString(other.pid())));
        assertEnd(run("stop"), 0, "Stopping zookeeper ... STOPPED\n");
        assertTrue(other.isAlive());
    }

    @Test
    public void serverOnTheDataThatWasStartedWithAnotherFile_isThisOne() throws Exception {
        Path moved = folder.newFolder("moved").toPath().resolve("zoo.cfg");
        Files.copy(conf.resolve("zoo.cfg"), moved);
        startOther("org.apache.zookeeper.server.quorum.QuorumPeerMain", moved);
        assertRunsAlready();
    }

    @Test
    public void configurationReachedByALinkOrARelativePath_isThisOne() throws Exception {
        Files.writeString(conf.resolve("zoo.cfg"), "dataDir=" + data + "\nclientPort=1\n");
        Path link = Files.createSymbolicLink(folder.getRoot().toPath().resolve("link"), conf);
        startOther("io.chainkeeper.main.ChainkeeperMain", link.resolve("zoo.cfg"));
        assertRunsAlready();
        other.destroyForcibly().waitFor();
        other = new ProcessBuilder("bash", "-c", "read -t 600", "io.chainkeeper.main.ChainkeeperMain", "./zoo.cfg")
                .directory(conf.toFile())
                .start();
        Files.writeString(pidFile, Long.toString(other.pid()));
        assertRunsAlready();
    }

    @Test
    public void serverStartedWithARelativePath_isStoppedFromAnywhere() throws Exception {
        launcher = List.of("bash", "-c", "cd '" + conf + "' && exec \"$@\"", "bash");
        assertEnd(run("start", "./zoo.cfg"), 0, "Starting zookeeper ... STARTED\n");
        awaitReady();
        launcher = List.of();
        assertEnd(run("stop"), 0, "Stopping zookeeper ... STOPPED\n");
        assertTrue(Files.exists(end));
    }

    /** Another start notes its server after this one has looked for one. */
    @Test
    public void twoStartsAtOnce_theOneThatFailsLeavesTheNumberOfTheOther() throws Exception {
        startOther("io.chainkeeper.main.ChainkeeperMain");
        Files.delete(pidFile);
        Path mkdir = folder.newFolder("first-in-path").toPath().resolve("mkdir");
        Files.writeString(mkdir, "#!/bin/sh\necho " + other.pid() + " >'" + pidFile + "'\nexec /bin/mkdir \"$@\"\n");
        assertTrue(mkdir.toFile().setExecutable(true));
        environment.put("PATH", mkdir.getParent() + ":" + System.getenv("PATH"));
        environment.put("STAND_IN_MISTAKE", "the directory is in use");
        environment.put("ZOO_START_TIMEOUT", "60");
        assertEnd(run("start"), 1, "Starting zookeeper ... FAILED TO START\n");
        assertEquals(other.pid() + "\n", Files.readString(pidFile));
        assertRunsAlready();
    }

    @Test
    public void startThatIsInterrupted_endsItsServerAndLeavesNothing() throws Exception {
        String ignored = Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("SigIgn:"))
                .findFirst()
                .orElseThrow();
        boolean isIgnored = (Long.parseUnsignedLong(ignored.split("\\s+")[1], 16) & INTERRUPTS) != 0;
        Assume.assumeFalse("whoever started this build in the background has it ignore interrupts", isIgnored);
        assertSignalEndsStart("INT", 130);
    }

    @Test
    public void startThatIsTerminated_endsItsServerAndLeavesNothing() throws Exception {
        assertSignalEndsStart("TERM", 143);
    }

    private void assertSignalEndsStart(String signal, int code) throws Exception {
        environment.put("ZOO_START_TIMEOUT", "600");
        String interrupted = "set -m; \"$@\" & until [[ -e \"$STAND_IN_READY\" ]]; do sleep 0.1; done; kill -" + signal
                + " $!; wait $!";
        launcher = List.of("bash", "-c", interrupted, "bash");
        assertEnd(run("start"), code, "Starting zookeeper ... INTERRUPTED\n");
        assertTrue(Files.exists(end));
        assertFalse(Files.exists(pidFile));
    }

    /** As one that runs in a terminal, or under systemd. */
    @Test
    public void serverWithoutAFileOfItsProcessId_keepsItsDataFromInitialize() throws Exception {
        startOther("io.chainkeeper.main.ChainkeeperMain");
        Files.delete(pidFile);
        Result refused = initialize("--force");
        String reason = "The server of " + conf + "/zoo.cfg runs as process " + other.pid() + "; stop it first\n";
        assertEnd(refused, 1, reason);
        assertTrue(Files.exists(data.resolve("version-2")));
        other.destroyForcibly().waitFor();
        assertEquals(0, initialize("--force").exitCode());
    }

    @Test
    public void lockedDirectory_isKeptFromInitialize() throws Exception {
        Assume.assumeTrue("the system tells nothing of locks", Files.isReadable(Path.of("/proc/locks")));
        Path ordering = Files.createDirectory(data.resolve("ordering"));
        String reason = "Process " + ProcessHandle.current().pid() + " uses " + ordering + "; stop that server first\n";
        try (FileChannel lock =
                FileChannel.open(ordering.resolve("log.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            assertNotNull(lock.tryLock());
            assertEnd(initialize("--force"), 1, reason);
            assertTrue(Files.exists(ordering));
        }
        assertEquals(0, initialize("--force").exitCode());
    }

    @Test
    public void serverOfAnotherUser_isNotSaidToBeStopped() throws Exception {
        startOther("io.chainkeeper.main.ChainkeeperMain");
        becomeStranger();
        for (String command : List.of("stop", "restart")) {
            Result result = run(command);
            assertEnd(result, 1, "Stopping zookeeper ... NOT STOPPED\n");
            String reason = "process " + other.pid() + " is another user's; run this as that user, or as root\n";
            assertTrue(result.err(), result.err().endsWith(reason));
            assertOtherIsLeftAlone();
        }
        assertRunsAlready();
    }

    @Test
    public void serverOfAnotherUser_isAskedToDrain() throws Exception {
        startOther("io.chainkeeper.main.ChainkeeperMain");
        becomeStranger();
        assertDrainMakesAReadableRequest();
    }

    /** Answers it as a server that cannot leave. */
    private void assertDrainMakesAReadableRequest() throws Exception {
        Path ordering = data.resolve("ordering");
        FutureTask<Result> drain = new FutureTask<>(() -> run("drain"));
        new Thread(drain, "drain").start();
        Path request = ordering.resolve("drain");
        TestEnsemble.await("the request", () -> Files.exists(request) || drain.isDone());
        assertTrue("ended: " + request, Files.exists(request));
        assertEquals("rw-r--r--", PosixFilePermissions.toString(Files.getPosixFilePermissions(request)));
        Files.writeString(ordering.resolve("drain-answer"), "refused: because\n");
        assertEnd(drain.get(), 1, "Draining zookeeper ... NOT DRAINED\n");
        assertTrue(drain.get().err(), drain.get().err().endsWith("\nError: because\n"));
    }

    @Test
    public void requestToDrain_canBeReadWhateverTheUmask() throws Exception {
        launcher = List.of("bash", "-c", "umask 077; exec \"$@\"", "bash");
        Files.createDirectory(data.resolve("ordering"));
        assertDrainMakesAReadableRequest();
    }

    @Test
    public void otherRequests_canBeReadWhateverTheUmask() throws Exception {
        launcher = List.of("bash", "-c", "umask 077; exec \"$@\"", "bash");
        assertEnd(run("feature-level", "2"), 0, "0022\n");
        assertEnd(run("force-new-cluster", "--yes"), 0, "0022\n");
    }
}
