package io.chainkeeper.server.monitoring;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.apache.zookeeper.metrics.Gauge;
import org.apache.zookeeper.metrics.MetricsContext;
import org.apache.zookeeper.server.ServerMetrics;
import org.apache.zookeeper.server.quorum.BufferStats;
import org.apache.zookeeper.server.quorum.QuorumPeer;
import org.apache.zookeeper.server.quorum.QuorumPeer.LearnerType;
import org.apache.zookeeper.server.quorum.QuorumPeer.QuorumServer;

/**
 * The numbers that a leader of ZooKeeper's has, under its names. All replicas register them; those that do not lead
 * show none, as ZooKeeper's followers.
 */
final class LeaderGauges {
    private final OrderView view;
    private final QuorumPeer peer;
    private final List<String> names = new ArrayList<>();
    private MetricsContext context;

    LeaderGauges(OrderView view, QuorumPeer peer) {
        this.view = view;
        this.peer = peer;
    }

    void register(BufferStats proposalSizes) {
        context = ServerMetrics.getMetrics().getMetricsProvider().getRootContext();
        addOfLeader("synced_observers", () -> linked(this::observes));
        addOfLeader("learners", () -> linked(id -> true));
        addOfLeader("synced_followers", () -> linked(id -> view.chain().contains(id)));
        addOfLeader("synced_non_voting_followers", () -> linked(this::learns));
        addOfLeader("pending_syncs", () -> view.gauge("read_barriers_waiting"));
        addOfLeader("leader_uptime", view::leaderUptimeMillis);
        addOfLeader("last_proposal_size", proposalSizes::getLastBufferSize);
        addOfLeader("max_proposal_size", proposalSizes::getMaxBufferSize);
        addOfLeader("min_proposal_size", proposalSizes::getMinBufferSize);
    }

    private void addOfLeader(String name, Gauge gauge) {
        context.registerGauge(name, () -> view.leads() ? gauge.get() : null);
        names.add(name);
    }

    private long linked(IntPredicate which) {
        return view.linkedPeers().stream().mapToInt(id -> id).filter(which).count();
    }

    private boolean observes(int id) {
        QuorumServer server = peer.getView().get((long) id);
        return server != null && server.type == LearnerType.OBSERVER;
    }

    /** Meant to vote, but not admitted yet. */
    private boolean learns(int id) {
        return peer.getView().containsKey((long) id)
                && !observes(id)
                && !view.chain().contains(id);
    }

    void unregister() {
        names.forEach(context::unregisterGauge);
        names.clear();
    }
}
