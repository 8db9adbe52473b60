package io.chainkeeper.clienttests.harness;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** Stands for the API server of Kubernetes: answers, with TLS and a token, how many pods a StatefulSet is to have. */
public final class ScaleServer implements AutoCloseable {
    private static final String PASSWORD = "password";
    private static final String TOKEN = "the-token";
    private static final String NAMESPACE = "test";
    private static final long KEYTOOL_LIMIT_SECONDS = 60;

    private final HttpsServer server;
    private final Path account;
    private final String path;
    private volatile String answer;
    private volatile int status = 200;

    /**
     * Begins to listen on the loopback interface.
     *
     * @param directory gets the certificate, and {@code account/} with what a pod is given
     * @param name of the StatefulSet
     */
    public ScaleServer(Path directory, String name) throws Exception {
        Path store = directory.resolve("api.p12");
        account = Files.createDirectory(directory.resolve("account"));
        String keytool =
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        ProcessBuilder builder = new ProcessBuilder(List.of(
                keytool,
                "-genkeypair",
                "-keystore",
                store.toString(),
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-alias",
                "api",
                "-keyalg",
                "EC",
                "-dname",
                "CN=api",
                "-ext",
                "san=ip:127.0.0.1",
                "-validity",
                "2"));
        Scripts.Result result = Scripts.run(KEYTOOL_LIMIT_SECONDS, builder.directory(directory.toFile()));
        if (result.exitCode() != 0) {
            throw new AssertionError("keytool: " + result);
        }
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        Files.writeString(
                account.resolve("ca.crt"),
                "-----BEGIN CERTIFICATE-----\n"
                        + Base64.getMimeEncoder()
                                .encodeToString(keys.getCertificate("api").getEncoded())
                        + "\n-----END CERTIFICATE-----\n");
        Files.writeString(account.resolve("token"), TOKEN + "\n");
        Files.writeString(account.resolve("namespace"), NAMESPACE);
        path = "/apis/apps/v1/namespaces/" + NAMESPACE + "/statefulsets/" + name + "/scale";
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context(keys)));
        server.createContext("/", this::answer);
        server.start();
    }

    private static SSLContext context(KeyStore keys) throws GeneralSecurityException {
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(keys, PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(factory.getKeyManagers(), null, null);
        return context;
    }

    private void answer(HttpExchange exchange) throws IOException {
        boolean known = ("Bearer " + TOKEN).equals(exchange.getRequestHeaders().getFirst("Authorization"));
        boolean there = exchange.getRequestURI().getPath().equals(path);
        byte[] body = (known && there ? answer : "{}").getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(!known ? 403 : there ? status : 404, body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    /** Sets how many pods there are to be. */
    public void replicas(int count) {
        answer(200, "{\"kind\":\"Scale\",\"spec\":{" + (count == 0 ? "" : "\"replicas\":" + count) + "}}");
    }

    /** Sets any answer. */
    public void answer(int code, String text) {
        answer = text;
        status = code;
    }

    /** Returns the port on 127.0.0.1. */
    public int port() {
        return server.getAddress().getPort();
    }

    /** Returns the directory of the service account. */
    public Path account() {
        return account;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
