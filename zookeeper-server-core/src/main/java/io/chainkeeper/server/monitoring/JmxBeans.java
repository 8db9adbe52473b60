package io.chainkeeper.server.monitoring;

import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.management.JMException;
import org.apache.zookeeper.jmx.MBeanRegistry;
import org.apache.zookeeper.jmx.ZKMBeanInfo;
import org.apache.zookeeper.server.DataTreeBean;
import org.apache.zookeeper.server.ServerCnxn;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServerBean;
import org.apache.zookeeper.server.quorum.LocalPeerBean;
import org.apache.zookeeper.server.quorum.QuorumBean;
import org.apache.zookeeper.server.quorum.QuorumPeer;
import org.apache.zookeeper.server.quorum.QuorumPeer.QuorumServer;
import org.apache.zookeeper.server.quorum.RemotePeerBean;
import org.apache.zookeeper.server.quorum.flexible.QuorumVerifier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The JMX tree under the names that ZooKeeper's quorum server has. Monitoring that fails does not stop the server. */
final class JmxBeans {
    private static final Logger LOG = LoggerFactory.getLogger(JmxBeans.class);
    private static final long NO_SESSION = 0;

    private final Deque<ZKMBeanInfo> registered = new ArrayDeque<>();
    private final List<ZKMBeanInfo> formerRole = new ArrayList<>();
    private final Map<Long, RemotePeerBean> others = new TreeMap<>();
    private QuorumBean quorumBean;
    private LocalPeerBean peerBean;
    private QuorumVerifier shown;

    /** Whose operation {@code disableDigest} does nothing: servers with and without digests would seem to differ. */
    private static final class DigestKeepingBean extends QuorumBean {
        DigestKeepingBean(QuorumPeer peer) {
            super(peer);
        }

        @Override
        public void disableDigest() {
            LOG.warn("disableDigest of JMX has no effect: servers keep digests, to find out when one differs");
        }
    }

    /** Registers {@code ReplicatedServer_id<N>} with this server below it. */
    synchronized void register(QuorumPeer peer) {
        quorumBean = new DigestKeepingBean(peer);
        peerBean = new LocalPeerBean(peer);
        add(quorumBean, null);
        add(peerBean, quorumBean);
        showOthers(peer);
    }

    /**
     * Registers the bean of a role and what is below it. Those of the role before stay until {@link #dropFormerRole}:
     * connections that open meanwhile register themselves below one of them.
     *
     * @return whether it could be registered
     */
    synchronized boolean registerRole(ZooKeeperServerBean roleBean, OrderedZooKeeperServer server) {
        if (quorumBean == null) {
            return false;
        }
        formerRole.addAll(registered);
        formerRole.removeAll(List.of(quorumBean, peerBean));
        add(roleBean, peerBean);
        add(new DataTreeBean(server.getZKDatabase().getDataTree()), roleBean);
        return registered.contains(roleBean);
    }

    synchronized void dropFormerRole() {
        for (ZKMBeanInfo bean : formerRole) {
            registered.remove(bean);
            MBeanRegistry.getInstance().unregister(bean);
        }
        formerRole.clear();
    }

    /**
     * Registers connections anew that outlived a change of role: their names contain it.
     *
     * @param factory null if there is none
     */
    static void moveConnections(ServerCnxnFactory factory) {
        if (factory == null) {
            return;
        }
        Set<ServerCnxn> moved = new HashSet<>();
        for (ServerCnxn connection : factory.getConnections()) {
            if (connection.getSessionId() != NO_SESSION) {
                factory.unregisterConnection(connection);
                factory.registerConnection(connection);
                moved.add(connection);
            }
        }
        // One that was closed meanwhile may have been taken out before it was put in again.
        factory.getConnections().forEach(moved::remove);
        moved.forEach(factory::unregisterConnection);
    }

    /** Registers the other servers of the configuration, if it has changed. */
    synchronized void showOthers(QuorumPeer peer) {
        QuorumVerifier current = peer.getQuorumVerifier();
        if (quorumBean == null || current == shown) {
            return;
        }
        shown = current;
        Map<Long, QuorumServer> servers = new TreeMap<>(current.getAllMembers());
        servers.remove(peer.getMyId());
        for (Long id : Set.copyOf(others.keySet())) {
            if (!servers.containsKey(id)) {
                MBeanRegistry.getInstance().unregister(others.remove(id));
            }
        }
        servers.forEach((id, server) -> {
            RemotePeerBean known = others.get(id);
            if (known != null) {
                known.setQuorumServer(server);
                return;
            }
            RemotePeerBean bean = new RemotePeerBean(peer, server);
            if (tryRegister(bean, quorumBean)) {
                others.put(id, bean);
            }
        });
    }

    private void add(ZKMBeanInfo bean, ZKMBeanInfo parent) {
        if (tryRegister(bean, parent)) {
            registered.push(bean);
        }
    }

    private boolean tryRegister(ZKMBeanInfo bean, ZKMBeanInfo parent) {
        if (parent != null && !registered.contains(parent)) {
            return false;
        }
        try {
            MBeanRegistry.getInstance().register(bean, parent);
            return true;
        } catch (JMException e) {
            LOG.warn("JMX bean {} could not be registered: {}", bean.getName(), e.getMessage());
            return false;
        }
    }

    synchronized void unregister() {
        others.values().forEach(bean -> MBeanRegistry.getInstance().unregister(bean));
        others.clear();
        while (!registered.isEmpty()) {
            MBeanRegistry.getInstance().unregister(registered.pop());
        }
        formerRole.clear();
        quorumBean = null;
        shown = null;
    }
}
