package io.chainkeeper.compatibility;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.quorum.QuorumZooKeeperServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An ensemble of three replicas in the place of the standalone server that one of ZooKeeper's tests starts. The client
 * port that the test has made belongs to one of the replicas, another one at each start.
 *
 * <p>The replicas' directories lie in that of the server they replace: a test that stops its server and starts another
 * one on the same directory finds what it has written.
 */
public final class StandInEnsemble {
    private static final Logger LOG = LoggerFactory.getLogger(StandInEnsemble.class);
    private static final AtomicInteger STARTS = new AtomicInteger();

    private final InProcessEnsemble replicas;
    private final ZooKeeperServer server;

    private StandInEnsemble(InProcessEnsemble replicas, ZooKeeperServer server) {
        this.replicas = replicas;
        this.server = server;
    }

    /** Returns whether replicas stand in for this server: it is a standalone one that is to be started. */
    public static boolean replaces(ZooKeeperServer given, boolean startServer) {
        return startServer && !(given instanceof QuorumZooKeeperServer);
    }

    /**
     * Starts the replicas and waits until they serve.
     *
     * @param given what they stand in for
     * @param port the client port, for the log
     */
    public static StandInEnsemble start(ZooKeeperServer given, int port) throws IOException {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("tickTime", Integer.toString(given.getTickTime()));
        settings.put("minSessionTimeout", Integer.toString(given.getMinSessionTimeout()));
        settings.put("maxSessionTimeout", Integer.toString(given.getMaxSessionTimeout()));
        Path directory = given.getTxnLogFactory().getSnapDir().toPath().getParent();
        InProcessEnsemble replicas = new InProcessEnsemble(directory, InProcessEnsemble.DEFAULT_SIZE, settings);
        replicas.startAll();
        int replica = STARTS.incrementAndGet() % InProcessEnsemble.DEFAULT_SIZE + 1;
        LOG.info("Port {} belongs to replica {} of {}", port, replica, directory);
        return new StandInEnsemble(replicas, replicas.server(replica));
    }

    /** Returns the server of the replica to which the client port belongs. */
    public ZooKeeperServer server() {
        return server;
    }

    /** Stops the replicas and waits until their files are closed. */
    public void stop() {
        replicas.close();
    }
}
