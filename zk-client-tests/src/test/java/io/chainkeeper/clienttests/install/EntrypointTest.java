package io.chainkeeper.clienttests.install;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Scripts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.Assume;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What the image's entrypoint makes of its variables, with a script in the place of the server's. */
public class EntrypointTest {
    private static final String THREE =
            "server.1=zoo1:2888:3888;2181 server.2=zoo2:2888:3888;2181 server.3=zoo3:2888:3888;2181";

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final Map<String, String> variables = new TreeMap<>();
    private Path conf;
    private Path data;

    @Before
    public void layOut() throws IOException {
        conf = folder.newFolder("conf").toPath();
        data = folder.newFolder("data").toPath();
        Path bin = folder.newFolder("bin").toPath();
        Path script = bin.resolve("zkServer.sh");
        Files.writeString(script, "#!/bin/sh\necho \"started $1 with $ZOOCFGDIR\"\n");
        assertTrue(script.toFile().setExecutable(true));
        variables.put("PATH", bin + ":" + System.getenv("PATH"));
        variables.put("ZOO_CONF_DIR", conf.toString());
        variables.put("ZOO_DATA_DIR", data.toString());
        variables.put("ZOO_DATA_LOG_DIR", data + "/log");
    }

    private Scripts.Result run() throws Exception {
        return run("zkServer.sh", "start-foreground");
    }

