package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** zkEnsemble.sh beside a server that is none of its own. */
public class EnsembleScriptTest extends DistributionScripts {
    private Path ensemble;
    private Path samplePidFile;

    @Before
    public void writeSample() throws IOException {
        ensemble = folder.newFolder("ensemble").toPath();
        Path sample = ensemble.resolve("server-1");
        Files.createDirectories(sample.resolve("data"));
        Files.createDirectory(sample.resolve("logs"));
        Files.writeString(ensemble.resolve("ensemble.settings"), "servers=1\nbasePort=1\nprotocol=chain\n");
        Files.writeString(sample.resolve("zoo.cfg"), "dataDir=" + sample.resolve("data") + "\nclientPort=1\n");
        samplePidFile = sample.resolve("data/zookeeper_server.pid");
    }

    @After
    public void stopSample() throws Exception {
        if (Files.exists(samplePidFile)) {
            ensemble("stop");
        }
    }

    private Result ensemble(String... command) throws Exception {
        String[] arguments = Arrays.copyOf(command, command.length + 2);
        arguments[command.length] = "--dir";
        arguments[command.length + 1] = ensemble.toString();
        return runScript("zkEnsemble.sh", arguments);
    }

    private static ProcessHandle processOf(Path file) throws IOException {
        return ProcessHandle.of(Long.parseLong(Files.readString(file).trim())).orElseThrow();
    }

    @Test
    public void settingsOfTheInstalledServer_areNotThoseOfTheSample() throws Exception {
        pidFile = folder.getRoot().toPath().resolve("installed.pid");
        Files.writeString(
                conf.resolve("zookeeper-env.sh"),
                String.join(
                        "\n",
                        "export ZOOPIDFILE='" + pidFile + "' ZOO_LOG_FILE=installed.log ZOO_LOG_FORMAT=json",
                        "export ZOOCFG=zoo.cfg ZOOCFGDIR='" + conf + "' ZOO_DATADIR_AUTOCREATE_DISABLE=1",
                        "export JVMFLAGS=-Dinstalled=1 SERVER_JVMFLAGS=-Dinstalled=2 JMXPORT=9999",
                        ""));
        Files.createDirectories(data.resolve("version-2"));
        assertEnd(run("start"), 0, "Starting zookeeper ... STARTED\n");
        awaitReady();
        ProcessHandle installed = processOf(pidFile);

        assertEnd(
                ensemble("restart", "1"),
                0,
                "Stopping zookeeper ... no zookeeper to stop (could not find file " + samplePidFile + ")\n"
                        + "Starting zookeeper ... STARTED\n");
        awaitReady();
        List<String> command =
                List.of(processOf(samplePidFile).info().arguments().orElseThrow());
        assertEquals(command.toString(), ensemble + "/server-1/zoo.cfg", command.get(command.size() - 1));
        assertFalse(command.toString(), command.toString().contains("installed"));
        assertFalse(command.toString(), command.toString().contains("9999"));
        assertEnd(ensemble("stop"), 0, "Server 1: Stopping zookeeper ... STOPPED\n");
        assertEquals(1, ensemble("kill", "1").exitCode());
        assertTrue(installed.isAlive());
        assertEquals(installed, processOf(pidFile));
    }

    /** The number in the sample's file is now that of a server which is none of the sample. */
    @Test
    public void processOfAnotherServer_isNeitherShownNorKilled() throws Exception {
        assertEnd(run("start"), 0, "Starting zookeeper ... STARTED\n");
        awaitReady();
        Files.copy(pidFile, samplePidFile);
        Result status = ensemble("status");
        assertTrue(status.out(), status.out().contains("not running"));
        assertEquals(1, ensemble("kill", "1").exitCode());
        assertEquals(0, ensemble("stop").exitCode());
        assertTrue(processOf(pidFile).isAlive());
    }

    @Test
    public void idWithAZeroInFront_isThatServer() throws Exception {
        assertEquals(0, ensemble("restart", "01").exitCode());
        awaitReady();
        ProcessHandle server = processOf(samplePidFile);
        assertEquals(0, ensemble("kill", "01").exitCode());
        server.onExit().get(60, TimeUnit.SECONDS);
        assertFalse(Files.exists(samplePidFile));
    }

    @Test
    public void javaOfTheInstallation_isThatOfTheSample() throws Exception {
        Files.writeString(conf.resolve("java.env"), "JAVA_HOME=" + environment.remove("JAVA_HOME") + "\n");
        environment.put("PATH", "/usr/bin:/bin");
        assertEquals(0, ensemble("restart", "1").exitCode());
        awaitReady();
        List<String> command =
                List.of(processOf(samplePidFile).info().arguments().orElseThrow());
        assertTrue(command.toString(), command.get(0).startsWith(folder.getRoot() + "/jdk/bin/java"));
    }
}
