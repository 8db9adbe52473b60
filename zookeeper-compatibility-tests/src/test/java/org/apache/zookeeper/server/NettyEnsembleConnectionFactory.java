package org.apache.zookeeper.server;

import io.chainkeeper.compatibility.StandInEnsemble;
import java.io.IOException;

/**
 * As {@link io.chainkeeper.compatibility.EnsembleConnectionFactory}, with Netty's connections. In this package
 * because Netty's factory can be made in no other.
 */
public final class NettyEnsembleConnectionFactory extends NettyServerCnxnFactory {
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
