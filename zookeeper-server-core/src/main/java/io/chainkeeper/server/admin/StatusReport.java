package io.chainkeeper.server.admin;

import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.release.Release;
import io.chainkeeper.server.monitoring.OrderView;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.zookeeper.Version;
import org.apache.zookeeper.server.quorum.QuorumPeer.LearnerType;
import org.apache.zookeeper.server.quorum.QuorumPeer.QuorumServer;

/** What the status page shows, as one tree of maps: this server's view of the ensemble. Any thread. */
final class StatusReport {
    /** From then on a member that lags is an alarm. */
    private static final long LAG_ALARM_MILLIS = 5_000;

    private final OrderedZooKeeperServer server;
    private final OrderView view;
    private final MemberReport own;
    private final boolean showsTree;

    /**
     * @param server the server
     * @param view what this replica knows about the order
     * @param own what this server says about itself
     * @param showsTree whether the AdminServer shows the tree
     */
    StatusReport(OrderedZooKeeperServer server, OrderView view, MemberReport own, boolean showsTree) {
        this.server = server;
        this.view = view;
        this.own = own;
        this.showsTree = showsTree;
    }

    Map<String, Object> create() {
        OrderingStatus status = view.status();
        Map<String, Long> gauges = own.gauges();
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("server_id", view.replicaId());
        report.put("version", Version.getFullVersion());
        report.put("release", Release.name());
        report.put("state", server.getState());
        report.put("serving", server.isServing());
        report.put("leader", status.leader());
        report.put("epoch", status.epoch());
        report.put("leader_uptime_millis", view.leaderUptimeMillis());
        report.put("last_election_millis", view.electionMillis());
        report.put("zxid", "0x" + Long.toHexString(server.getZKDatabase().getDataTreeLastProcessedZxid()));
        report.put("uptime_millis", server.serverStats().getUptime());
        report.put("time_millis", System.currentTimeMillis());
        report.put("links", view.admitsUnauthenticated() ? "unauthenticated" : "authenticated");
        report.put("shows_tree", showsTree);
        report.put("chain", view.chain());
        List<Map<String, Object>> members = members(status);
        report.put("members", members);
        report.put("clients", clients());
        report.put("gauges", gauges);
        report.put("alarms", alarms(members, gauges));
        return report;
    }

    private Map<String, Object> clients() {
        Map<String, Object> clients = new LinkedHashMap<>();
        clients.put("sessions", server.getZKDatabase().getSessionCount());
        clients.put("connections", server.serverStats().getNumAliveClientConnections());
        clients.put("packets_received", server.serverStats().getPacketsReceived());
        clients.put("packets_sent", server.serverStats().getPacketsSent());
        clients.put("outstanding_requests", server.serverStats().getOutstandingRequests());
        clients.put("znodes", server.getZKDatabase().getNodeCount());
        clients.put("watches", server.getZKDatabase().getDataTree().getWatchCount());
        return clients;
    }

    private List<Map<String, Object>> members(OrderingStatus status) {
        List<Integer> chain = view.chain();
        List<Map<String, Object>> members = new ArrayList<>();
        new TreeMap<>(server.self.getView())
                .forEach((id, of) -> members.add(member(id.intValue(), of, chain, status.leader())));
        return members;
    }

    private Map<String, Object> member(int id, QuorumServer of, List<Integer> chain, int leader) {
        Map<String, Object> member = new LinkedHashMap<>();
        member.put("id", id);
        member.put("address", String.join("|", of.addr.getAllHostStrings()));
        member.put(
                "client_address",
                of.clientAddr == null ? "" : of.clientAddr.getHostString() + ":" + of.clientAddr.getPort());
        member.put("role", role(id, of, chain, leader));
        member.put("place", chain.indexOf(id) + 1);
        member.put("is_self", id == view.replicaId());
        member.put("linked", id == view.replicaId() || view.linkedPeers().contains(id));
        member.put("acknowledged", known(view.acknowledged(id)));
        member.put("lag_positions", known(view.lagPositions(id)));
        member.put("lag_millis", known(view.lagMillis(id)));
        return member;
    }

    private static String role(int id, QuorumServer of, List<Integer> chain, int leader) {
        if (id == leader) {
            return "leader";
        }
        if (of.type == LearnerType.OBSERVER) {
            return "observer";
        }
        return chain.contains(id) ? "follower" : "joining";
    }

    private static Long known(long number) {
        return number == OrderView.UNKNOWN ? null : number;
    }

    private List<String> alarms(List<Map<String, Object>> members, Map<String, Long> gauges) {
        List<String> alarms = own.alarms(gauges);
        for (Map<String, Object> member : members) {
            if (!(Boolean) member.get("linked")) {
                alarms.add("No link to server " + member.get("id"));
            } else if (member.get("lag_millis") instanceof Long lagMillis && lagMillis > LAG_ALARM_MILLIS) {
                alarms.add("Server " + member.get("id") + " is " + lagMillis / 1000 + " s behind");
            }
        }
        return alarms;
    }
}
