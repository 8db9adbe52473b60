package io.chainkeeper.server.maintenance;

import io.chainkeeper.server.guard.ExecutionLock;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import io.chainkeeper.server.zookeeper.PassiveQuorumPeer;
import java.lang.reflect.Constructor;
import java.util.function.Consumer;
import org.apache.zookeeper.server.ZKDatabase;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;
import org.apache.zookeeper.server.quorum.QuorumPeer;
import org.apache.zookeeper.server.quorum.ReadOnlyZooKeeperServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code readonlymode.enabled}: while there is no order, ZooKeeper's own read-only server serves this replica's tree,
 * to clients that have said that they can do with that. What is read may be old. Nothing is executed meanwhile, so
 * nothing may be proposed by the maintenance thread, which uses this: it would wait for ever where it waits for room.
 */
public final class ReadOnlyMode implements ServingPolicy.WithoutOrder {
    /** As a Java property; in a zoo.cfg it becomes the other one. */
    private static final String PROPERTY = "readonlymode.enabled";

    private static final Logger LOG = LoggerFactory.getLogger(ReadOnlyMode.class);

    private final PassiveQuorumPeer peer;
    private final OrderedZooKeeperServer server;
    private final ExecutionLock lock;
    private final Consumer<ZooKeeperServer> shown;
    private ReadOnlyZooKeeperServer readOnlyServer;

    private ReadOnlyMode(
            PassiveQuorumPeer peer,
            OrderedZooKeeperServer server,
            ExecutionLock lock,
            Consumer<ZooKeeperServer> shown) {
        this.peer = peer;
        this.server = server;
        this.lock = lock;
        this.shown = shown;
    }

    /**
     * @param peer whose client ports are used
     * @param server that serves otherwise
     * @param lock keeps execution waiting
     * @param shown told which server answers from now on
     * @return this mode if the user wants it, else nothing
     */
    public static ServingPolicy.WithoutOrder ifEnabled(
            PassiveQuorumPeer peer,
            OrderedZooKeeperServer server,
            ExecutionLock lock,
            Consumer<ZooKeeperServer> shown) {
        boolean enabled = Boolean.getBoolean(PROPERTY) || Boolean.getBoolean("zookeeper." + PROPERTY);
        if (enabled) {
            // ZooKeeper lets clients ask isro, whatever 4lw.commands.whitelist says, if it finds this one.
            System.setProperty(PROPERTY, "true");
        }
        return enabled ? new ReadOnlyMode(peer, server, lock, shown) : ServingPolicy.WithoutOrder.NOBODY;
    }

    @Override
    public void begin() {
        if (readOnlyServer != null) {
            return;
        }
        LOG.info("Serving read-only clients until there is a leader of the order");
        ReadOnlyZooKeeperServer created = create();
        lock.excludeExecution();
        readOnlyServer = created;
        peer.setReadOnly(true);
        readOnlyServer.startup();
        peer.activate(readOnlyServer);
        shown.accept(readOnlyServer);
    }

    /** The class is there to be used by ZooKeeper's own peer only, and everything that tells clients asks for it. */
    private ReadOnlyZooKeeperServer create() {
        try {
            Constructor<ReadOnlyZooKeeperServer> constructor = ReadOnlyZooKeeperServer.class.getDeclaredConstructor(
                    FileTxnSnapLog.class, QuorumPeer.class, ZKDatabase.class);
            constructor.setAccessible(true);
            return constructor.newInstance(peer.getTxnFactory(), peer, peer.database());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this release of ZooKeeper has another read-only server: " + e, e);
        }
    }

    @Override
    public boolean isActive() {
        return readOnlyServer != null;
    }

    @Override
    public void end() {
        if (readOnlyServer == null) {
            return;
        }
        LOG.info("No longer serving read-only clients");
        shown.accept(server);
        readOnlyServer.shutdown();
        readOnlyServer = null;
        peer.setReadOnly(false);
        peer.activate(server);
        server.showMetrics();
        lock.admitExecution();
    }
}
