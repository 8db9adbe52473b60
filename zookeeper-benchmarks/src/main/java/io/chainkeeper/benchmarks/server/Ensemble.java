package io.chainkeeper.benchmarks.server;

import io.chainkeeper.benchmarks.host.CpuControl;
import io.chainkeeper.benchmarks.host.FreePorts;
import io.chainkeeper.benchmarks.host.WorkDirectory;
import io.chainkeeper.benchmarks.relay.RelayedLinks;
import io.chainkeeper.benchmarks.server.ZooCfg.Ports;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.zookeeper.client.FourLetterWordMain;
import org.apache.zookeeper.common.X509Exception.SSLContextException;

/** The servers of one protocol, started together. */
public final class Ensemble implements AutoCloseable {
    private static final long START_SECONDS = 120;
    private static final long POLL_MILLIS = 100;
    private static final int LEADER_ATTEMPTS = 20;
    private static final String MY_ID = "myid";
    private static final int FOUR_LETTER_TIMEOUT_MILLIS = 5_000;

    private final String protocol;
    private final Path directory;
    private final RelayedLinks links;
    private final long startNanos = System.nanoTime();

    /** In the order of their ids. Changed under this object's lock, read by any thread. */
    private final List<ServerProcess> servers = new CopyOnWriteArrayList<>();

    private boolean closed;

