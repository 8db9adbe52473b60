package io.chainkeeper.benchmarks;

import io.chainkeeper.benchmarks.ZooCfg.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.zookeeper.client.FourLetterWordMain;
import org.apache.zookeeper.common.X509Exception.SSLContextException;

/** The servers of one protocol, started together on loopback. */
final class Ensemble implements AutoCloseable {
    private static final long START_SECONDS = 120;
    private static final long POLL_MILLIS = 100;
    private static final String MODE_LINE = "Mode: ";
    private static final int FOUR_LETTER_TIMEOUT_MILLIS = 5_000;

    private final String protocol;
    private final List<ServerProcess> servers;

    private Ensemble(String protocol, List<ServerProcess> servers) {
        this.protocol = protocol;
        this.servers = servers;
    }

    /**
     * Starts the servers, without quotas. They do not serve yet.
     *
     * @param protocol value of {@code ordering.protocol}
     * @param options replicas and configuration
     * @param command how a server is started
     * @param control quotas
     * @param directory an existing empty directory for configuration, data and logs
     * @return the ensemble
     * @throws IOException if a server cannot be started
     */
    static Ensemble start(
            String protocol, RunOptions options, ServerCommand command, CpuControl control, Path directory)
            throws IOException {
        FreePorts free = new FreePorts();
        List<Ports> ports = new ArrayList<>();
        for (int i = 0; i < options.replicas(); i++) {
            ports.add(new Ports(free.next(), free.next(), free.next()));
        }
        List<ServerProcess> servers = new ArrayList<>();
        Ensemble ensemble = new Ensemble(protocol, servers);
        try {
            for (int i = 0; i < ports.size(); i++) {
                Path home = Files.createDirectory(directory.resolve("server" + (i + 1)));
                Path data = Files.createDirectory(home.resolve("data"));
                Files.writeString(data.resolve("myid"), (i + 1) + "\n");
                Path cfg = home.resolve("zoo.cfg");
                Files.writeString(
                        cfg,
                        ZooCfg.text(protocol, options.linearizableReads(), data, i, ports, options.serverConfig()));
                servers.add(ServerProcess.start(
                        i + 1,
                        ports.get(i).client(),
                        command.arguments(cfg),
                        home.resolve("server.log"),
                        control,
                        directory.getFileName() + "-" + (i + 1)));
            }
            return ensemble;
        } catch (IOException | RuntimeException e) {
            closeAfter(ensemble, e);
            throw e;
        }
    }

    private static void closeAfter(Ensemble ensemble, Exception failure) {
        try {
            ensemble.close();
        } catch (IOException | InterruptedException e) {
            failure.addSuppressed(e);
        }
    }

    String protocol() {
        return protocol;
    }

    List<ServerProcess> servers() {
        return List.copyOf(servers);
    }

    /**
     * Waits until every server takes part in the ensemble.
     *
     * @throws IOException if one ends, or does not take part in time
     */
    void awaitServing() throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        for (ServerProcess server : servers) {
            while (role(server).isEmpty()) {
                checkAlive();
                if (System.nanoTime() - deadline > 0) {
                    throw new IOException(protocol + ": " + server + " does not serve after " + START_SECONDS
                            + " s; its log ends:\n" + server.logTail());
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(POLL_MILLIS));
            }
        }
    }

    /**
     * What a server says that it is.
     *
     * @param server one of this ensemble's
     * @return such as leader or follower; empty if it does not serve
     */
    String role(ServerProcess server) {
        try {
            String answer = FourLetterWordMain.send4LetterWord(
                    "127.0.0.1", server.clientPort(), "srvr", false, FOUR_LETTER_TIMEOUT_MILLIS);
            return answer.lines()
                    .filter(l -> l.startsWith(MODE_LINE))
                    .map(l -> l.substring(MODE_LINE.length()).trim())
                    .findFirst()
                    .orElse("");
        } catch (IOException e) {
            return ""; // not listening yet, or not any more: checkAlive tells which
        } catch (SSLContextException e) {
            throw new IllegalStateException("srvr was asked without TLS", e);
        }
    }

    /**
     * Makes sure that all servers still run.
     *
     * @throws IOException if one has ended
     */
    void checkAlive() throws IOException {
        for (ServerProcess server : servers) {
            server.checkAlive();
        }
    }

    /**
     * Gives every server its quota.
     *
     * @param cores per server; 0 for no limit
     * @throws IOException if it cannot be set
     */
    void cap(double cores) throws IOException {
        for (ServerProcess server : servers) {
            server.cap(cores);
        }
    }

    @Override
    public void close() throws IOException, InterruptedException {
        servers.forEach(ServerProcess::kill);
        IOException failure = null;
        for (ServerProcess server : servers) {
            try {
                server.close();
            } catch (IOException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public String toString() {
        return protocol + " ensemble";
    }
}
