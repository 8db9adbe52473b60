package io.chainkeeper.test;

import java.io.Closeable;
import java.io.IOException;
import java.util.Collection;
import java.util.List;

/**
 * One server of a {@link TestingCluster}; as Apache Curator's class of this name. Methods return when what they say has
 * happened. May be used by any thread, by one after the other.
 */
public class TestingZooKeeperServer implements Closeable {
    private final ChainkeeperCluster cluster;
    private final List<InstanceSpec> specs;
    private final int id;

    TestingZooKeeperServer(ChainkeeperCluster cluster, List<InstanceSpec> specs, int id) {
        this.cluster = cluster;
        this.specs = specs;
        this.id = id;
    }

    /** @return all servers of the ensemble */
    public Collection<InstanceSpec> getInstanceSpecs() {
        return specs;
    }

    /** @return this server */
    public InstanceSpec getInstanceSpec() {
        return specs.get(id - 1);
    }

    /** Ends it as a crash of its process does: see {@link ChainkeeperCluster#kill}. */
    public void kill() {
        cluster.kill(id);
    }

    /**
     * Stops it, if it runs, and starts it with the same files. Does not wait until it lets clients in, for which it may
     * need the others.
     *
     * @throws Exception if it does not start
     */
    public void restart() throws Exception {
        cluster.server(id).stop();
        cluster.server(id).start();
    }

    /**
     * Stops it, if it runs. Its files stay.
     *
     * @throws IOException never; Curator's class declares it
     */
    public void stop() throws IOException {
        cluster.server(id).stop();
    }

    /**
     * Starts it, if it does not run. Does not wait until it lets clients in.
     *
     * @throws Exception if it does not start
     */
    public void start() throws Exception {
        cluster.server(id).start();
    }

    /** @return the port for clients */
    public int getLocalPort() {
        return getInstanceSpec().getPort();
    }

    /** Stops it. */
    @Override
    public void close() throws IOException {
        stop();
    }
}
