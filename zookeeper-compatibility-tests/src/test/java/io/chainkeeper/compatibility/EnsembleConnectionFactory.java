package io.chainkeeper.compatibility;

import java.io.IOException;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/**
 * Puts a {@link StandInEnsemble} in the place of the standalone server that one of ZooKeeper's tests starts. System
 * property {@code zookeeper.serverCnxnFactory} names this class, so that the tests make their client port with it.
 */
public final class EnsembleConnectionFactory extends NIOServerCnxnFactory {
    private StandInEnsemble ensemble;

    @Override
    public void startup(ZooKeeperServer given, boolean startServer) throws IOException, InterruptedException {
        if (!StandInEnsemble.replaces(given, startServer)) {
            super.startup(given, startServer);
            return;
        }
        ensemble = StandInEnsemble.start(given, getLocalPort());
        super.startup(ensemble.server(), false);
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
        ensemble.stop();
        ensemble = null;
    }
}
