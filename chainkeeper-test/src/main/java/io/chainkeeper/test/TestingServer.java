package io.chainkeeper.test;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.util.List;

/**
 * One server; as Apache Curator's class of this name, for a change of the import. Methods return when what they say has
 * happened. May be used by any thread, by one after the other.
 */
public class TestingServer implements Closeable {
    private final InstanceSpec spec;
    private final ChainkeeperCluster cluster;

    /**
     * Starts a server.
     *
     * @throws Exception if it does not start
     */
    public TestingServer() throws Exception {
        this(true);
    }

    /**
     * @param start whether to start it
     * @throws Exception if it does not start
     */
    public TestingServer(boolean start) throws Exception {
        this(-1, null, start);
    }

    /**
     * Starts a server.
     *
     * @param port for clients; -1 for one that the system chooses
     * @throws Exception if it does not start
     */
    public TestingServer(int port) throws Exception {
        this(port, true);
    }

    /**
     * @param port for clients; -1 for one that the system chooses
     * @param start whether to start it
     * @throws Exception if it does not start
     */
    public TestingServer(int port, boolean start) throws Exception {
        this(port, null, start);
    }

    /**
     * Starts a server.
     *
     * @param port for clients; -1 for one that the system chooses
     * @param tempDirectory where its files are; deleted in the end
     * @throws Exception if it does not start
     */
    public TestingServer(int port, File tempDirectory) throws Exception {
        this(port, tempDirectory, true);
    }

    /**
     * @param port for clients; -1 for one that the system chooses
     * @param tempDirectory where its files are, null for a temporary one; deleted in the end
     * @param start whether to start it
     * @throws Exception if it does not start
     */
    public TestingServer(int port, File tempDirectory, boolean start) throws Exception {
        this(new InstanceSpec(tempDirectory, port, -1, -1, true, -1), start);
    }

    /**
     * @param spec what it is like
     * @param start whether to start it
     * @throws Exception if it does not start
     */
    public TestingServer(InstanceSpec spec, boolean start) throws Exception {
        this.spec = spec;
        this.cluster = SpecCluster.of(List.of(spec));
        if (start) {
            boolean started = false;
            try {
                start();
                started = true;
            } finally {
                if (!started) {
                    abandon();
                }
            }
        }
    }

    /** Nobody will close it. What was given stays: the next attempt may be with the same files. */
    private void abandon() throws IOException {
        cluster.close();
        if (spec.isTemporary()) {
            SpecCluster.deleteDirectories(List.of(spec));
        }
    }

    /** @return the port for clients */
    public int getPort() {
        return spec.getPort();
    }

    /** @return where its files are */
    public File getTempDirectory() {
        return spec.getDataDirectory();
    }

    /** @return what a client needs to connect */
    public String getConnectString() {
        return spec.getConnectString();
    }

    /**
     * Starts it, if it does not run, and waits until it lets clients in.
     *
     * @throws Exception if it does not
     */
    public void start() throws Exception {
        cluster.start();
    }

    /**
     * Stops it, if it runs. Its files stay.
     *
     * @throws IOException never; Curator's class declares it
     */
    public void stop() throws IOException {
        cluster.stop();
    }

    /**
     * Stops it, if it runs, and starts it on the same port with the same files.
     *
     * @throws Exception if it does not start
     */
    public void restart() throws Exception {
        cluster.stop();
        cluster.start();
    }

    /** @return this server as an ensemble of one, for what Curator's class does not have */
    public ChainkeeperCluster cluster() {
        return cluster;
    }

    /** Stops it and deletes its files. */
    @Override
    public void close() throws IOException {
        cluster.close();
        SpecCluster.deleteDirectories(List.of(spec));
    }
}
