package io.chainkeeper.test;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.zookeeper.ZooKeeper;

/**
 * An ensemble; as Apache Curator's class of this name, for a change of the import. Methods return when what they say
 * has happened. May be used by any thread, by one after the other.
 */
public class TestingCluster implements Closeable {
    private final List<InstanceSpec> specs;
    private final ChainkeeperCluster cluster;
    private final List<TestingZooKeeperServer> servers;

    /**
     * Starts nothing.
     *
     * @param instanceQty how many servers
     * @throws IOException if there is no port or no directory
     */
    public TestingCluster(int instanceQty) throws IOException {
        this(IntStream.rangeClosed(1, instanceQty)
                .mapToObj(id -> new InstanceSpec(null, -1, -1, -1, true, id))
                .toList());
    }

    /**
     * Starts nothing.
     *
     * @param specs the servers
     * @throws IOException if there is no port or no directory
     */
    public TestingCluster(InstanceSpec... specs) throws IOException {
        this(Arrays.asList(specs));
    }

    /**
     * Starts nothing.
     *
     * @param specs the servers
     * @throws IOException if there is no port or no directory
     */
    public TestingCluster(Collection<InstanceSpec> specs) throws IOException {
        this.specs = List.copyOf(specs);
        this.cluster = SpecCluster.of(this.specs);
        List<TestingZooKeeperServer> all = new ArrayList<>();
        for (int id = 1; id <= this.specs.size(); id++) {
            all.add(new TestingZooKeeperServer(cluster, this.specs, id));
        }
        this.servers = List.copyOf(all);
    }

    /** @return the servers */
    public Collection<InstanceSpec> getInstances() {
        return specs;
    }

    /** @return the servers */
    public List<TestingZooKeeperServer> getServers() {
        return servers;
    }

    /** @return what a client needs to connect to any of them */
    public String getConnectString() {
        return cluster.connectString();
    }

    /**
     * Starts all and waits until they let clients in.
     *
     * @throws Exception if one does not
     */
    public void start() throws Exception {
        cluster.start();
    }

    /**
     * Stops all. Their files stay.
     *
     * @throws IOException never; Curator's class declares it
     */
    public void stop() throws IOException {
        cluster.stop();
    }

    /**
     * Ends a server as a crash of its process does.
     *
     * @param instance the server
     * @return false if it is none of this ensemble
     * @throws Exception never; Curator's class declares it
     */
    public boolean killServer(InstanceSpec instance) throws Exception {
        int index = specs.indexOf(instance);
        if (index >= 0) {
            servers.get(index).kill();
        }
        return index >= 0;
    }

    /**
     * Starts a server with the files that it has, after it has been stopped if it runs.
     *
     * @param instance the server
     * @return false if it is none of this ensemble
     * @throws Exception if it does not start
     */
    public boolean restartServer(InstanceSpec instance) throws Exception {
        int index = specs.indexOf(instance);
        if (index >= 0) {
            servers.get(index).restart();
        }
        return index >= 0;
    }

    /**
     * @param client of this ensemble
     * @return the server that it is connected to; null if it is connected to none
     * @throws Exception never; Curator's class declares it
     */
    public InstanceSpec findConnectionInstance(ZooKeeper client) throws Exception {
        TestServer server = cluster.serverOf(client);
        return server == null ? null : specs.get(server.id() - 1);
    }

    /** @return this ensemble, for what Curator's class does not have */
    public ChainkeeperCluster cluster() {
        return cluster;
    }

    /** Stops all and deletes their files. */
    @Override
    public void close() throws IOException {
        cluster.close();
        SpecCluster.deleteDirectories(specs);
    }
}
