package io.chainkeeper.main;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Asks the API server of Kubernetes how many pods a StatefulSet is to have. The pod's service account needs {@code get}
 * on {@code statefulsets/scale}. Stateless; every question is a connection of its own.
 */
final class StatefulSetScale {
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final int FOUND = 200;
    private static final int NOT_FOUND = 404;

    /** Bytes of an answer; the one that is expected has a few hundred. */
    private static final int MAX_ANSWER_BYTES = 1 << 20;

    private final URI question;
    private final Path account;

    /**
     * @param variables of the pod: {@code KUBERNETES_SERVICE_HOST}, {@code KUBERNETES_SERVICE_PORT}
     * @param account directory with {@code token}, {@code ca.crt} and {@code namespace}
     * @param name of the StatefulSet
     * @throws IOException if this is no pod with a service account
     */
    StatefulSetScale(Map<String, String> variables, Path account, String name) throws IOException {
        String host = variables.get("KUBERNETES_SERVICE_HOST");
        if (host == null || !Files.isReadable(account.resolve("token"))) {
            throw new IOException("this pod has no service account that may ask for the size of StatefulSet " + name
                    + " (" + account + "/token); set serviceAccount.create");
        }
        this.account = account;
        question = URI.create("https://" + (host.contains(":") ? "[" + host + "]" : host) + ":"
                + variables.getOrDefault("KUBERNETES_SERVICE_PORT", "443") + "/apis/apps/v1/namespaces/"
                + Files.readString(account.resolve("namespace")).trim() + "/statefulsets/" + name + "/scale");
    }

    /**
     * Asks.
     *
     * @return how many pods there are to be; empty if there is no such StatefulSet (any more)
     * @throws IOException if the API server does not answer within ten seconds, or refuses
     */
    OptionalInt replicas() throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(question)
                .timeout(LIMIT)
                .header(
                        "Authorization",
                        "Bearer " + Files.readString(account.resolve("token")).trim())
                .header("Accept", "application/json")
                .build();
        HttpClient client = HttpClient.newBuilder()
                .connectTimeout(LIMIT)
                .sslContext(trusting(account.resolve("ca.crt")))
                .build();
        HttpResponse<InputStream> response;
        try {
            response = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
        } catch (IOException e) {
            throw new IOException(question + " does not answer: " + (e.getMessage() == null ? e : e.getMessage()), e);
        }
        try (InputStream body = response.body()) {
            if (response.statusCode() == NOT_FOUND) {
                return OptionalInt.empty();
            }
            if (response.statusCode() != FOUND) {
                throw new IOException(question + " answers " + response.statusCode()
                        + "; the pod's service account needs get on statefulsets/scale");
            }
            JsonNode replicas = new ObjectMapper()
                    .readTree(body.readNBytes(MAX_ANSWER_BYTES))
                    .path("spec")
                    .path("replicas");
            // the API leaves out what is zero
            if (!replicas.isMissingNode() && !replicas.isInt()) {
                throw new IOException(question + " answers without a number of replicas");
            }
            return OptionalInt.of(replicas.asInt(0));
        }
    }

    private static SSLContext trusting(Path authorities) throws IOException {
        try (InputStream in = Files.newInputStream(authorities)) {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            int count = 0;
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                store.setCertificateEntry("ca-" + count++, certificate);
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, factory.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException(authorities + " holds no certificates: " + e.getMessage(), e);
        }
    }
}
