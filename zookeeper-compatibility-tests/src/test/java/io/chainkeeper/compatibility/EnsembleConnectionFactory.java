package io.chainkeeper.compatibility;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.quorum.QuorumZooKeeperServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts an ensemble of three replicas in the place of the standalone server that one of ZooKeeper's tests starts. System
 * property {@code zookeeper.serverCnxnFactory} names this class, so that the tests make their client port with it; the
 * port then belongs to one of the replicas, another one at each start.
 *
 * <p>The replicas' directories lie in that of the server they replace: a test that stops its server and starts another
 * one on the same directory finds what it has written.
 */
public final class EnsembleConnectionFactory extends NIOServerCnxnFactory {
    private static final Logger LOG = LoggerFactory.getLogger(EnsembleConnectionFactory.class);
    private static final AtomicInteger STARTS = new AtomicInteger();

    private InProcessEnsemble ensemble;

    /** Returns how many ensembles this JVM has started. */
    static int starts() {
        return STARTS.get();
    }

    @Override
    public void startup(ZooKeeperServer given, boolean startServer) throws IOException, InterruptedException {
        if (!startServer || given instanceof QuorumZooKeeperServer) {
            super.startup(given, startServer);
            return;
        }
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("tickTime", Integer.toString(given.getTickTime()));
        settings.put("minSessionTimeout", Integer.toString(given.getMinSessionTimeout()));
        settings.put("maxSessionTimeout", Integer.toString(given.getMaxSessionTimeout()));
        Path directory = given.getTxnLogFactory().getSnapDir().toPath().getParent();
        ensemble = new InProcessEnsemble(directory, InProcessEnsemble.DEFAULT_SIZE, settings);
        ensemble.startAll();
        int replica = STARTS.incrementAndGet() % InProcessEnsemble.DEFAULT_SIZE + 1;
        LOG.info("Port {} belongs to replica {} of {}", getLocalPort(), replica, directory);
        super.startup(ensemble.server(replica), false);
    }

    @Override
    public void shutdown() {
        if (ensemble == null) {
            super.shutdown();
            return;
        }
        // The superclass would shut down the replica's server behind the replica's back.
        ZooKeeperServer server = zkServer;
        zkServer = null;
        super.shutdown();
        zkServer = server;
        ensemble.close();
        ensemble = null;
    }
}
