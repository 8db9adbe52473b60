package io.chainkeeper.server;

import java.util.ArrayDeque;
import java.util.Deque;
import javax.management.JMException;
import org.apache.zookeeper.jmx.MBeanRegistry;
import org.apache.zookeeper.jmx.ZKMBeanInfo;
import org.apache.zookeeper.server.DataTreeBean;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.ZooKeeperServerBean;
import org.apache.zookeeper.server.quorum.LocalPeerBean;
import org.apache.zookeeper.server.quorum.QuorumBean;
import org.apache.zookeeper.server.quorum.QuorumPeer;
import org.apache.zookeeper.server.quorum.QuorumPeer.LearnerType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The JMX tree under the names that ZooKeeper's quorum server has. Used by the thread that starts and stops it. */
final class JmxBeans {
    private static final Logger LOG = LoggerFactory.getLogger(JmxBeans.class);

    private final Deque<ZKMBeanInfo> registered = new ArrayDeque<>();

    private static final class ServerBean extends ZooKeeperServerBean {
        private final String name;

        ServerBean(ZooKeeperServer server, String name) {
            super(server);
            this.name = name;
        }

        @Override
        public String getName() {
            return name;
        }
    }

    /** Registers everything below {@code ReplicatedServer_id<N>}. Monitoring that fails does not stop the server. */
    void register(QuorumPeer peer, ZooKeeperServerBean serverBean, ZooKeeperServer server) {
        QuorumBean quorumBean = new QuorumBean(peer);
        LocalPeerBean peerBean = new LocalPeerBean(peer);
        add(quorumBean, null);
        add(peerBean, quorumBean);
        add(serverBean, peerBean);
        add(new DataTreeBean(server.getZKDatabase().getDataTree()), serverBean);
    }

    /** ZooKeeper's name of the server's bean; the leader of the order changes without it, so none is called Leader. */
    static ZooKeeperServerBean serverBean(ZooKeeperServer server, LearnerType type) {
        return new ServerBean(server, type == LearnerType.OBSERVER ? "Observer" : "Follower");
    }

    private void add(ZKMBeanInfo bean, ZKMBeanInfo parent) {
        try {
            MBeanRegistry.getInstance().register(bean, parent);
            registered.push(bean);
        } catch (JMException e) {
            LOG.warn("JMX bean {} could not be registered: {}", bean.getName(), e.getMessage());
        }
    }

    void unregister() {
        while (!registered.isEmpty()) {
            MBeanRegistry.getInstance().unregister(registered.pop());
        }
    }
}
