package io.chainkeeper.clienttests.harness;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** Asks a server's AdminServer, whose port is {@value #PORT}. */
public final class AdminClient {
    /** To be given to {@link Ensemble.Builder#port}. */
    public static final String PORT = "admin.serverPort";

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private AdminClient() {}

    /** Returns the address of a page. */
    public static URI address(ServerProcess server, String path) {
        return URI.create("http://" + server.clientHost() + ":" + server.port(PORT) + path);
    }

    /** Returns the answer to a GET. */
    public static HttpResponse<String> get(URI address) throws IOException, InterruptedException {
        return HTTP.send(HttpRequest.newBuilder(address).timeout(TIMEOUT).build(), BodyHandlers.ofString());
    }

    /** Returns the parsed answer to a GET. */
    public static JsonNode json(URI address) throws IOException, InterruptedException {
        return MAPPER.readTree(get(address).body());
    }

    /** Returns the parsed answer of an AdminServer command. */
    public static JsonNode command(ServerProcess server, String command) throws IOException, InterruptedException {
        return json(address(server, "/commands/" + command));
    }

    /** Returns the answer of an AdminServer command that asks who may run it, for the user of this scheme and name. */
    public static HttpResponse<String> command(ServerProcess server, String command, String user)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(address(server, "/commands/" + command))
                .timeout(TIMEOUT)
                .header("Authorization", user)
                .build();
        return HTTP.send(request, BodyHandlers.ofString());
    }
}
