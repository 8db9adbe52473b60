package io.chainkeeper.main;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.Assume;
import org.junit.Test;

/** zkServer.sh as a user of a distribution sees it. */
public class ServerScriptTest extends DistributionScripts {
    @Test
    public void startStartStopStop_messagesAndCodesOfZooKeeper() throws Exception {
        Result first = run("start");
        assertEnd(first, 0, "Starting zookeeper ... STARTED\n");
        assertTrue(
                first.err(),
                first.err().contains("ZooKeeper JMX enabled by default\nUsing config: " + conf + "/zoo.cfg"));
        String pid = Files.readString(pidFile).trim();
        assertTrue(ProcessHandle.of(Long.parseLong(pid)).orElseThrow().isAlive());
        awaitReady();
        assertEnd(run("start"), 1, "Starting zookeeper ... already running as process " + pid + ".\n");
        assertEnd(run("stop"), 0, "Stopping zookeeper ... STOPPED\n");
        assertFalse(Files.exists(pidFile));
        assertTrue(Files.exists(end));
        assertEnd(
                run("stop"), 0, "Stopping zookeeper ... no zookeeper to stop (could not find file " + pidFile + ")\n");
    }

    /** Nobody answers at the client port of these tests. */
    @Test
    public void serverSaysThatItHasStarted_startReturnsAndLeavesNoReportBehind() throws Exception {
        environment.put("STAND_IN_REPORT", "started");
        environment.put("ZOO_START_TIMEOUT", "600");
        assertEnd(run("start"), 0, "Starting zookeeper ... STARTED\n");
        try (Stream<Path> files = Files.list(home.resolve("logs"))) {
            assertEquals(
                    List.of(),
                    files.filter(file -> file.toString().endsWith(".start")).toList());
        }
    }

    @Test
    public void serverEndsAtOnce_failedToStartAndItsOwnLine() throws Exception {
        environment.put("STAND_IN_MISTAKE", "zoo.cfg:3: clientPort=1: taken");
        environment.put("ZOO_START_TIMEOUT", "60");
        Result result = run("start");
        assertEnd(result, 1, "Starting zookeeper ... FAILED TO START\n");
        assertTrue(result.err(), result.err().endsWith("zoo.cfg:3: clientPort=1: taken\n"));
        assertEquals(0, data.toFile().list().length);
    }

    @Test
    public void serverEndsAtOnceInForeground_itsExitCode() throws Exception {
        environment.put("STAND_IN_MISTAKE", "wrong");
        assertEquals(2, run("start-foreground").exitCode());
        environment.put("ZOO_NOEXEC", "true");
        assertEquals(2, run("start-foreground").exitCode());
    }

    /** As the shell prints it in a command. */
    private static String escaped(Path path) {
        return path.toString().replace(" ", "\\ ");
    }

    @Test
    public void restartWithoutJars_leavesTheServerAlone() throws Exception {
        assertEquals(0, run("start").exitCode());
        Files.delete(home.resolve("lib/zookeeper-server-core-1.2.3.jar"));
        assertEquals(1, run("restart").exitCode());
        String pid = Files.readString(pidFile).trim();
        assertTrue(ProcessHandle.of(Long.parseLong(pid)).orElseThrow().isAlive());
    }

    @Test
    public void restart_anotherProcess() throws Exception {
        assertEquals(0, run("start").exitCode());
        String before = Files.readString(pidFile);
        assertEnd(run("restart"), 0, "Stopping zookeeper ... STOPPED\nStarting zookeeper ... STARTED\n");
        assertFalse(before.equals(Files.readString(pidFile)));
    }

    @Test
    public void pidFileNamesAStranger_isNotTakenForTheServer() throws Exception {
        Files.writeString(pidFile, ProcessHandle.current().pid() + "\n");
        assertEnd(run("start"), 0, "Starting zookeeper ... STARTED\n");
        assertFalse(Files.readString(pidFile)
                .trim()
                .equals("" + ProcessHandle.current().pid()));
    }

    @Test
    public void status_modeOrError() throws Exception {
        environment.put("STAND_IN_ANSWER", "Mode: follower");
        assertEnd(
                run("status"),
                0,
                "Client port found: 1. Client address: localhost. Client SSL: false.\nMode: follower\n");
        environment.put("STAND_IN_ANSWER", "");
        assertEnd(
                run("status"),
                1,
                "Client port found: 1. Client address: localhost. Client SSL: false.\n"
                        + "Error contacting service. It is probably not running.\n");
    }

