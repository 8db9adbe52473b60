package io.chainkeeper.server.maintenance;

import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.server.session.SessionKeeper;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * What is done for clients: they are let in, their sessions end, and nodes whose time has passed are deleted. Used by
 * the background only.
 */
public final class ClientTasks {
    private final OrderedZooKeeperServer server;
    private final ServingPolicy serving;
    private final UnservedSessions unserved;
    private final SessionKeeper sessions;
    private final Consumer<Boolean> reaper;
    private final Runnable heldBack;

    /**
     * @param server whose clients they are
     * @param serving lets clients in
     * @param cluster lets this replica's sessions be ownerless
     * @param clockMillis a monotonic clock
     * @param patienceMillis how long this replica may have a leader and serve nobody until then
     * @param sessions ends sessions
     * @param reaper deletes empty containers while told to
     * @param heldBack takes up requests that were held back and found no room
     */
    public ClientTasks(
            OrderedZooKeeperServer server,
            ServingPolicy serving,
            ClusterFormation cluster,
            LongSupplier clockMillis,
            long patienceMillis,
            SessionKeeper sessions,
            Consumer<Boolean> reaper,
            Runnable heldBack) {
        this.server = server;
        this.serving = serving;
        this.unserved = new UnservedSessions(clockMillis, patienceMillis, cluster::giveUpOwnSessions);
        this.sessions = sessions;
        this.reaper = reaper;
        this.heldBack = heldBack;
    }

    /** This replica's first command has been executed. */
    void started() {
        serving.started();
    }

    /** Lets clients in, or no longer: see {@link ServingPolicy#tick}. */
    void letIn(OrderingStatus status, boolean configured, boolean awaitsAdmission, Executor reached) {
        serving.tick(status, configured, awaitsAdmission, reached);
        unserved.tick(status.role(), configured, server.isServing());
    }

    /** Whether clients are served without the order, and nothing is executed meanwhile: {@link ReadOnlyMode}. */
    boolean areServedWithoutOrder() {
        return serving.isWithoutOrder();
    }

    /** Takes up what was held back, ends sessions, and deletes what nobody needs. */
    void tick(OrderingStatus status, boolean isFormed, long periodMillis) {
        heldBack.run();
        boolean leading = status.role() == OrderingStatus.Role.LEADER;
        reaper.accept(leading && server.isServing());
        if (sessions.tick(server.isServing(), leading && isFormed, status.epoch(), periodMillis)) {
            server.expireLocalSessions();
        }
    }

    /** Nothing else may touch the reaper. */
    void close() {
        reaper.accept(false);
        serving.close();
    }
}
