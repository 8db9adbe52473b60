package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.FreePorts;
import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Anything may reach the AdminServer's port. */
public class HostileAdminClientTest {
    private static final long SEED = 20261121;
    private static final int ROUNDS = 150;
    private static final List<String> STARTS = List.of(
            "GET /commands/ruok HTTP/1.1\r\nHost: x\r\n",
            "POST /commands/restore HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n",
            "GET /../../etc/passwd HTTP/1.0\r\n\r\n",
            "GET /commands/%00%ff HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
            "GET /commands/set_trace_mask?traceMask=x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "\u0016\u0003\u0001\u0002\u0000\u0001");

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final AtomicReference<Throwable> defect = new AtomicReference<>();
    private Thread.UncaughtExceptionHandler handlerBefore;
    private int port;
    private TestEnsemble ensemble;
    private ZooKeeper honest;

    @Before
    public void startEnsemble() throws Exception {
        handlerBefore = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> defect.set(failure));
        port = FreePorts.next();
        // Both replicas are in this process and only the first of them gets the port.
        Map<String, String> settings = Map.of(
                "admin.enableServer", "true",
                "admin.serverAddress", "127.0.0.1",
                "admin.serverPort", Integer.toString(port));
        ensemble = new TestEnsemble(folder.getRoot().toPath(), 2, ReadConsistency.LINEARIZABLE, settings);
        ensemble.startAll();
        honest = ensemble.client(1);
        honest.create("/kept", null, Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL);
    }

    @After
    public void serverIsUnhurt() throws Exception {
        try {
            assertEquals(0, honest.exists("/kept", false).getVersion());
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/commands/ruok"))
                    .timeout(Duration.ofSeconds(TestEnsemble.DEADLINE_SECONDS))
                    .build();
            HttpResponse<String> response = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
            assertEquals(200, response.statusCode());
            EnsembleChecks.assertReplicasEqual(ensemble, 2);
        } finally {
            ensemble.close();
            List.of("enableServer", "serverAddress", "serverPort")
                    .forEach(key -> System.clearProperty("zookeeper.admin." + key));
            Thread.setDefaultUncaughtExceptionHandler(handlerBefore);
        }
        assertEquals(null, defect.get());
    }

    @Test(timeout = 120_000)
    public void bytesThatAreNoRequest_areCutOff() throws Exception {
        Random random = new Random(SEED);
        for (int round = 0; round < ROUNDS; round++) {
            byte[] noise = new byte[random.nextInt(300)];
            random.nextBytes(noise);
            try (HostileClient client = new HostileClient(port)) {
                if (random.nextBoolean()) {
                    client.say(STARTS.get(random.nextInt(STARTS.size())).getBytes(StandardCharsets.ISO_8859_1));
                }
                client.say(noise);
                client.finish();
                client.awaitClosed();
            }
        }
    }

    @Test(timeout = 120_000)
    public void headersWithoutEnd_areCutOff() throws IOException {
        try (HostileClient client = new HostileClient(port)) {
            client.say("GET /commands/ruok HTTP/1.1\r\n".getBytes(StandardCharsets.ISO_8859_1));
            byte[] header = ("x-" + "y".repeat(1000) + ": z\r\n").getBytes(StandardCharsets.ISO_8859_1);
            for (int i = 0; i < 100; i++) {
                client.say(header);
            }
            client.awaitClosed();
        }
    }

    /**
     * It is refused before the body is read. So the connection may be closed while the rest of that is still being
     * sent, and then the system tells the client of that, and not what was answered. Without a body it hears it.
     */
    @Test(timeout = 120_000)
    public void restoreWithABody_changesNothing() throws Exception {
        assertRestoreRefused(0);
        try {
            assertRestoreRefused(100_000);
        } catch (HttpTimeoutException e) {
            throw e;
        } catch (IOException cutOff) {
            // While the client was still sending; serverIsUnhurt looks at what matters.
        }
    }

    private void assertRestoreRefused(int bodyBytes) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/commands/restore"))
                .timeout(Duration.ofSeconds(TestEnsemble.DEADLINE_SECONDS))
                .POST(HttpRequest.BodyPublishers.ofByteArray(new byte[bodyBytes]))
                .build();
        HttpResponse<String> response = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
        assertTrue(response.statusCode() + " " + response.body(), response.statusCode() >= 400);
    }
}
