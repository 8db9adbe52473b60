package io.chainkeeper.server.admin;

import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.server.monitoring.OrderView;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.util.function.Supplier;

/** Whether this server works and serves clients. Safe for use by any thread. */
final class Readiness {
    /** A server that does not order for so long is better started again. Longer than any pause of a healthy JVM. */
    static final long MAX_SILENT_MILLIS = 30_000;

    private final OrderedZooKeeperServer server;
    private final OrderView view;
    private final Supplier<String> clientPortProblem;

    /**
     * @param server the server
     * @param view what this replica knows about the order
     * @param clientPortProblem why clients cannot connect, null if they can
     */
    Readiness(OrderedZooKeeperServer server, OrderView view, Supplier<String> clientPortProblem) {
        this.server = server;
        this.view = view;
        this.clientPortProblem = clientPortProblem;
    }

    /** @return null if the process works, else one line that says what does not */
    String reasonNotLive() {
        long silentMillis = view.silentMillis();
        return silentMillis <= MAX_SILENT_MILLIS ? null : "the protocol host has not moved for " + silentMillis + " ms";
    }

    /** @return null if clients are served here, else one line that says why not */
    String reasonNotReady() {
        if (reasonNotLive() != null) {
            return reasonNotLive();
        }
        if (server.getState().equals("diverged")) {
            return "this server's state differs from that of the majority and is being replaced";
        }
        if (server.isDraining()) {
            return "this server is draining: it is going to stop";
        }
        if (server.isServing()) {
            return clientPortProblem.get();
        }
        if (!server.self.getView().containsKey(server.self.getMyId())) {
            return "this server is not a member of the ensemble";
        }
        if (view.status().role() == Role.LOOKING) {
            return "no leader of the order is known";
        }
        return "this server has not caught up with the order yet";
    }
}
