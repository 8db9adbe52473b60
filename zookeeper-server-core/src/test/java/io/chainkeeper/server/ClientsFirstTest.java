package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.FreePorts;
import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.ordering.OrderingStatus;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.HashMap;
import java.util.Map;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Replicas whose AdminServer starts when clients have been let in, or after a while without that. */
public class ClientsFirstTest {
    @ClassRule
    public static final TemporaryFolder FOLDER = new TemporaryFolder();

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static TestEnsemble ensemble;
    private static int port;

    @BeforeClass
    public static void createEnsemble() throws Exception {
        port = FreePorts.next();
        Map<String, String> settings = new HashMap<>();
        settings.put("admin.serverAddress", "127.0.0.1");
        settings.put("admin.serverPort", Integer.toString(port));
        ensemble = new TestEnsemble(FOLDER.getRoot().toPath(), 2, ReadConsistency.LINEARIZABLE, settings);
    }

    @AfterClass
    public static void stopEnsemble() throws Exception {
        ensemble.close();
    }

    /** Returns the status code, 0 while nobody listens. */
    private static int status(String path) {
        try {
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                    .build();
            return HTTP.send(request, BodyHandlers.discarding()).statusCode();
        } catch (ConnectException notYet) {
            return 0;
        } catch (Exception e) {
            throw new AssertionError(path + ": " + e, e);
        }
    }

    @Test
    public void adminServer_followsWithAndWithoutClients_andStopsAtOnce() throws Exception {
        ensemble.order().elect(OrderingStatus.NO_LEADER);
        ensemble.set("admin.enableServer", "true");
        ensemble.startClientsFirst(1);
        TestEnsemble.await("the AdminServer without a leader", () -> status("/live") == 200);
        assertEquals(503, status("/ready"));
        ensemble.stop(1);
        assertEquals(0, status("/live"));
        ensemble.startClientsFirst(1);
        ensemble.stop(1);
        assertEquals(0, status("/live"));
        ensemble.set("admin.enableServer", "false");
        ensemble.start(2);
        ensemble.order().elect(2);
        ensemble.startClientsFirst(1);
        ensemble.awaitServing(1);
        TestEnsemble.await("the AdminServer behind the clients", () -> status("/ready") == 200);
    }
}
