package io.chainkeeper.test;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.Map;

/**
 * What one server of a {@link TestingServer} or {@link TestingCluster} is like; as Apache Curator's class of this name,
 * for a change of the import. Immutable.
 */
public class InstanceSpec {
    private static final String HOST = "127.0.0.1";

    private final File dataDirectory;
    private final int port;
    private final int electionPort;
    private final int quorumPort;
    private final boolean isTemporary;
    private final boolean deleteDataDirectoryOnClose;
    private final int serverId;
    private final int tickTime;
    private final int maxClientCnxns;
    private final Map<String, Object> customProperties;

    /**
     * @param dataDirectory where its files are; null for a temporary one
     * @param port for clients; -1 for one that the system chooses
     * @param electionPort has no effect
     * @param quorumPort has no effect
     * @param deleteDataDirectoryOnClose whether the directory, if it is given, is deleted in the end
     * @param serverId its number; -1 for the next one
     */
    public InstanceSpec(
            File dataDirectory,
            int port,
            int electionPort,
            int quorumPort,
            boolean deleteDataDirectoryOnClose,
            int serverId) {
        this(dataDirectory, port, electionPort, quorumPort, deleteDataDirectoryOnClose, serverId, -1, -1, null);
    }

    /**
     * @param dataDirectory where its files are; null for a temporary one
     * @param port for clients; -1 for one that the system chooses
     * @param electionPort has no effect
     * @param quorumPort has no effect
     * @param deleteDataDirectoryOnClose whether the directory, if it is given, is deleted in the end
     * @param serverId its number; -1 for the next one
     * @param tickTime in milliseconds; -1 for the default
     * @param maxClientCnxns connections that one address may have; -1 for any number
     */
    public InstanceSpec(
            File dataDirectory,
            int port,
            int electionPort,
            int quorumPort,
            boolean deleteDataDirectoryOnClose,
            int serverId,
            int tickTime,
            int maxClientCnxns) {
        this(
                dataDirectory,
                port,
                electionPort,
                quorumPort,
                deleteDataDirectoryOnClose,
                serverId,
                tickTime,
                maxClientCnxns,
                null);
    }

    /**
     * @param dataDirectory where its files are; null for a temporary one
     * @param port for clients; -1 for one that the system chooses
     * @param electionPort has no effect
     * @param quorumPort has no effect
     * @param deleteDataDirectoryOnClose whether the directory, if it is given, is deleted in the end
     * @param serverId its number; -1 for the next one
     * @param tickTime in milliseconds; -1 for the default
     * @param maxClientCnxns connections that one address may have; -1 for any number
     * @param customProperties further lines of {@code zoo.cfg}; may be null
     */
    public InstanceSpec(
            File dataDirectory,
            int port,
            int electionPort,
            int quorumPort,
            boolean deleteDataDirectoryOnClose,
            int serverId,
            int tickTime,
            int maxClientCnxns,
            Map<String, Object> customProperties) {
        this(
                dataDirectory,
                port,
                electionPort,
                quorumPort,
                deleteDataDirectoryOnClose,
                serverId,
                tickTime,
                maxClientCnxns,
                customProperties,
                HOST);
    }

    /**
     * @param dataDirectory where its files are; null for a temporary one
     * @param port for clients; -1 for one that the system chooses
     * @param electionPort has no effect
     * @param quorumPort has no effect
     * @param deleteDataDirectoryOnClose whether the directory, if it is given, is deleted in the end
     * @param serverId its number; -1 for the next one
     * @param tickTime in milliseconds; -1 for the default
     * @param maxClientCnxns connections that one address may have; -1 for any number
     * @param customProperties further lines of {@code zoo.cfg}; may be null
     * @param hostname has no effect: servers listen on the loopback address
     */
    public InstanceSpec(
            File dataDirectory,
            int port,
            int electionPort,
            int quorumPort,
            boolean deleteDataDirectoryOnClose,
            int serverId,
            int tickTime,
            int maxClientCnxns,
            Map<String, Object> customProperties,
            String hostname) {
        this.dataDirectory = dataDirectory == null ? temporary() : dataDirectory;
        this.port = port >= 0 ? port : getRandomPort();
        this.electionPort = electionPort;
        this.quorumPort = quorumPort;
        this.isTemporary = dataDirectory == null;
        this.deleteDataDirectoryOnClose = isTemporary || deleteDataDirectoryOnClose;
        this.serverId = serverId;
        this.tickTime = tickTime;
        this.maxClientCnxns = maxClientCnxns;
        this.customProperties = customProperties == null ? Map.of() : Map.copyOf(customProperties);
    }

    private static File temporary() {
        try {
            return Files.createTempDirectory("chainkeeper-test").toFile();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @return one with a temporary directory and a port that the system chooses */
    public static InstanceSpec newInstanceSpec() {
        return new InstanceSpec(null, -1, -1, -1, true, -1, -1, -1);
    }

    /** @return a port of the loopback address that nobody uses at the moment */
    public static int getRandomPort() {
        try (ReservedPort port = ReservedPort.choose()) {
            return port.port();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @return its number, -1 if none has been given */
    public int getServerId() {
        return serverId;
    }

    /** @return where its files are */
    public File getDataDirectory() {
        return dataDirectory;
    }

    /** @return the port for clients */
    public int getPort() {
        return port;
    }

    /** @return what has been given */
    public int getElectionPort() {
        return electionPort;
    }

    /** @return what has been given */
    public int getQuorumPort() {
        return quorumPort;
    }

    /** @return what a client needs to connect */
    public String getConnectString() {
        return HOST + ":" + port;
    }

    /** @return in milliseconds, -1 for the default */
    public int getTickTime() {
        return tickTime;
    }

    /** @return connections that one address may have, -1 for any number */
    public int getMaxClientCnxns() {
        return maxClientCnxns;
    }

    /** Whether the directory was made for it, and is nobody else's. */
    boolean isTemporary() {
        return isTemporary;
    }

    /** @return whether the directory is deleted in the end */
    public boolean deleteDataDirectoryOnClose() {
        return deleteDataDirectoryOnClose;
    }

    /** @return further lines of {@code zoo.cfg} */
    public Map<String, Object> getCustomProperties() {
        return customProperties;
    }

    /** @return the address that servers listen on */
    public String getHostname() {
        return HOST;
    }

    /** Two are the same if their ports are, as in Curator's class. */
    @Override
    public boolean equals(Object other) {
        return other instanceof InstanceSpec spec && spec.port == port;
    }

    @Override
    public int hashCode() {
        return port;
    }

    @Override
    public String toString() {
        return "InstanceSpec{port=" + port + ", serverId=" + serverId + ", dataDirectory=" + dataDirectory + "}";
    }
}
