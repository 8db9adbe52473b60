package io.chainkeeper.server.monitoring;

import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.OrderingStatus.Role;
import org.apache.zookeeper.server.quorum.QuorumPeer;
import org.apache.zookeeper.server.quorum.QuorumPeer.LearnerType;
import org.apache.zookeeper.server.quorum.QuorumPeer.QuorumServer;
import org.apache.zookeeper.server.quorum.QuorumPeer.ServerState;
import org.apache.zookeeper.server.quorum.QuorumPeer.ZabState;
import org.apache.zookeeper.server.quorum.Vote;

/** Shows the role in the order where ZooKeeper's own monitoring looks for it. Used by the maintenance thread only. */
public final class RoleView {
    private final QuorumPeer peer;
    private OrderingStatus shown;
    private LearnerType shownType;

    /** @param peer where ZooKeeper's monitoring looks */
    public RoleView(QuorumPeer peer) {
        this.peer = peer;
    }

    void show(OrderingStatus status) {
        LearnerType type = peer.getLearnerType();
        if (status.equals(shown) && type == shownType) {
            return;
        }
        shown = status;
        shownType = type;
        if (status.role() == Role.LOOKING) {
            peer.setPeerState(ServerState.LOOKING);
            return;
        }
        peer.setCurrentVote(new Vote(status.leader(), 0));
        if (type == LearnerType.OBSERVER) {
            peer.setPeerState(ServerState.OBSERVING);
        } else {
            peer.setPeerState(status.role() == Role.LEADER ? ServerState.LEADING : ServerState.FOLLOWING);
        }
        peer.setZabState(ZabState.BROADCAST);
        QuorumServer leader = peer.getView().get((long) status.leader());
        if (leader != null) {
            peer.setLeaderAddressAndId(leader.addr, status.leader());
        }
    }
}
