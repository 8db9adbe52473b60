package io.chainkeeper.server.zookeeper;

import io.chainkeeper.server.guard.HeapGuard;
import io.chainkeeper.server.state.EnsembleConfig;
import io.chainkeeper.server.state.ReplicatedState;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Properties;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.server.DataNode;
import org.apache.zookeeper.server.DataTree;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.ServerCnxn;
import org.apache.zookeeper.server.ZKDatabase;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;
import org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.apache.zookeeper.server.quorum.flexible.QuorumMaj;
import org.apache.zookeeper.server.quorum.flexible.QuorumVerifier;

/** ZooKeeper's in-memory database without what only its own quorum protocol needs. */
public final class OrderedDatabase extends ZKDatabase {
    private boolean configurationOfFile;
    private volatile Consumer<ServerCnxn> closedListener = connection -> {};

    OrderedDatabase(FileTxnSnapLog files) {
        super(files);
    }

    /** Called by the constructor of ZooKeeper's class, too. */
    @Override
    public DataTree createDataTree() {
        return newTree();
    }

    /** @return an empty tree, as a server has it, that belongs to no database */
    public static DataTree newTree() {
        return new OrderedDataTree();
    }

    /** @return what the tree holds, as it is whenever it is asked for */
    public HeapGuard.Tree size() {
        return new HeapGuard.Tree() {
            @Override
            public long nodes() {
                return getNodeCount();
            }

            @Override
            public long bytes() {
                return getDataTree().cachedApproximateDataSize();
            }
        };
    }

    /**
     * Numbers of a tree for monitoring, without the prefix.
     *
     * @param tree made by this class
     * @return which of its numbers are near their end
     */
    public static Map<String, LongSupplier> gauges(DataTree tree) {
        return ((OrderedDataTree) tree).ends().gauges();
    }

    /** @param listener told of each connection that is closed, on whichever thread closes it */
    public void onConnectionClosed(Consumer<ServerCnxn> listener) {
        closedListener = listener;
    }

    @Override
    public void addCommittedProposal(Request request) {
        // Lagging replicas are served from the order, so recent transactions are not kept in memory a second time.
    }

    /** Asked for by a read-only server that ends: this tree is never behind its log. */
    @Override
    public long fastForwardDataBase() {
        return getDataTreeLastProcessedZxid();
    }

    @Override
    public void removeCnxn(ServerCnxn connection) {
        super.removeCnxn(connection);
        closedListener.accept(connection);
    }

    /**
     * Asked for before the files are loaded, which may hold a later configuration; {@link #recoverConfiguration} does
     * it afterwards, the same way on every replica.
     */
    @Override
    public synchronized void initConfigInZKDatabase(QuorumVerifier verifier) {}

    /**
     * Brings the configuration node in line, once the files are loaded: what the tree lacks or what was there before
     * the first {@code reconfig} is given the same content and Stat on every replica.
     *
     * @param own what this replica's file says
     * @param state the replicated state as of the recovered position; the tree may be ahead of it
     * @param reconfigEnabled whether this server takes {@code reconfig}, so that the configuration will be replicated
     * @return the configuration that the tree holds then
     */
    public synchronized EnsembleConfig recoverConfiguration(
            EnsembleConfig own, ReplicatedState state, boolean reconfigEnabled) {
        // Of what Apache ZooKeeper has left nothing is dropped without a word.
        String found = state.clusterId() == null ? text() : configuration();
        EnsembleConfig replicated = state.configuration();
        if (replicated == null && !reconfigEnabled && !configuredAfter(state.zxid(), own)) {
            setConfiguration(own);
        } else if (replicated != null) {
            boolean isFirst = state.reconfigZxid() == 0;
            if (found.isEmpty() || isFirst && EnsembleConfig.versionOf(found) <= replicated.version()) {
                setConfiguration(replicated);
            }
        } else if (found.isEmpty() || EnsembleConfig.versionOf(found) <= own.version()) {
            configurationOfFile = found.isEmpty();
            setConfiguration(own);
        } else {
            // Apache ZooKeeper stamps it with each server's own clock.
            setConfiguration(EnsembleConfig.of(verifier(found)));
        }
        return EnsembleConfig.parse(configuration());
    }

    /** A server that does not take {@code reconfig} may have executed those of others since its checkpoint. */
    private boolean configuredAfter(long zxid, EnsembleConfig own) {
        DataNode node = dataTree.getNode(ZooDefs.CONFIG_NODE);
        return node != null
                && node.stat.getMzxid() > zxid
                && !configuration().isEmpty()
                && EnsembleConfig.versionOf(configuration()) > own.version();
    }

    private static QuorumVerifier verifier(String text) {
        try {
            Properties lines = new Properties();
            lines.load(new StringReader(text));
            return new QuorumMaj(lines);
        } catch (IOException | QuorumPeerConfig.ConfigException e) {
            throw new IllegalStateException(
                    ZooDefs.CONFIG_NODE + " does not hold a configuration: " + e.getMessage(), e);
        }
    }

    /**
     * Apply thread: the cluster is formed with a configuration.
     *
     * @param first the configuration
     * @param treeIsAhead whether the tree may hold a later one
     */
    synchronized void firstConfiguration(EnsembleConfig first, boolean treeIsAhead) {
        String found = configuration();
        if (configurationOfFile
                || !treeIsAhead
                || found.isEmpty()
                || EnsembleConfig.versionOf(found) <= first.version()) {
            configurationOfFile = false;
            setConfiguration(first);
        }
    }

    /**
     * Apply thread: a {@code reconfig} has been executed. If that was before the last restart, recovery may have
     * stamped the node as one of a former cluster.
     *
     * @param configuration what it has made of the configuration
     * @param timeMillis its agreed time
     */
    synchronized void configurationExecuted(EnsembleConfig configuration, long timeMillis) {
        DataNode node = dataTree.getNode(ZooDefs.CONFIG_NODE);
        if (node != null && configuration.text().equals(configuration())) {
            synchronized (node) {
                node.stat.setMtime(timeMillis);
            }
        }
    }

    private String text() {
        DataNode node = dataTree.getNode(ZooDefs.CONFIG_NODE);
        byte[] data = node == null ? null : node.getData();
        return data == null ? "" : new String(data, StandardCharsets.UTF_8);
    }

    /** Empty if there is none: a client of an earlier release, or a member of bad faith, may have set anything. */
    private String configuration() {
        String text = text();
        return isConfiguration(text) ? text : "";
    }

    private static boolean isConfiguration(String text) {
        try {
            EnsembleConfig.parse(text);
            return true;
        } catch (IllegalArgumentException ours) {
            return isOfApacheZooKeeper(text);
        }
    }

    private static boolean isOfApacheZooKeeper(String text) {
        try {
            EnsembleConfig.versionOf(text);
            EnsembleConfig.of(verifier(text));
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    private void setConfiguration(EnsembleConfig configuration) {
        if (dataTree.getNode(ZooDefs.CONFIG_NODE) == null) {
            dataTree.addConfigNode();
        }
        String text = configuration.text();
        DataNode node = dataTree.getNode(ZooDefs.CONFIG_NODE);
        if (text.equals(configuration()) && node.stat.getMtime() == 0) {
            return;
        }
        try {
            dataTree.setData(
                    ZooDefs.CONFIG_NODE, text.getBytes(StandardCharsets.UTF_8), -1, configuration.version(), 0);
        } catch (KeeperException.NoNodeException e) {
            throw new IllegalStateException("node " + ZooDefs.CONFIG_NODE + " could not be created", e);
        }
    }
}
