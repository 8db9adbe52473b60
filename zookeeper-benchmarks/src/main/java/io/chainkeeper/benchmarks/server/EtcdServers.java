package io.chainkeeper.benchmarks.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.chainkeeper.benchmarks.server.ZooCfg.Ports;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Servers of etcd, as the peer of another make. They force their log to disk before they acknowledge, as always, and
 * keep all revisions: nothing is compacted while they are measured. Timeouts are as long as those of the other
 * servers here, and the space quota is too large to be reached.
 */
public final class EtcdServers {
    /** In the place of a value of {@code ordering.protocol}. */
    public static final String NAME = "etcd";

    private static final int HEARTBEAT_MILLIS = 500;
    private static final int ELECTION_MILLIS = 5_000;
    private static final long SPACE_QUOTA_BYTES = 8L << 30;
    private static final int TIMEOUT_MILLIS = 5_000;

    private EtcdServers() {}

    /** @return whether the program is on the path */
    public static boolean isInstalled() {
        String path = System.getenv("PATH");
        return path != null
                && List.of(path.split(File.pathSeparator)).stream()
                        .anyMatch(directory -> Files.isExecutable(Path.of(directory, NAME)));
    }

    /**
     * The command line of a server.
     *
     * @param processors how many processors it is told that it has; 0 for all that there are
     * @param self index of the server among all, from 0
     * @param ensemble ports of all servers
     * @param data directory of its data, which it creates
     * @return the command
     */
    static List<String> arguments(int processors, int self, List<Ports> ensemble, Path data) {
        List<String> arguments = new ArrayList<>();
        if (processors > 0) {
            arguments.addAll(List.of("env", "GOMAXPROCS=" + processors));
        }
        arguments.addAll(List.of(
                NAME,
                "--name=" + name(self),
                "--data-dir=" + data,
                "--listen-client-urls=" + clientUrl(ensemble.get(self)),
                "--advertise-client-urls=" + clientUrl(ensemble.get(self)),
                "--listen-peer-urls=" + peerUrl(ensemble.get(self)),
                "--initial-advertise-peer-urls=" + peerUrl(ensemble.get(self)),
                "--initial-cluster="
                        + IntStream.range(0, ensemble.size())
                                .mapToObj(i -> name(i) + "=" + peerUrl(ensemble.get(i)))
                                .collect(Collectors.joining(",")),
                "--initial-cluster-state=new",
                "--heartbeat-interval=" + HEARTBEAT_MILLIS,
                "--election-timeout=" + ELECTION_MILLIS,
                "--quota-backend-bytes=" + SPACE_QUOTA_BYTES,
                "--logger=zap",
                "--log-level=warn"));
        return arguments;
    }

    private static String name(int index) {
        return "s" + (index + 1);
    }

    private static String clientUrl(Ports ports) {
        return "http://" + ports.host() + ":" + ports.client();
    }

    private static String peerUrl(Ports ports) {
        return "http://" + ports.host() + ":" + ports.quorum();
    }

    /**
     * Asks a server.
     *
     * @param server a server of etcd
     * @return what it says of itself, with the revision in the place of the zxid
     * @throws IOException if it does not answer
     */
    static ServerStatus status(ServerProcess server) throws IOException {
        URI uri = URI.create("http://" + server.address() + "/v3/maintenance/status");
        HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
        connection.setConnectTimeout(TIMEOUT_MILLIS);
        connection.setReadTimeout(TIMEOUT_MILLIS);
        connection.setDoOutput(true);
        connection.getOutputStream().write("{}".getBytes(StandardCharsets.UTF_8));
        try (InputStream answer = connection.getInputStream()) {
            return status(new ObjectMapper().readTree(answer));
        } finally {
            connection.disconnect();
        }
    }

    /** Numbers of 64 bits are texts there. */
    static ServerStatus status(JsonNode answer) {
        String self = answer.at("/header/member_id").asText();
        String leader = answer.path("leader").asText();
        if (self.isEmpty() || leader.isEmpty() || leader.equals("0")) {
            return ServerStatus.parse("");
        }
        String role = leader.equals(self) ? ServerStatus.LEADER : "follower";
        return new ServerStatus(role, answer.at("/header/revision").asLong());
    }
}
