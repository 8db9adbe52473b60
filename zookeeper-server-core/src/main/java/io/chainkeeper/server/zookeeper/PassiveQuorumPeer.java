package io.chainkeeper.server.zookeeper;

import io.chainkeeper.server.connection.NettyConnections;
import io.chainkeeper.server.connection.ReplyBatch;
import java.io.IOException;
import java.util.function.Consumer;
import javax.security.sasl.SaslException;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZKDatabase;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;
import org.apache.zookeeper.server.quorum.QuorumPeer;

/**
 * ZooKeeper's quorum peer without its protocol: it holds the configuration, loads the files and holds the client ports,
 * but neither elects nor replicates. Its thread runs the life of the replica.
 */
public final class PassiveQuorumPeer extends QuorumPeer {
    private static final String ADMIN_SERVER_PROPERTY = "zookeeper.admin.enableServer";

    /** Runs on the peer's thread from start to stop. */
    public interface Life {
        /** @throws IOException if the replica cannot start */
        void live(PassiveQuorumPeer peer) throws IOException;
    }

    private final Life life;
    private final Consumer<Throwable> failed;
    private final ReplyBatch replies = new ReplyBatch();
    private OrderedDatabase database;
    private volatile ZooKeeperServer activeServer;
    private volatile boolean readOnly;
    private ServerCnxnFactory clientPort;
    private ServerCnxnFactory secureClientPort;

    private PassiveQuorumPeer(Life life, Consumer<Throwable> failed, FileTxnSnapLog files) throws SaslException {
        this.life = life;
        this.failed = failed;
        super.setTxnFactory(files);
    }

    /** Creates a peer whose own AdminServer, which could never be told about our server, stays off. */
    public static PassiveQuorumPeer create(Life life, Consumer<Throwable> failed, FileTxnSnapLog files)
            throws SaslException {
        synchronized (PassiveQuorumPeer.class) {
            String configured = System.getProperty(ADMIN_SERVER_PROPERTY);
            System.setProperty(ADMIN_SERVER_PROPERTY, "false");
            try {
                return new PassiveQuorumPeer(life, failed, files);
            } finally {
                if (configured == null) {
                    System.clearProperty(ADMIN_SERVER_PROPERTY);
                } else {
                    System.setProperty(ADMIN_SERVER_PROPERTY, configured);
                }
            }
        }
    }

    /** Would log in for links that this peer does not have. */
    @Override
    public void initialize() {}

    /** Whoever runs the peer would give it ZooKeeper's own; it keeps those that it was created with. */
    @Override
    public void setTxnFactory(FileTxnSnapLog ignored) {}

    @Override
    public void setZKDatabase(ZKDatabase ignored) {
        database = new OrderedDatabase(getTxnFactory());
        super.setZKDatabase(database);
    }

    /** @return the database, once ZooKeeper has had it created; null before that */
    public OrderedDatabase database() {
        return database;
    }

    /** @return what the apply thread's answers to clients of both ports are collected in */
    public ReplyBatch replies() {
        return replies;
    }

    /** Kept until {@link #openClientPorts}: whoever gets an answer may take it that this server has started. */
    @Override
    public void setCnxnFactory(ServerCnxnFactory factory) {
        clientPort = factory;
        NettyConnections.install(factory, replies);
    }

    @Override
    public void setSecureCnxnFactory(ServerCnxnFactory factory) {
        secureClientPort = factory;
        NettyConnections.install(factory, replies);
    }

    /** Begins to answer at the client ports; after {@link #activate}. */
    public void openClientPorts() {
        for (ServerCnxnFactory port : new ServerCnxnFactory[] {clientPort, secureClientPort}) {
            if (port != null) {
                port.start();
            }
        }
    }

    @Override
    public void shutdown() {
        super.shutdown();
        if (activeServer == null) {
            closeUnused(clientPort);
            closeUnused(secureClientPort);
        }
    }

    private static void closeUnused(ServerCnxnFactory port) {
        if (port != null) {
            port.shutdown();
        }
    }

    @Override
    public synchronized void startLeaderElection() {
        // The order below has its own leader.
    }

    @Override
    public void run() {
        try {
            life.live(this);
        } catch (IOException | RuntimeException | Error e) {
            failed.accept(e);
        }
    }

    /** Before {@link #openClientPorts}: lets both connection factories and the peer's own queries see the server. */
    public void activate(ZooKeeperServer server) {
        activeServer = server;
        super.setCnxnFactory(clientPort);
        super.setSecureCnxnFactory(secureClientPort);
        setZooKeeperServer(server);
    }

    /** Whether the active server is ZooKeeper's read-only one. */
    public void setReadOnly(boolean active) {
        readOnly = active;
    }

    /** The read-only server asks for it: its sessions, of which no other replica can know, are local ones always. */
    @Override
    public boolean areLocalSessionsEnabled() {
        return readOnly || super.areLocalSessionsEnabled();
    }

    @Override
    public ZooKeeperServer getActiveServer() {
        return activeServer;
    }
}