    private Ensemble(String protocol, Path directory, RelayedLinks links) {
        this.protocol = protocol;
        this.links = links;
        this.directory = directory;
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
    public static Ensemble start(
            String protocol, EnsembleOptions options, ServerCommand command, CpuControl control, Path directory)
            throws IOException {
        FreePorts free = new FreePorts();
        List<Ports> ports = new ArrayList<>();
        for (int i = 0; i < options.replicas(); i++) {
            ports.add(new Ports(command.network().host(i + 1), free.next(), free.next(), free.next()));
        }
        Ensemble ensemble = new Ensemble(protocol, directory, new RelayedLinks(options.regions()));
        try {
            for (int i = 0; i < ports.size(); i++) {
                Path home = Files.createDirectory(ensemble.home(i + 1));
                Path data = Files.createDirectory(ensemble.dataDirectory(i + 1));
                Files.writeString(data.resolve(MY_ID), (i + 1) + "\n");
                List<String> commandLine = ensemble.commandLine(i, ports, options, command);
                if (i == 0 && ensemble.hasDisks()) {
                    command.formatDisks(ensemble.zooCfg(1));
                }
                ensemble.servers.add(ServerProcess.start(
                        i + 1,
                        ports.get(i).host(),
                        ports.get(i).client(),
                        commandLine,
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

    private List<String> commandLine(int self, List<Ports> ports, EnsembleOptions options, ServerCommand command)
            throws IOException {
        int id = self + 1;
        if (isEtcd()) {
            List<String> line = new ArrayList<>(command.network().commandPrefix(id));
            line.addAll(EtcdServers.arguments(
                    command.processors(), self, ports, dataDirectory(id).resolve(EtcdServers.NAME)));
            return line;
        }
        Path cfg = zooCfg(id);
        Map<String, String> extra = new LinkedHashMap<>();
        if (hasDisks()) {
            extra.putAll(options.disks().lines(directory));
        }
        extra.putAll(options.serverConfig());
        Files.writeString(
                cfg,
                ZooCfg.text(
                        protocol, options.linearizableReads(), dataDirectory(id), self, seenFrom(self, ports), extra));
        ServerCommand own = hasDisks() ? command.withSlowDisks(options.disks().delayMillis()) : command;
        return own.arguments(id, cfg);
    }

    private boolean hasDisks() {
        return protocol.equals(SharedDisks.PROTOCOL);
    }

    private Path zooCfg(int id) {
        return home(id).resolve("zoo.cfg");
    }

    private boolean isEtcd() {
        return protocol.equals(EtcdServers.NAME);
    }

    /** The ports at which a server finds itself and the others. */
    private List<Ports> seenFrom(int self, List<Ports> ports) throws IOException {
        List<Ports> seen = new ArrayList<>();
        for (int i = 0; i < ports.size(); i++) {
            Ports real = ports.get(i);
            seen.add(new Ports(
                    real.host(),
                    real.client(),
                    links.port(self, i, real.host(), real.quorum()),
                    links.port(self, i, real.host(), real.election())));
        }
        return seen;
    }

    private Path home(int id) {
        return directory.resolve("server" + id);
    }

    private Path dataDirectory(int id) {
        return home(id).resolve("data");
    }

    private static void closeAfter(Ensemble ensemble, Exception failure) {
        try {
            ensemble.close();
        } catch (IOException | InterruptedException e) {
            failure.addSuppressed(e);
        }
    }

    /** @return value of {@code ordering.protocol} */
    public String protocol() {
        return protocol;
    }

    /** @return all servers, in the order of their ids */
    public List<ServerProcess> servers() {
        return List.copyOf(servers);
    }

    /**
     * Waits until every server takes part in the ensemble.
     *
     * @return seconds since the first server was started, in steps of a tenth
     * @throws IOException if one ends, or does not take part in time
     */
    public double awaitServing() throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        for (ServerProcess server : servers) {
            while (!status(server).isServing()) {
                checkAlive();
                if (System.nanoTime() - deadline > 0) {
                    throw new IOException(protocol + ": " + server + " does not serve after " + START_SECONDS
                            + " s; its log ends:\n" + server.logTail());
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(POLL_MILLIS));
            }
        }
        return (System.nanoTime() - startNanos) / (double) TimeUnit.SECONDS.toNanos(1);
    }

    /**
     * Waits until all servers have applied the same. Nobody may write meanwhile.
     *
     * @throws IOException if one ends, or they do not come together in time
     */
    public void awaitSameZxid() throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (servers.stream().map(s -> status(s).zxid()).distinct().count() > 1) {
            checkAlive();
            if (System.nanoTime() - deadline > 0) {
                throw new IOException(
                        protocol + ": servers have not applied the same after " + START_SECONDS + " s without a write");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(POLL_MILLIS));
        }
    }

    /**
     * What a server says that it is.
     *
     * @param server one of this ensemble's
     * @return such as leader or follower; empty if it does not serve
     */
    public String role(ServerProcess server) {
        return status(server).role();
    }

    /**
     * Asks a server.
     *
     * @param server one of this ensemble's, running or not
     * @return what it says of itself
     */
    public ServerStatus status(ServerProcess server) {
        try {
            return isEtcd() ? EtcdServers.status(server) : ServerStatus.parse(ask(server, "srvr"));
        } catch (IOException e) {
            return ServerStatus.parse(""); // not listening yet, or not any more: checkAlive tells which
        }
    }

    /**
     * Asks a server for its metrics.
     *
     * @param server one of this ensemble's
     * @return its answer to {@code mntr}
     * @throws IOException if it does not answer
     */
    String monitor(ServerProcess server) throws IOException {
        return ask(server, "mntr");
    }

    private static String ask(ServerProcess server, String command) throws IOException {
        try {
            return FourLetterWordMain.send4LetterWord(
                    server.host(), server.clientPort(), command, false, FOUR_LETTER_TIMEOUT_MILLIS);
        } catch (SSLContextException e) {
            throw new IllegalStateException(command + " was asked without TLS", e);
        }
    }

    /**
     * @param id a server's id
     * @return its process, the latest one if it was started again
     */
    public ServerProcess server(int id) {
        return servers.get(id - 1);
    }

    /**
     * @param id a server's id
     * @return all others
     */
    public List<ServerProcess> serversBut(int id) {
        return servers.stream().filter(s -> s.id() != id).toList();
    }

    /**
     * Starts a server again that has ended, on the data that it left, without a quota. Once: its output goes to a log
     * of its own, so that nobody takes the old process's last words for the new one's.
     *
     * @param id its id
     * @return the new process
     * @throws IOException if it cannot be started
     */
    public synchronized ServerProcess restart(int id) throws IOException, InterruptedException {
        if (closed) {
            throw new IllegalStateException("the " + this + " is closed");
        }
        servers.set(id - 1, server(id).startAgain(home(id).resolve("server-restarted.log")));
        return server(id);
    }

    /**
     * Makes a server the leader: whoever leads instead is stopped and started again, until the wanted one has its turn.
     *
     * @param id the wanted leader's id
     * @throws IOException if a server does not come back, or others lead every time
     */
    public void leadFrom(int id) throws IOException, InterruptedException {
        for (int attempt = 0; attempt < LEADER_ATTEMPTS; attempt++) {
            List<ServerProcess> leaders = servers.stream()
                    .filter(s -> role(s).equals(ServerStatus.LEADER))
                    .toList();
            if (leaders.stream().anyMatch(leader -> leader.id() == id)) {
                return;
            }
            for (ServerProcess leader : leaders) {
                leader.stop();
                restart(leader.id());
            }
            awaitServing();
        }
        throw new IOException(protocol + ": others than server " + id + " led " + LEADER_ATTEMPTS + " times");
    }

    /**
     * Removes everything from the data directory of a server that has ended, except its myid.
     *
     * @param id its id
     * @throws IOException if something cannot be removed
     */
    public void wipe(int id) throws IOException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(dataDirectory(id))) {
            for (Path entry : entries) {
                if (!entry.getFileName().toString().equals(MY_ID)) {
                    new WorkDirectory(entry, false).close();
                }
            }
        }
    }

    /**
     * Makes sure that all servers still run.
     *
     * @throws IOException if one has ended
     */
    public void checkAlive() throws IOException {
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
    public void cap(double cores) throws IOException {
        for (ServerProcess server : servers) {
            server.cap(cores);
        }
    }

    @Override
    public synchronized void close() throws IOException, InterruptedException {
        closed = true;
        servers.forEach(ServerProcess::kill);
        IOException failure = null;
        try {
            links.close();
        } catch (IOException e) {
            failure = e;
        }
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
