package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.rules.TemporaryFolder;

/**
 * The scripts of a distribution: bin/, conf/ and lib/ in a directory, with a {@code java} that stands in for the JVM
 * and does what the test needs.
 */
abstract class DistributionScripts {
    private static final String STAND_IN_FOR_JAVA = String.join(
            "\n",
            "#!/usr/bin/env bash",
            "case \"$*\" in",
            "  -version) echo \"openjdk version \\\"${STAND_IN_VERSION:-17.0.1}\\\"\" >&2; exit 0 ;;",
            "  *FourLetterWordMain*) echo \"${STAND_IN_ANSWER:-}\"; exit 0 ;;",
            "  *FeatureLevelCommand* | *ForceNewCluster*) umask; exit 0 ;;",
            "  *TraceCommand*) echo \"$*\"; exit 0 ;;",
            "esac",
            "if [[ -n \"${STAND_IN_MISTAKE:-}\" ]]; then echo \"$STAND_IN_MISTAKE\" >&2; exit 2; fi",
            "if [[ -n \"${STAND_IN_REPORT:-}\" ]]; then echo \"$STAND_IN_REPORT\" >\"$CHAINKEEPER_START_REPORT\"; fi",
            "if [[ -n \"${STAND_IN_DELETES_REPORT:-}\" ]]; then rm \"$CHAINKEEPER_START_REPORT\"; fi",
            "trap 'echo ended >\"$STAND_IN_END\"; exit 0' TERM",
            "echo ready >\"$STAND_IN_READY\"",
            "while true; do sleep 0.05; done",
            "");

    static final List<String> SCRIPTS = List.of(
            "zkEnv.sh",
            "zkServer.sh",
            "zkServerCommands.sh",
            "zkServer-initialize.sh",
            "zkEnsemble.sh",
            "zkCli.sh",
            "zkTool.sh",
            "zkBackup.sh",
            "zkDisk.sh",
            "zkAcceptorLog.sh",
            "zkCleanup.sh",
            "zkSnapShotToolkit.sh",
            "zkSnapshotComparer.sh",
            "zkSnapshotRecursiveSummaryToolkit.sh",
            "zkTxnLogToolkit.sh");

    record Result(int exitCode, String out, String err) {}

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    final Map<String, String> environment = new HashMap<>();

    /** What runs the scripts, if they are not run directly. */
    List<String> launcher = List.of();

    Path home;
    Path conf;
    Path data;
    Path pidFile;
    Path end;
    private Path ready;

    @Before
    public void layOutDistribution() throws IOException {
        home = folder.getRoot().toPath().resolve("home with a space");
        conf = folder.newFolder("conf").toPath();
        data = folder.newFolder("data").toPath();
        pidFile = data.resolve("zookeeper_server.pid");
        Files.createDirectories(home.resolve("bin"));
        Files.createDirectories(home.resolve("lib"));
        Files.createFile(home.resolve("lib/zookeeper-server-core-1.2.3.jar"));
        for (String script : SCRIPTS) {
            Path source = Path.of("../bin").resolve(script);
            Files.copy(source, home.resolve("bin").resolve(script));
            assertTrue(home.resolve("bin").resolve(script).toFile().setExecutable(true, false));
        }
        Path java = folder.newFolder("jdk", "bin").toPath().resolve("java");
        Files.writeString(java, STAND_IN_FOR_JAVA);
        assertTrue(java.toFile().setExecutable(true, false));
        Files.writeString(conf.resolve("zoo.cfg"), "tickTime=2000\n  dataDir = " + data + "\nclientPort=1\n");
        environment.put("JAVA_HOME", folder.getRoot() + "/jdk");
        end = folder.getRoot().toPath().resolve("end");
        ready = folder.getRoot().toPath().resolve("ready");
        environment.put("STAND_IN_READY", ready.toString());
        environment.put("STAND_IN_END", end.toString());
        // nobody answers on the port, so that start looks at the process alone
        environment.put("ZOO_START_TIMEOUT", "0");
    }

    @After
    public void stopServer() throws Exception {
        if (Files.exists(pidFile)) {
            run("stop");
        }
    }

    Result run(String... arguments) throws Exception {
        return runScript("zkServer.sh", arguments);
    }

    Result runScript(String script, String... arguments) throws Exception {
        Path out = folder.newFile().toPath();
        Path err = folder.newFile().toPath();
        Process process = start(out, err, script, arguments);
        assertTrue(script + " hangs", process.waitFor(60, TimeUnit.SECONDS));
        return new Result(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    Process start(String script, String... arguments) throws IOException {
        return start(folder.newFile().toPath(), folder.newFile().toPath(), script, arguments);
    }

    private Process start(Path out, Path err, String script, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(launcher);
        command.addAll(List.of(home.resolve("bin").resolve(script).toString(), "--config", conf.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().keySet().removeIf(name -> name.matches("(ZOO|ZK_|JMX|.*JVMFLAGS|CLASSPATH|JAVA_HOME).*"));
        builder.environment().putAll(environment);
        return builder.start();
    }

    /** Until then what was started last may still bear the command line of the script. */
    void awaitReady() throws Exception {
        long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!Files.exists(ready)) {
            assertTrue("the stand-in for java does not start", System.nanoTime() < deadlineNanos);
            TimeUnit.MILLISECONDS.sleep(10);
        }
        Files.delete(ready);
    }

    static void assertEnd(Result result, int exitCode, String out) {
        assertEquals(result.toString(), exitCode, result.exitCode());
        assertEquals(result.toString(), out, result.out());
    }

    Result initialize(String... arguments) throws Exception {
        return runScript("zkServer-initialize.sh", arguments);
    }
}
