package io.chainkeeper.server;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.FreePorts;
import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.server.tls.TlsStores;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.net.ssl.SSLHandshakeException;
import org.apache.zookeeper.common.QuorumX509Util;
import org.apache.zookeeper.common.ZKConfig;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** The AdminServer with TLS: replica 1 takes HTTP and HTTPS at one port, replica 2 HTTPS from known clients only. */
public class AdminTlsTest {
    private static final int UNIFIED = 1;
    private static final int HTTPS_ONLY = 2;
    private static final List<String> PATHS =
            List.of("/live", "/ready", "/ready?write", "/status", "/status.json", "/commands/ruok", "/commands/leader");

    @ClassRule
    public static final TemporaryFolder FOLDER = new TemporaryFolder();

    private static final Map<Integer, Integer> PORTS = new HashMap<>();
    private static TlsStores stores;
    private static TestEnsemble ensemble;

    @BeforeClass
    public static void startEnsemble() throws Exception {
        stores = new TlsStores(FOLDER.getRoot().toPath());
        for (String name : List.of("server", "operator", "stranger")) {
            stores.create(name, "ip:127.0.0.1");
        }
        Map<String, String> settings = new HashMap<>();
        ZKConfig tls = stores.config("server", "operator");
        for (String key : List.of("keyStore.location", "keyStore.password", "trustStore.location")) {
            settings.put("ssl.quorum." + key, tls.getProperty("zookeeper.ssl.quorum." + key));
        }
        settings.put("admin.enableServer", "true");
        settings.put("admin.serverAddress", "127.0.0.1");
        Path data = FOLDER.newFolder("data").toPath();
        ensemble = new TestEnsemble(data, 2, ReadConsistency.LINEARIZABLE, settings);
        for (int id : List.of(UNIFIED, HTTPS_ONLY)) {
            PORTS.put(id, FreePorts.next());
            ensemble.set("admin.serverPort", PORTS.get(id).toString());
            ensemble.set("admin.portUnification", Boolean.toString(id == UNIFIED));
            ensemble.set("admin.forceHttps", Boolean.toString(id == HTTPS_ONLY));
            ensemble.set("admin.needClientAuth", Boolean.toString(id == HTTPS_ONLY));
            ensemble.start(id);
        }
        ensemble.awaitServing(UNIFIED);
        ensemble.awaitServing(HTTPS_ONLY);
    }

    @AfterClass
    public static void stopEnsemble() throws Exception {
        ensemble.close();
        List<String> set = System.getProperties().stringPropertyNames().stream()
                .filter(name ->
                        Stream.of("zookeeper.admin.", "zookeeper.ssl.quorum.").anyMatch(name::startsWith))
                .toList();
        set.forEach(System::clearProperty);
    }

    private static HttpClient clientOf(String identity, String trusted) throws Exception {
        try (QuorumX509Util util = new QuorumX509Util()) {
            return HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .sslContext(util.createSSLContext(stores.config(identity, trusted)))
                    .build();
        }
    }

    private static HttpResponse<String> get(HttpClient client, String scheme, int id, String path)
            throws IOException, InterruptedException {
        URI address = URI.create(scheme + "://127.0.0.1:" + PORTS.get(id) + path);
        return client.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString());
    }

    private static void assertAllPages(HttpClient client, String scheme, int id) throws Exception {
        for (String path : PATHS) {
            HttpResponse<String> answer = get(client, scheme, id, path);
            assertEquals(path + ": " + answer.body(), 200, answer.statusCode());
        }
    }

    @Test
    public void unifiedPort_servesAllPagesWithAndWithoutTls() throws Exception {
        HttpClient client = clientOf("operator", "server");
        assertAllPages(client, "https", UNIFIED);
        assertAllPages(client, "http", UNIFIED);
    }

    @Test
    public void httpsOnly_servesAllPagesToAClientItTrusts() throws Exception {
        HttpClient client = clientOf("operator", "server");
        assertAllPages(client, "https", HTTPS_ONLY);
        HttpResponse<String> answer = get(client, "https", HTTPS_ONLY, "/live");
        assertTrue(answer.headers().firstValue("Strict-Transport-Security").isPresent());
        assertThrows(IOException.class, () -> get(client, "http", HTTPS_ONLY, "/live"));
    }

    @Test
    public void httpsOnly_refusesAClientThatItDoesNotTrust() throws Exception {
        HttpClient stranger = clientOf("stranger", "server");
        assertThrows(IOException.class, () -> get(stranger, "https", HTTPS_ONLY, "/live"));
    }

    @Test
    public void clientThatDoesNotTrustTheServer_doesNotTalkToIt() throws Exception {
        HttpClient client = clientOf("operator", "stranger");
        assertThrows(SSLHandshakeException.class, () -> get(client, "https", UNIFIED, "/live"));
    }
}
