package io.chainkeeper.clienttests.install;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.clienttests.harness.Scripts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.zookeeper.server.auth.DigestAuthenticationProvider;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** What a pod's script makes of the chart's variables, with a script in the place of the server's. */
public class PodScriptTest {
    private static final String PASSWORD = "of the super user";

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final Map<String, String> variables = new TreeMap<>();
    private Path conf;

    @Before
    public void layOut() throws IOException {
        conf = folder.newFolder("conf").toPath();
        Path script = folder.newFolder("bin").toPath().resolve("zkServer.sh");
        Files.writeString(script, "#!/bin/sh\necho started\n");
        assertTrue(script.toFile().setExecutable(true));
        variables.put("PATH", script.getParent() + ":" + System.getenv("PATH"));
        variables.put("ZOO_CONF_DIR", conf.toString());
        variables.put("ZOO_DATA_DIR", folder.getRoot() + "/data");
        variables.put("ZOO_DATA_LOG_DIR", folder.getRoot() + "/data/log");
        variables.put("ZOO_CFG_EXTRA", "ordering.protocol=iss");
        variables.put("POD_NAME", "my-keeper-1");
        variables.put("POD_DOMAIN", "headless.test.svc");
        variables.put("POD_FOUNDERS", "2");
        variables.put("POD_CLIENTS", "my-keeper-0.headless.test.svc:2181");
        Path password = folder.getRoot().toPath().resolve("password");
        Files.writeString(password, PASSWORD + "\n");
        variables.put("POD_SUPER_FILE", password.toString());
    }

    private Scripts.Result run(String command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                        "bash", Scripts.home().resolve("container/pod.sh").toString(), command)
                .directory(folder.getRoot());
        builder.environment().clear();
        builder.environment().putAll(variables);
        return Scripts.run(60, builder);
    }

    private List<String> started() throws Exception {
        Scripts.Result result = run("start");
        assertEquals(result.toString(), 0, result.exitCode());
        assertEquals("started\n", result.output());
        return Files.readAllLines(conf.resolve("zoo.cfg"));
    }

    private static List<String> servers(List<String> lines) {
        return lines.stream().filter(line -> line.startsWith("server.")).toList();
    }

    @Test
    public void founder_listsTheFounders() throws Exception {
        List<String> lines = started();
        assertEquals(
                List.of(
                        "server.1=my-keeper-0.headless.test.svc:2888:3888:participant;0.0.0.0:2181",
                        "server.2=my-keeper-1.headless.test.svc:2888:3888:participant;0.0.0.0:2181"),
                servers(lines));
        assertTrue(lines.toString(), lines.contains("reconfigEnabled=true"));
        assertTrue(lines.toString(), lines.contains("ordering.protocol=iss"));
        String digest = DigestAuthenticationProvider.generateDigest("super:" + PASSWORD);
        assertTrue(lines.toString(), lines.contains("DigestAuthenticationProvider.superDigest=" + digest));
        assertEquals("2\n", Files.readString(folder.getRoot().toPath().resolve("data/myid")));
    }

    /** However many of them are blank: they are no majority of what they know. */
    @Test
    public void laterPod_listsTheFoundersAndItself() throws Exception {
        variables.put("POD_NAME", "my-keeper-7");
        assertEquals(
                List.of("server.1", "server.2", "server.8"),
                servers(started()).stream()
                        .map(line -> line.substring(0, line.indexOf('=')))
                        .toList());
    }

    @Test
    public void founder_isNotAddedByItsHook() throws Exception {
        Scripts.Result result = run("join");
        assertEquals(result.toString(), 0, result.exitCode());
        assertFalse(Files.exists(conf.resolve("join.pid")));
    }

    @Test
    public void whatIsWrong_isSaidInOneLineAndNothingIsWritten() throws Exception {
        assertRefused("POD_NAME=keeper: give the name of a pod", "POD_NAME", "keeper");
        assertRefused("ids end at 255", "POD_NAME", "keeper-255");
        assertRefused("POD_FOUNDERS=0: give a number", "POD_FOUNDERS", "0");
        assertRefused("POD_DOMAIN is not set", "POD_DOMAIN", "");
        assertRefused("holds no password", "POD_SUPER_FILE", "/dev/null");
        assertRefused("give one of them", "ZOO_CFG_EXTRA", "tickTime=1", "ZOO_TICK_TIME", "2");
        Scripts.Result result = run("stay");
        assertEquals(result.toString(), 1, result.exitCode());
        assertTrue(result.toString(), result.errors().contains("give start, join or leave"));
    }

    private void assertRefused(String message, String... pairs) throws Exception {
        Map<String, String> before = new TreeMap<>(variables);
        for (int i = 0; i < pairs.length; i += 2) {
            variables.put(pairs[i], pairs[i + 1]);
        }
        Scripts.Result result = run("start");
        assertEquals(result.toString(), 1, result.exitCode());
        assertEquals(result.toString(), 1, result.errors().lines().count());
        assertTrue(
                result.toString(),
                result.errors().startsWith("Error: ") && result.errors().contains(message));
        assertFalse(Files.exists(conf.resolve("zoo.cfg")));
        variables.clear();
        variables.putAll(before);
    }
}
