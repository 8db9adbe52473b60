package io.chainkeeper.server.monitoring;

import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.util.stream.Collectors;
import org.apache.zookeeper.server.ZooKeeperServerBean;
import org.apache.zookeeper.server.quorum.BufferStats;
import org.apache.zookeeper.server.quorum.FollowerMXBean;
import org.apache.zookeeper.server.quorum.LeaderMXBean;
import org.apache.zookeeper.server.quorum.MultipleAddresses;
import org.apache.zookeeper.server.quorum.ObserverMXBean;
import org.apache.zookeeper.server.quorum.QuorumPeer.QuorumServer;

/**
 * The server's JMX bean under ZooKeeper's name for the role and with its attributes. What has no counterpart in the
 * order reads -1 and cannot be set.
 */
abstract class RoleBean extends ZooKeeperServerBean {
    private static final int NONE = -1;

    private final String role;
    final OrderedZooKeeperServer server;
    final OrderView view;

    private RoleBean(OrderedZooKeeperServer server, OrderView view, String role) {
        super(server);
        this.server = server;
        this.view = view;
        this.role = role;
    }

    /** ZooKeeper's bean for a role: {@code leader}, {@code observer}, else a follower. */
    static RoleBean of(String state, OrderedZooKeeperServer server, OrderView view) {
        return switch (state) {
            case "leader" -> new LeaderRole(server, view);
            case "observer" -> new ObserverRole(server, view);
            default -> new FollowerRole(server, view);
        };
    }

    @Override
    public String getName() {
        return role;
    }

    final String addressOf(long id) {
        QuorumServer of = server.self.getView().get(id);
        MultipleAddresses addresses = of == null ? null : of.addr;
        return addresses == null ? "Unknown" : String.join("|", addresses.getAllHostStrings());
    }

    final String zxid() {
        return "0x" + Long.toHexString(server.getZKDatabase().getDataTreeLastProcessedZxid());
    }

    /** @return how long the last election took, in milliseconds; an attribute of ZooKeeper's leader and follower */
    public final long getElectionTimeTaken() {
        return view.electionMillis();
    }

    /** @return where the leader is; an attribute of ZooKeeper's follower and observer */
    public final String getQuorumAddress() {
        return addressOf(view.status().leader());
    }

    /** @return 0: sessions are revalidated in the order; an attribute of ZooKeeper's follower and observer */
    public final int getPendingRevalidationCount() {
        return 0;
    }

    /** @return -1; an attribute of ZooKeeper's leader and follower */
    public final int getMaxConcurrentSnapSyncs() {
        return NONE;
    }

    /** @throws UnsupportedOperationException always */
    public final void setMaxConcurrentSnapSyncs(int limit) {
        refuse("MaxConcurrentSnapSyncs");
    }

    /** @return -1; an attribute of ZooKeeper's leader and follower */
    public final int getMaxConcurrentDiffSyncs() {
        return NONE;
    }

    /** @throws UnsupportedOperationException always */
    public final void setMaxConcurrentDiffSyncs(int limit) {
        refuse("MaxConcurrentDiffSyncs");
    }

    static void refuse(String attribute) {
        throw new UnsupportedOperationException(
                attribute + " cannot be set: replicas are not synchronized the way ZooKeeper's are; see"
                        + " ordering.stateTransferBytesPerSecond");
    }

    /** As ZooKeeper's leader. */
    static final class LeaderRole extends RoleBean implements LeaderMXBean {
        private final BufferStats sizes;

        private LeaderRole(OrderedZooKeeperServer server, OrderView view) {
            super(server, view, "Leader");
            this.sizes = server.proposalSizes();
        }

        @Override
        public String getCurrentZxid() {
            return zxid();
        }

        @Override
        public String followerInfo() {
            return view.chain().stream()
                    .filter(id -> id != view.replicaId())
                    .map(this::line)
                    .collect(Collectors.joining());
        }

        @Override
        public String nonVotingFollowerInfo() {
            return view.linkedPeers().stream()
                    .filter(id -> !view.chain().contains(id))
                    .sorted()
                    .map(this::line)
                    .collect(Collectors.joining());
        }

        private String line(int id) {
            return "server." + id + " " + addressOf(id) + " linked:"
                    + view.linkedPeers().contains(id) + " lagPositions:" + view.lagPositions(id) + "\n";
        }

        @Override
        public int getLastProposalSize() {
            return sizes.getLastBufferSize();
        }

        @Override
        public int getMinProposalSize() {
            return sizes.getMinBufferSize();
        }

        @Override
        public int getMaxProposalSize() {
            return sizes.getMaxBufferSize();
        }

        @Override
        public void resetProposalStatistics() {
            sizes.reset();
        }
    }

    /** As ZooKeeper's follower. */
    static final class FollowerRole extends RoleBean implements FollowerMXBean {
        private FollowerRole(OrderedZooKeeperServer server, OrderView view) {
            super(server, view, "Follower");
        }

        @Override
        public String getLastQueuedZxid() {
            return zxid();
        }

        @Override
        public int getObserverMasterPacketSizeLimit() {
            return NONE;
        }

        @Override
        public void setObserverMasterPacketSizeLimit(int limit) {
            refuse("ObserverMasterPacketSizeLimit");
        }
    }

    /** As ZooKeeper's observer. */
    static final class ObserverRole extends RoleBean implements ObserverMXBean {
        private ObserverRole(OrderedZooKeeperServer server, OrderView view) {
            super(server, view, "Observer");
        }

        @Override
        public String getLearnerMaster() {
            return addressOf(view.status().leader());
        }

        @Override
        public void setLearnerMaster(String learnerMaster) {
            throw new IllegalArgumentException("an observer finds by itself who feeds it");
        }
    }
}
