package io.chainkeeper.clienttests.operation;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.FreePorts;
import io.chainkeeper.clienttests.harness.AdminClient;
import io.chainkeeper.clienttests.harness.Await;
import io.chainkeeper.clienttests.harness.Scripts;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** README's "A server, a client": {@code conf/zoo_sample.cfg} as a newcomer starts it, with other ports. */
public class SampleConfigurationTest {
    private static final long LIMIT_SECONDS = 60;
    private static final Duration SERVING_LIMIT = Duration.ofSeconds(60);

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private Path directory;
    private String client;
    private URI ready;

    @Before
    public void copySample() throws IOException {
        directory = folder.newFolder("a newcomer's directory").toPath();
        int clientPort = FreePorts.next();
        int adminPort = FreePorts.next();
        client = "127.0.0.1:" + clientPort;
        ready = URI.create("http://127.0.0.1:" + adminPort + "/ready");
        String sample = Files.readString(Scripts.home().resolve("conf/zoo_sample.cfg"));
        sample = with(sample, "clientPort=2181", "clientPort=" + clientPort);
        sample = with(sample, "admin.serverPort=8080", "admin.serverPort=" + adminPort);
        sample = with(sample, ":2888:3888", ":" + FreePorts.next() + ":" + FreePorts.next());
        Files.writeString(directory.resolve("zoo.cfg"), sample);
    }

    private static String with(String text, String what, String by) {
        assertTrue(what + " in " + text, text.contains(what));
        return text.replace(what, by);
    }

    @After
    public void stop() throws Exception {
        server("stop");
    }

    private Scripts.Result server(String command) throws Exception {
        return Scripts.run(LIMIT_SECONDS, directory, "zkServer.sh", "--config", directory.toString(), command);
    }

    private Scripts.Result zkCli(String... command) throws Exception {
        String[] arguments = new String[command.length + 2];
        arguments[0] = "-server";
        arguments[1] = client;
        System.arraycopy(command, 0, arguments, 2, command.length);
        return Scripts.run(LIMIT_SECONDS, directory, "zkCli.sh", arguments);
    }

    private static void assertSays(String text, Scripts.Result result) {
        assertEquals(result.toString(), 0, result.exitCode());
        assertTrue(result.toString(), result.output().contains(text));
    }

    private boolean isReady() {
        try {
            return AdminClient.get(ready).statusCode() == 200;
        } catch (IOException | InterruptedException e) {
            return false;
        }
    }

    @Test
    public void copyStartClientStop_anEnsembleOfOneServes() throws Exception {
        assertSays("Starting zookeeper ... STARTED", server("start"));
        Await.until("/ready says so", SERVING_LIMIT, this::isReady);
        assertSays("Mode: leader", server("status"));
        assertEquals(0, zkCli("create", "/greeting", "hello").exitCode());
        assertSays("Stopping zookeeper ... STOPPED", server("stop"));
        assertTrue(Files.exists(directory.resolve("data/ordering")));
        assertEquals("1\n", Files.readString(directory.resolve("data/myid")));
        assertSays("Starting zookeeper ... STARTED", server("start"));
        Await.until("/ready says so", SERVING_LIMIT, this::isReady);
        assertSays("hello", zkCli("get", "/greeting"));
    }
}
