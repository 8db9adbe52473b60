package io.chainkeeper.clienttests.access;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;

import io.chainkeeper.clienttests.harness.AdminClient;
import io.chainkeeper.clienttests.harness.Clients;
import io.chainkeeper.clienttests.harness.Ensemble;
import io.chainkeeper.clienttests.harness.RawConnection;
import io.chainkeeper.clienttests.harness.ServerProcess;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.Assume;
import org.junit.Before;
import org.junit.ClassRule;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;
import org.junit.rules.TestRule;

/**
 * An ensemble that serves goes from plain links to links with TLS and SASL, its servers restarted one after the other,
 * three times; and what else is protected by settings of zoo.cfg: the AdminServer, and the number of new connections.
 * Takes a minute, so it runs only with {@code -Dsecurity.tests=true}.
 */
public class SecuredLinksTest {
    @ClassRule
    public static final TemporaryFolder FOLDER = new TemporaryFolder();

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String STORE_PASSWORD = "not-a-secret";
    private static final int TOKENS = 10;

    private final Ensemble ensemble = Ensemble.named("secured-links")
            .set("admin.enableServer", "true")
            .set("admin.portUnification", "true")
            .set("admin.serverAddress", "127.0.0.1")
            .set("fips-mode", "false")
            .port(AdminClient.PORT)
            .build();

    @Rule(order = 0)
    public final TestRule servers = ensemble.startedByTheTest();

    @Rule(order = 1)
    public final TestRule limit = ensemble.testLimit(600);

    private Path certificate;
    private Path secret;
    private int steps;

    @Before
    public void onRequestAndNotForTheStockServer() {
        Assume.assumeTrue("only with -Dsecurity.tests=true", Boolean.getBoolean("security.tests"));
        Assume.assumeFalse("the stock server has its own ways", ensemble.isStock());
    }

    @Test
    public void plainEnsemble_becomesOneWithTlsAndSasl() throws Exception {
        prepare();
        ensemble.startAll();
        roll(Map.of(
                "portUnification", "true",
                "quorum.auth.enableSasl", "true",
                "ordering.secretFile", secret.toString(),
                "ordering.secretRequired", "false"));
        roll(Map.of("sslQuorum", "true", "quorum.auth.learnerRequireSasl", "true"));
        Map<String, String> last = new LinkedHashMap<>();
        last.put("portUnification", null);
        last.put("ordering.secretRequired", null);
        last.put("quorum.auth.serverRequireSasl", "true");
        last.put("admin.forceHttps", "true");
        assertEquals(200, status("http", ensemble.server(3)));
        assertEquals(200, status("https", ensemble.server(3)));
        ensemble.server(1)
                .configure(
                        Map.of("connectionMaxTokens", Integer.toString(TOKENS), "connectionTokenFillTime", "3600000"));
        roll(last);
        assertEquals(200, status("https", ensemble.server(3)));
        assertThrows(IOException.class, () -> status("http", ensemble.server(3)));
        connectionsAreLimited(ensemble.server(1));
    }

    private void prepare() throws Exception {
        Path store = FOLDER.getRoot().toPath().resolve("servers.p12");
        certificate = FOLDER.getRoot().toPath().resolve("servers.pem");
        secret = FOLDER.getRoot().toPath().resolve("secret");
        Files.writeString(secret, "a secret that all servers share\n");
        keytool("-genkeypair", "-dname", "CN=servers", "-ext", "san=ip:127.0.0.1", "-keyalg", "EC", store);
        keytool("-exportcert", "-rfc", "-file", certificate, store);
        ensemble.writeConfigurations();
        for (ServerProcess server : ensemble.servers()) {
            server.configure(Map.of(
                    "ssl.quorum.keyStore.location", store.toString(),
                    "ssl.quorum.keyStore.password", STORE_PASSWORD,
                    "ssl.quorum.trustStore.location", certificate.toString()));
            usePassword(server);
        }
    }

    private static void keytool(Object... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        for (int i = 0; i < arguments.length - 1; i++) {
            command.add(arguments[i].toString());
        }
        command.addAll(List.of("-alias", "servers", "-storetype", "PKCS12", "-storepass", STORE_PASSWORD));
        command.addAll(List.of("-keystore", arguments[arguments.length - 1].toString()));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertEquals(command.toString(), 0, process.waitFor());
    }

    private static void usePassword(ServerProcess server) throws IOException {
        String module = " { org.apache.zookeeper.server.auth.DigestLoginModule required ";
        Path jaas = server.directory().resolve("jaas.conf");
        Files.writeString(
                jaas,
                "QuorumServer" + module + "user_zk=\"secret\"; };\n" + "QuorumLearner" + module
                        + "username=\"zk\" password=\"secret\"; };\n");
        server.jvmFlags("-Djava.security.auth.login.config=" + jaas);
    }

    /** Restarts the servers one after the other with changed lines; after each start all are linked. */
    private void roll(Map<String, String> changes) throws Exception {
        for (ServerProcess server : ensemble.servers()) {
            server.terminate();
            server.configure(changes);
            server.start();
            server.awaitServing();
            writeAndReadEverywhere();
        }
    }

    private void writeAndReadEverywhere() throws Exception {
        String path = "/step-" + steps++;
        ServerProcess leader = ensemble.leader();
        try (ZooKeeper client = Clients.connect(leader.connectString())) {
            client.create(path, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
        ensemble.awaitCaughtUp();
    }

    private int status(String scheme, ServerProcess server) throws Exception {
        URI plain = AdminClient.address(server, "/commands/ruok");
        URI address = new URI(plain.toString().replaceFirst("http", scheme));
        HttpClient client =
                HttpClient.newBuilder().sslContext(trusting(certificate)).build();
        return client.send(HttpRequest.newBuilder(address).timeout(LIMIT).build(), BodyHandlers.discarding())
                .statusCode();
    }

    private static SSLContext trusting(Path certificate) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        try (InputStream in = Files.newInputStream(certificate)) {
            store.setCertificateEntry(
                    "servers", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    /** Some of its tokens may have been used before. */
    private static void connectionsAreLimited(ServerProcess server) throws Exception {
        List<RawConnection> open = new ArrayList<>();
        assertThrows(IOException.class, () -> {
            for (int i = 0; i <= TOKENS; i++) {
                open.add(RawConnection.open(server, Clients.SESSION_TIMEOUT_MILLIS));
            }
        });
        assertFalse("some are let in", open.isEmpty());
        for (RawConnection connection : open) {
            connection.close();
        }
    }
}