    @Test
    public void statusWhereOnlyTlsIsSpoken_saysWhatIsSeen() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            String port = Integer.toString(socket.getLocalPort());
            String note = "Client port found: " + port + ". Client address: 127.0.0.1. Client SSL: true.\n"
                    + "Note: only secureClientPort was found; the question needs the client's TLS settings in"
                    + " CLIENT_JVMFLAGS.\nError contacting service. ";
            Files.writeString(
                    conf.resolve("zoo.cfg"),
                    "dataDir=" + data + "\nsecureClientPort=" + port + "\nsecureClientPortAddress=127.0.0.1\n");
            assertEnd(run("status"), 1, note + "Its mode is not known: port " + port + " takes connections.\n");
            assertEquals(0, run("start").exitCode());
            awaitReady();
            String runs = note + "Its mode is not known: process "
                    + Files.readString(pidFile).trim() + " runs, ";
            assertEnd(run("status"), 1, runs + "and port " + port + " takes connections.\n");
            socket.close();
            assertEnd(run("status"), 1, runs + "but port " + port + " takes no connections.\n");
            assertEquals(0, run("stop").exitCode());
            assertEnd(run("status"), 1, note + "It is probably not running.\n");
        }
    }

    /** What root makes in them, the server's user cannot write. */
    @Test
    public void commandsThatOnlyAsk_makeNothing() throws Exception {
        Path run = folder.getRoot().toPath().resolve("run");
        List<Path> before = allFiles();
        for (String pid : List.of("", run + "/zookeeper/server.pid")) {
            environment.put("ZOOPIDFILE", pid);
            for (String command : List.of("status", "stop", "print-cmd")) {
                run(command);
                assertEquals(command, before, allFiles());
            }
        }
    }

    private List<Path> allFiles() throws IOException {
        try (Stream<Path> files = Files.walk(folder.getRoot().toPath())) {
            // those of the test itself
            return files.filter(file -> !file.getFileName().toString().matches("junit\\d+.*|ready"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    public void clientAddressInServerLine_statusFindsIt() throws Exception {
        Files.writeString(data.resolve("myid"), "2\n");
        Files.writeString(conf.resolve("zoo.cfg"), "dataDir=" + data + "\nserver.2=h:1:2:participant;127.0.0.1:4711\n");
        Result result = run("status");
        assertTrue(result.out(), result.out().startsWith("Client port found: 4711. Client address: 127.0.0.1."));
    }

    @Test
    public void printCmd_flagsInOrder() throws Exception {
        environment.putAll(Map.of(
                "ZK_SERVER_HEAP", "256",
                "SERVER_JVMFLAGS", "-Dserver=1",
                "JVMFLAGS", "-Dboth=1",
                "CLASSPATH", "/mine",
                "JMXDISABLE", "true",
                "ZOO_LOG_DIR", "/logs",
                "ZOO_LOG_FILE", "the.log",
                "ZOO_DATADIR_AUTOCREATE_DISABLE", "1"));
        Result result = run("print-cmd", "other.cfg");
        String command = result.out();
        assertTrue(result.err(), result.err().contains("JMX disabled by user request"));
        int at = -1;
        for (String part : List.of(
                "/jdk/bin/java",
                "/lib/zookeeper-server-core-1.2.3.jar:" + conf + ":",
                ":/mine",
                "-Dzookeeper.datadir.autocreate=false",
                "-Dzookeeper.log.dir=/logs",
                "-Dzookeeper.log.file=the.log",
                "-XX:+HeapDumpOnOutOfMemoryError",
                "-XX:HeapDumpPath=/logs",
                "-XX:+ExitOnOutOfMemoryError",
                "--add-opens=java.base/java.nio=ALL-UNNAMED",
                "-Dfile.encoding=UTF-8",
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-Dserver=1",
                "-Dboth=1",
                "io.chainkeeper.main.ChainkeeperMain",
                conf + "/other.cfg")) {
            int next = command.indexOf(part);
            assertTrue(part + " after byte " + at + " of " + command, next > at);
            at = next;
        }
    }

    @Test
    public void javaThatIsGone_keepsNobodyFromStopping() throws Exception {
        assertEquals(0, run("start").exitCode());
        awaitReady();
        environment.put("JAVA_HOME", "/nowhere");
        assertEnd(
                run("status"),
                1,
                "Client port found: 1. Client address: localhost. Client SSL: false.\n"
                        + "Error contacting service. It is probably not running.\n");
        Result restart = run("restart");
        assertEquals(restart.toString(), 1, restart.exitCode());
        assertTrue(restart.err(), restart.err().contains("JAVA_HOME=/nowhere holds no bin/java: java not found;"));
        assertFalse(Files.exists(end));
        assertEnd(run("stop"), 0, "Stopping zookeeper ... STOPPED\n");
        assertTrue(Files.exists(end));
    }

    @Test
    public void fileInTheCommandLine_isBeforeVariables() throws Exception {
        environment.put("ZOOCFG", "environment.cfg");
        Files.writeString(conf.resolve("zookeeper-env.sh"), "ZOOCFG=installed.cfg\n");
        assertTrue(run("print-cmd").out().trim().endsWith(conf + "/installed.cfg"));
        assertTrue(run("print-cmd", "given.cfg").out().trim().endsWith(conf + "/given.cfg"));
        Result drain = run("drain", "--seconds", "1", "given.cfg");
        assertTrue(drain.err(), drain.err().startsWith("Using config: " + conf + "/given.cfg\n"));
    }

    @Test
    public void largeHeap_liesInHugePagesWhereTheKernelHasThem() throws Exception {
        Path setting = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");
        boolean available =
                Files.isReadable(setting) && !Files.readString(setting).contains("[never]");
        environment.put("ZK_SERVER_HEAP", "3000");
        String large = run("print-cmd").out();
        assertEquals(large, available, large.contains("-XX:+UseTransparentHugePages"));
        assertFalse(large, large.contains("-XX:+UseSerialGC"));
        environment.put("ZK_SERVER_HEAP", "512");
        String small = run("print-cmd").out();
        assertFalse(small, small.contains("-XX:+UseTransparentHugePages"));
        assertTrue(small, small.contains("-XX:+UseSerialGC"));
    }

    @Test
    public void classArchive_isUsedIfItIsThere() throws Exception {
        Path installed = folder.newFolder("installed with a space").toPath();
        Path lib = Files.createDirectory(installed.resolve("lib"));
        Files.copy(home.resolve("lib/zookeeper-server-core-1.2.3.jar"), lib.resolve("zookeeper-server-core-1.2.3.jar"));
        environment.put("ZOOLIBDIR", lib.toString());
        assertFalse(run("print-cmd").out().contains("SharedArchiveFile"));
        Files.createFile(installed.resolve("classes.jsa"));
        String command = run("print-cmd").out();
        assertTrue(command, command.contains("-XX:SharedArchiveFile=" + escaped(installed) + "/classes.jsa"));
    }

    /** What any user may write must not be run by another one. */
    @Test
    public void classArchive_ofAnotherUserThanTheJarsIsNotUsed() throws Exception {
        Assume.assumeTrue("only root makes files of others", "root".equals(System.getProperty("user.name")));
        Path archive = Files.createFile(home.resolve("classes.jsa"));
        assertTrue(run("print-cmd").out().contains("SharedArchiveFile"));
        Files.setAttribute(archive, "unix:uid", 65534);
        assertFalse(run("print-cmd").out().contains("SharedArchiveFile"));
        Files.setAttribute(home.resolve("lib"), "unix:uid", 65534);
        assertTrue(run("print-cmd").out().contains("SharedArchiveFile"));
    }

    /** In the Debian package the server's user may put files beside those that root's commands read. */
    @Test
    public void fileOfAnotherUserInTheConfiguration_isNotRun() throws Exception {
        Assume.assumeTrue("only root makes files of others", "root".equals(System.getProperty("user.name")));
        Files.setAttribute(conf, "unix:gid", 65534);
        Files.setAttribute(conf, "unix:mode", 01775);
        Path logback = Files.writeString(conf.resolve("logback.xml"), "<configuration/>");
        for (String name : List.of("java.env", "zookeeper-env.sh")) {
            Path settings = Files.writeString(conf.resolve(name), "SERVER_JVMFLAGS=-Dof=root\n");
            Result command = run("print-cmd");
            assertTrue(command.toString(), command.out().contains("-Dof=root"));
            // nor are classes that somebody puts there
            assertFalse(command.toString(), command.out().contains(":" + conf));
            assertTrue(command.toString(), command.out().contains("-Dlogback.configurationFile=" + logback));
            Files.writeString(settings, "touch '" + folder.getRoot() + "/ran'\n");
            Files.setAttribute(settings, "unix:uid", 65534);
            assertRefused(settings);
            Files.delete(settings);
        }
        Files.setAttribute(logback, "unix:uid", 65534);
        assertRefused(logback);
    }

    private void assertRefused(Path file) throws Exception {
        Result refused = run("print-cmd");
        assertEquals(refused.toString(), 1, refused.exitCode());
        assertTrue(refused.toString(), refused.err().contains("Error: " + file + " is a file of user 65534"));
        assertFalse(Files.exists(folder.getRoot().toPath().resolve("ran")));
    }

    @Test
    public void withoutHeap_aShareOfTheMemoryIsTaken() throws Exception {
        environment.put("ZK_SERVER_HEAP_PERCENT", "40");
        String command = run("print-cmd").out();
        var heap = Pattern.compile(" -Xmx(\\d+)m ").matcher(command);
        assertTrue(command, heap.find());
        environment.put("ZK_SERVER_HEAP_PERCENT", "20");
        var half = Pattern.compile(" -Xmx(\\d+)m ").matcher(run("print-cmd").out());
        assertTrue(half.find());
        assertEquals(Integer.parseInt(heap.group(1)) / 2, Integer.parseInt(half.group(1)), 1);
        environment.put("ZK_SERVER_HEAP_PERCENT", "0");
        Result refused = run("print-cmd");
        assertEquals(refused.toString(), 1, refused.exitCode());
        assertTrue(refused.err(), refused.err().contains("ZK_SERVER_HEAP_PERCENT=0: give a number from 1 to 99"));
    }

    private String memory(Path proc, Path groups) throws Exception {
        Path script = home.resolve("bin/memory.sh");
        Files.writeString(
                script,
                "#!/usr/bin/env bash\n. \"$(dirname \"$0\")/zkEnv.sh\"\nmemory_megabytes '" + proc + "' '" + groups
                        + "'\n");
        assertTrue(script.toFile().setExecutable(true));
        return runScript("memory.sh").out();
    }

    @Test
    public void memory_isTheLeastThatMachineAndControlGroupsAllow() throws Exception {
        Path proc = folder.newFolder("proc").toPath();
        Path groups = folder.newFolder("groups").toPath();
        assertEquals("", memory(proc, groups));
        Files.writeString(proc.resolve("meminfo"), "MemTotal:       16777216 kB\nMemFree: 1 kB\n");
        assertEquals("16384\n", memory(proc, groups));

        // version 2: a group without a limit in one with a limit
        Files.createDirectory(proc.resolve("self"));
        Files.writeString(proc.resolve("self/cgroup"), "0::/a.slice/b.service\n");
        Files.createDirectories(groups.resolve("a.slice/b.service"));
        Files.writeString(groups.resolve("a.slice/b.service/memory.max"), "max\n");
        assertEquals("16384\n", memory(proc, groups));
        Files.writeString(groups.resolve("a.slice/memory.max"), "2147483648\n");
        assertEquals("2048\n", memory(proc, groups));
        // a container that sees its own group as the root
        Files.writeString(groups.resolve("memory.max"), "1073741824\n");
        assertEquals("1024\n", memory(proc, groups));

        // version 1: unlimited is a large number; a container's path may be the host's
        Files.writeString(proc.resolve("self/cgroup"), "5:cpu:/x\n4:memory:/pod/container\n0::/\n");
        Files.delete(groups.resolve("memory.max"));
        Files.createDirectory(groups.resolve("memory"));
        Files.writeString(groups.resolve("memory/memory.limit_in_bytes"), "9223372036854771712\n");
        assertEquals("16384\n", memory(proc, groups));
        Files.writeString(groups.resolve("memory/memory.limit_in_bytes"), "536870912\n");
        assertEquals("512\n", memory(proc, groups));
    }

    @Test
    public void jmxAgent_isLeftToWhoeverAttachesUnlessItIsAskedFor() throws Exception {
        Result result = run("print-cmd");
        assertTrue(result.err(), result.err().contains("ZooKeeper JMX enabled by default"));
        assertFalse(result.out(), result.out().contains("jmxremote"));
        environment.put("JMXLOCALONLY", "true");
        String asked = run("print-cmd").out();
        assertTrue(asked, asked.contains("-Dcom.sun.management.jmxremote.local.only=true"));
    }

    @Test
    public void jmxPort_isSaidAndSet() throws Exception {
        environment.putAll(Map.of("JMXPORT", "9999", "JMXHOSTNAME", "example", "JMXSSL", "true"));
        Result result = run("print-cmd");
        assertTrue(
                result.err(),
                result.err()
                        .contains(String.join(
                                "\n",
                                "ZooKeeper remote JMX Port set to 9999",
                                "ZooKeeper remote JMX authenticate set to false",
                                "ZooKeeper remote JMX ssl set to true",
                                "ZooKeeper remote JMX log4j set to true",
                                "ZooKeeper remote JMX Hostname set to example")));
        assertTrue(result.out(), result.out().contains("-Dcom.sun.management.jmxremote.port=9999"));
        assertTrue(result.out(), result.out().contains("-Djava.rmi.server.hostname=example"));
    }

    @Test
    public void directoriesMayNotBeCreated_missingOnesAreNamed() throws Exception {
        environment.put("ZOO_DATADIR_AUTOCREATE_DISABLE", "1");
        assertEnd(
                run("start"),
                1,
                "ZooKeeper data directory is missing at " + data + " fix the path or run initialize\n");
        Files.createDirectories(data.resolve("version-2"));
        Files.writeString(conf.resolve("zoo.cfg"), "dataDir=" + data + "\ndataLogDir=/nowhere\nclientPort=1\n");
        assertEnd(
                run("start"), 1, "ZooKeeper txnlog directory is missing at /nowhere fix the path or run initialize\n");
    }

    @Test
    public void javaTooOld_saysWhatToInstall() throws Exception {
        environment.put("STAND_IN_VERSION", "1.8.0_402");
        Result result = run("start");
        assertEquals(1, result.exitCode());
        assertTrue(result.err(), result.err().contains("is Java 8; install a JDK 17"));
    }

    @Test
    public void noJars_saysHowToBuild() throws Exception {
        Files.delete(home.resolve("lib/zookeeper-server-core-1.2.3.jar"));
        Result result = run("start");
        assertEquals(1, result.exitCode());
        assertTrue(result.err(), result.err().contains("no jars in " + home + "/lib; unpack the distribution again"));
        Files.createFile(home.resolve("pom.xml"));
        String hint = "build them with: mvn -q -f " + escaped(home) + " -DskipTests package\n";
        for (String command : List.of("start", "print-cmd", "status", "version")) {
            Result inSourceTree = run(command);
            assertEquals(command, 1, inSourceTree.exitCode());
            assertTrue(inSourceTree.err(), inSourceTree.err().endsWith(hint));
        }
    }

    @Test
    public void logDirectoryIsAFile_saysWhatToChange() throws Exception {
        environment.put("ZOO_LOG_DIR", conf.resolve("zoo.cfg").toString());
        Result result = run("start");
        assertEnd(result, 1, "Starting zookeeper ... FAILED TO START\n");
        assertTrue(result.err(), result.err().contains("set another ZOO_LOG_DIR"));
    }

    @Test
    public void unknownCommand_usage() throws Exception {
        Result result = run("begin");
        assertEnd(result, 0, "");
        String usage = "Usage: " + home + "/bin/zkServer.sh [--config <conf-dir>] {start|start-foreground|stop|version";
        assertTrue(result.err(), result.err().startsWith(usage));
        assertEquals(1, run("--unknown-option", "start").exitCode());
    }

    @Test
    public void pidFileInADirectoryThatIsNotThere_isMade() throws Exception {
        pidFile = folder.getRoot().toPath().resolve("run/zookeeper/server.pid");
        environment.put("ZOOPIDFILE", pidFile.toString());
        assertEnd(run("start"), 0, "Starting zookeeper ... STARTED\n");
        assertTrue(Files.exists(pidFile));
    }

    @Test
    public void noRoomForTheProcessId_isSaidAndNoEmptyFileIsLeft() throws Exception {
        // the kernel lets these processes write nothing into files
        String limited = "(trap '' XFSZ; ulimit -f 0; exec \"$@\") 2>&1 | cat; exit ${PIPESTATUS[0]}";
        launcher = List.of("bash", "-c", limited, "bash");
        Result result = run("start");
        Matcher process = Pattern.compile("runs as process (\\d+)\n").matcher(result.out());
        assertTrue(result.toString(), process.find());
        ProcessHandle.of(Long.parseLong(process.group(1))).orElseThrow().destroyForcibly();
        assertEquals(result.toString(), 1, result.exitCode());
        assertTrue(result.toString(), result.out().contains("FAILED TO WRITE PID\n"));
        assertFalse(Files.exists(pidFile));
    }

    @Test
    public void commandsBelowAnotherPath_areAskedThereForTraces() throws Exception {
        Files.write(
                conf.resolve("traced.cfg"),
                List.of("admin.serverPort=8081", "admin.commandURL=/keeper", "server.1=a:1:2", "server.2=[::1]:1:2"));
        Result result = run("trace", "--limit", "5", "traced.cfg");
        String arguments = " a:8081/keeper,[::1]:8081/keeper --limit 5\n";
        assertTrue(result.out(), result.out().endsWith("io.chainkeeper.main.TraceCommand" + arguments));
    }
}
