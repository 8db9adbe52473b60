package io.chainkeeper.compatibility;

import io.chainkeeper.config.OrderingConfigParser;
import io.chainkeeper.config.StartupConfig;
import io.chainkeeper.config.UserMistakeException;
import io.chainkeeper.main.ReplicaStarter;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.server.bootstrap.ChainkeeperServer;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/**
 * One replica in this JVM, started from a zoo.cfg as a server process is. System property {@code ensemble.protocol}
 * chooses {@code ordering.protocol}: {@code chain} unless said.
 */
public final class EnsembleMember implements AutoCloseable {
    private final Path directory;
    private final ChainkeeperServer server;

    private EnsembleMember(Path directory, ChainkeeperServer server) {
        this.directory = directory;
        this.server = server;
    }

    /**
     * Starts a replica; does not wait until it serves.
     *
     * @param directory its data directory, with its myid; gets a zoo.cfg
     * @param settings the lines of the zoo.cfg
     * @throws IOException if it cannot start
     */
    public static EnsembleMember start(Path directory, Map<String, String> settings) throws IOException {
        Map<String, String> all = hasDisks() ? MemberDisks.complete(directory, settings) : settings;
        List<String> lines = new ArrayList<>();
        lines.add("ordering.protocol=" + protocol());
        all.forEach((key, value) -> lines.add(key + "=" + value));
        Path file = Files.write(directory.resolve("zoo.cfg"), lines);
        if (hasDisks()) {
            MemberDisks.formatIfMissing(file, all);
        }
        try {
            StartupConfig config = new OrderingConfigParser(ServiceLoader.load(OrderingProtocolFactory.class))
                    .parse(file)
                    .orElseThrow(() -> new IOException(file + " asks for the stock server"));
            return new EnsembleMember(directory, ReplicaStarter.startReplica(config));
        } catch (UserMistakeException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static String protocol() {
        return System.getProperty("ensemble.protocol", "chain");
    }

    /** Returns whether replicas share disks. */
    static boolean hasDisks() {
        return protocol().equals("disk");
    }

    /** Waits until it lets clients in. */
    void awaitServing() throws IOException {
        Await.until("the replica of " + directory + " serves", () -> {
            if (server.failureMessage() != null) {
                throw new IOException("the replica of " + directory + " has stopped: " + server.failureMessage());
            }
            return server.server().isServing();
        });
    }

    /** Returns the server inside. */
    public OrderedZooKeeperServer server() {
        return server.server();
    }

    /** Stops it and waits until its files are closed. */
    @Override
    public void close() {
        server.shutdown();
    }
}