    private Scripts.Result run(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                "bash", Scripts.home().resolve("container/entrypoint.sh").toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.getRoot());
        builder.environment().clear();
        builder.environment().putAll(variables);
        return Scripts.run(60, builder);
    }

    private List<String> started() throws Exception {
        Scripts.Result result = run();
        assertEquals(result.toString(), 0, result.exitCode());
        assertEquals("started start-foreground with " + conf + "\n", result.output());
        return Files.readAllLines(conf.resolve("zoo.cfg"));
    }

    /** Sets the variables, expects a refusal, and takes them away again. */
    private void assertRefused(String message, String... pairs) throws Exception {
        Map<String, String> before = Map.copyOf(variables);
        for (int i = 0; i < pairs.length; i += 2) {
            variables.put(pairs[i], pairs[i + 1]);
        }
        boolean configured = Files.exists(conf.resolve("zoo.cfg"));
        Scripts.Result result = run();
        assertEquals(result.toString(), 1, result.exitCode());
        assertEquals(result.toString(), "", result.output());
        assertEquals(result.toString(), 1, result.errors().lines().count());
        assertTrue(
                result.toString(),
                result.errors().startsWith("Error: ") && result.errors().contains(message));
        assertEquals("a file was written", configured, Files.exists(conf.resolve("zoo.cfg")));
        variables.clear();
        variables.putAll(before);
    }

    @Test
    public void noVariables_anEnsembleOfOne() throws Exception {
        assertEquals(
                List.of(
                        "dataDir=" + data,
                        "dataLogDir=" + data + "/log",
                        "tickTime=2000",
                        "initLimit=5",
                        "syncLimit=2",
                        "autopurge.snapRetainCount=3",
                        "autopurge.purgeInterval=0",
                        "maxClientCnxns=60",
                        "standaloneEnabled=false",
                        "admin.enableServer=true",
                        "server.1=localhost:2888:3888;2181"),
                started().subList(1, 12));
        assertEquals("1\n", Files.readString(data.resolve("myid")));
    }

    /** So runs a pod that names the entrypoint as its command: the image's own command is not used then. */
    @Test
    public void noCommand_theServer() throws Exception {
        Scripts.Result result = run(new String[0]);
        assertEquals(result.toString(), 0, result.exitCode());
        assertEquals("started start-foreground with " + conf + "\n", result.output());
        assertEquals("1\n", Files.readString(data.resolve("myid")));
    }

    @Test
    public void anotherCommand_isRunAsItIs() throws Exception {
        Scripts.Result result = run("echo", "hello");
        assertEquals(result.toString(), "hello\n", result.output());
        assertFalse(Files.exists(conf.resolve("zoo.cfg")));
    }

    @Test
    public void variablesOfTheOfficialImage_areTheKeys() throws Exception {
        variables.put("ZOO_MY_ID", "3");
        variables.put("ZOO_SERVERS", THREE);
        variables.put("ZOO_TICK_TIME", "1000");
        variables.put("ZOO_INIT_LIMIT", "10");
        variables.put("ZOO_SYNC_LIMIT", "4");
        variables.put("ZOO_MAX_CLIENT_CNXNS", "0");
        variables.put("ZOO_STANDALONE_ENABLED", "true");
        variables.put("ZOO_ADMINSERVER_ENABLED", "false");
        variables.put("ZOO_AUTOPURGE_PURGEINTERVAL", "1");
        variables.put("ZOO_AUTOPURGE_SNAPRETAINCOUNT", "5");
        variables.put("ZOO_4LW_COMMANDS_WHITELIST", "*");
        variables.put("ZOO_CFG_EXTRA", "ordering.protocol=iss metricsProvider.httpPort=7070");
        List<String> lines = started();
        for (String line : List.of(
                "tickTime=1000",
                "initLimit=10",
                "syncLimit=4",
                "maxClientCnxns=0",
                "standaloneEnabled=true",
                "admin.enableServer=false",
                "autopurge.purgeInterval=1",
                "autopurge.snapRetainCount=5",
                "4lw.commands.whitelist=*",
                "ordering.protocol=iss",
                "metricsProvider.httpPort=7070")) {
            assertTrue(line + " in " + lines, lines.contains(line));
        }
        assertTrue(lines.containsAll(List.of(THREE.split(" "))));
        assertEquals("3\n", Files.readString(data.resolve("myid")));
    }

    @Test
    public void extraKey_takesThePlaceOfADefault() throws Exception {
        variables.put("ZOO_CFG_EXTRA", "tickTime=500");
        assertEquals(
                List.of("tickTime=500"),
                started().stream().filter(line -> line.startsWith("tickTime")).toList());
    }

    @Test
    public void contradictions_areSaidInOneLineAndNothingIsWritten() throws Exception {
        assertRefused("ZOO_SERVERS is not set", "ZOO_MY_ID", "2");
        assertRefused("has no server.4", "ZOO_MY_ID", "4", "ZOO_SERVERS", THREE);
        assertRefused("from 1 to 255", "ZOO_MY_ID", "256", "ZOO_SERVERS", THREE);
        assertRefused("from 1 to 255", "ZOO_MY_ID", "one", "ZOO_SERVERS", THREE);
        assertRefused("names server.1 twice", "ZOO_SERVERS", "server.1=a:1:2;3 server.1=b:1:2;3");
        assertRefused("is not of the form", "ZOO_SERVERS", "zoo1:2888:3888");
        assertRefused("has no port for clients", "ZOO_SERVERS", "server.1=zoo1:2888:3888");
        assertRefused("ZOO_STANDALONE_ENABLED=yes: give true or false", "ZOO_STANDALONE_ENABLED", "yes");
        assertRefused("ZOO_TICK_TIME=2s: give a number", "ZOO_TICK_TIME", "2s");
        assertRefused("give one of them", "ZOO_TICK_TIME", "100", "ZOO_CFG_EXTRA", "tickTime=200");
        assertRefused(
                "give one of them",
                "ZOO_4LW_COMMANDS_WHITELIST",
                "ruok",
                "ZOO_CFG_EXTRA",
                "4lw.commands.whitelist=srvr");
        assertRefused("is not of the form key=value", "ZOO_CFG_EXTRA", "reads");
        assertRefused("give ZOO_DATA_DIR", "ZOO_CFG_EXTRA", "dataDir=/elsewhere");
        try (Stream<Path> files = Files.list(data)) {
            assertEquals(List.of(), files.toList());
        }
    }

    @Test
    public void directoryThatTheServerWouldMisread_isRefused() throws Exception {
        assertRefused("ZOO_DATA_DIR=/a\\b: give a path of plain ASCII", "ZOO_DATA_DIR", "/a\\b");
        Assume.assumeTrue("a locale without these letters", "UTF-8".equals(System.getProperty("sun.jnu.encoding")));
        assertRefused("ZOO_DATA_LOG_DIR=/größe: give a path of plain ASCII", "ZOO_DATA_LOG_DIR", "/größe");
    }

    @Test
    public void dataOfAnotherServer_areNotTaken() throws Exception {
        variables.put("ZOO_SERVERS", THREE);
        variables.put("ZOO_MY_ID", "2");
        started();
        // the container is made anew, the volume stays
        assertRefused("the data in " + data + " are those of server 2", "ZOO_MY_ID", "3");
        Files.delete(conf.resolve("zoo.cfg"));
        assertRefused("the data in " + data + " are those of server 2", "ZOO_MY_ID", "3");
        variables.remove("ZOO_MY_ID");
        started();
    }

    @Test
    public void mountedFile_makesVariablesUselessAndSaysSo() throws Exception {
        Files.writeString(conf.resolve("zoo.cfg"), "dataDir=" + data + "\n");
        variables.put("ZOO_TICK_TIME", "100");
        Scripts.Result result = run();
        assertEquals(result.toString(), 0, result.exitCode());
        assertTrue(result.toString(), result.errors().contains("have no effect: ZOO_TICK_TIME"));
        assertEquals("dataDir=" + data + "\n", Files.readString(conf.resolve("zoo.cfg")));
        assertTrue(Files.exists(data.resolve("myid")));
    }

    @Test
    public void filesThatALossOfPowerLeftEmpty_areWrittenAnew() throws Exception {
        variables.put("ZOO_SERVERS", THREE);
        variables.put("ZOO_MY_ID", "2");
        Files.createFile(data.resolve("myid"));
        Files.createFile(conf.resolve("zoo.cfg"));
        assertTrue(started().containsAll(List.of(THREE.split(" "))));
        assertEquals("2\n", Files.readString(data.resolve("myid")));
    }
}
