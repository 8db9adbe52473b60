package io.chainkeeper.server;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.ServerCnxn;
import org.apache.zookeeper.server.ZKDatabase;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;
import org.apache.zookeeper.server.quorum.flexible.QuorumVerifier;

/** ZooKeeper's in-memory database without what only its own quorum protocol needs. */
final class OrderedDatabase extends ZKDatabase {
    private volatile Consumer<ServerCnxn> closedListener = connection -> {};

    OrderedDatabase(FileTxnSnapLog files) {
        super(files);
    }

    /** @param listener told of each connection that is closed, on whichever thread closes it */
    void onConnectionClosed(Consumer<ServerCnxn> listener) {
        closedListener = listener;
    }

    @Override
    public void addCommittedProposal(Request request) {
        // Lagging replicas are served from the order, so recent transactions are not kept in memory a second time.
    }

    @Override
    public void removeCnxn(ServerCnxn connection) {
        super.removeCnxn(connection);
        closedListener.accept(connection);
    }

    /** Sets the configuration node to the same content and Stat on every replica. */
    @Override
    public synchronized void initConfigInZKDatabase(QuorumVerifier verifier) {
        if (verifier == null) {
            return;
        }
        try {
            if (dataTree.getNode(ZooDefs.CONFIG_NODE) == null) {
                dataTree.addConfigNode();
            }
            byte[] config = text(verifier).getBytes(StandardCharsets.UTF_8);
            dataTree.setData(ZooDefs.CONFIG_NODE, config, -1, verifier.getVersion(), 0);
        } catch (KeeperException.NoNodeException e) {
            throw new IllegalStateException("node " + ZooDefs.CONFIG_NODE + " could not be created", e);
        }
    }

    /** ZooKeeper formats ports with the digits of the default locale, which may differ between replicas. */
    private static String text(QuorumVerifier verifier) {
        Locale locale = Locale.getDefault(Locale.Category.FORMAT);
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        try {
            return verifier.toString();
        } finally {
            Locale.setDefault(Locale.Category.FORMAT, locale);
        }
    }
}
