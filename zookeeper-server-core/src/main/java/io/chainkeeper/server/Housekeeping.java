package io.chainkeeper.server;

import io.chainkeeper.command.Command;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.replica.FailureHandler;
import io.chainkeeper.replica.ReplicaStoppedException;
import io.chainkeeper.server.execution.ExecutionEvents;
import io.chainkeeper.server.execution.SideState;
import io.chainkeeper.server.request.Proposer;
import io.chainkeeper.server.session.SessionKeeper;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Everything that happens by time or is proposed by the server itself: session expiry, opening and closing for clients,
 * the first commands of a start, orphaning of silent members. Proposing may wait, so neither the executor nor the
 * ordering loop may do it; they leave it to the {@link Background}.
 */
final class Housekeeping implements ExecutionEvents, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);

    private final OrderedZooKeeperServer server;
    private final SideState side;
    private final Proposer proposer;
    private final Supplier<OrderingStatus> status;
    private final SessionKeeper keeper;
    private final Serving serving;
    private final Consumer<OrderingStatus> roleView;
    private final Consumer<Boolean> reaper;
    private final DigestAuditor auditor;
    private final List<Integer> members;
    private final long executionProfile;
    private final long periodMillis;
    private final Supplier<UUID> clusterIds;
    private final Consumer<UUID> clusterNamed;
    private final FailureHandler failureHandler;
    private final Background background;
    private boolean namingProposed;

    Housekeeping(Parts parts, FailureHandler failureHandler, Background background) {
        this.server = parts.server();
        this.side = parts.side();
        this.proposer = parts.proposer();
        this.status = parts.status();
        this.keeper = parts.keeper();
        this.serving = parts.serving();
        this.roleView = parts.roleView();
        this.reaper = parts.reaper();
        this.auditor = parts.auditor();
        this.members = parts.members();
        this.executionProfile = parts.executionProfile();
        this.periodMillis = parts.periodMillis();
        this.clusterNamed = parts.clusterNamed();
        this.failureHandler = failureHandler;
        this.background = background;
        this.clusterIds = parts.clusterIds();
    }

    /** Runs tasks one at a time, in the order they were given in. Safe for use by any thread. */
    interface Background {
        /** @param task run soon, unless {@link #close} has been called */
        void execute(Runnable task);

        /**
         * Called once.
         *
         * @param periodMillis between two runs, measured from start to start
         * @param task run at once and then again and again
         */
        void everyMillis(long periodMillis, Runnable task);

        /** Runs what was given before and nothing more. */
        void close();
    }

    /**
     * What it works with.
     *
     * @param server the server
     * @param side the side state
     * @param proposer the way into the order
     * @param status the order's view of its leader
     * @param keeper ends sessions
     * @param serving lets clients in
     * @param roleView shows the role to monitoring
     * @param reaper deletes empty containers while told to
     * @param auditor compares digests
     * @param members replica ids, ascending
     * @param executionProfile hash of this replica's settings
     * @param periodMillis of ticks
     * @param clusterIds names for a new cluster
     * @param clusterNamed keeps the name of the cluster
     */
    record Parts(
            OrderedZooKeeperServer server,
            SideState side,
            Proposer proposer,
            Supplier<OrderingStatus> status,
            SessionKeeper keeper,
            Serving serving,
            Consumer<OrderingStatus> roleView,
            Consumer<Boolean> reaper,
            DigestAuditor auditor,
            List<Integer> members,
            long executionProfile,
            long periodMillis,
            Supplier<UUID> clusterIds,
            Consumer<UUID> clusterNamed) {}

    /** Proposes this start and begins to tick. */
    void start() {
        submit(() -> proposer.propose(0, new Command.ReplicaStarted(proposer.wallClockMillis(), executionProfile)));
        background.everyMillis(periodMillis, guarded(this::tick));
    }

    private void tick() {
        OrderingStatus current = status.get();
        roleView.accept(current);
        serving.tick(current.role(), this::submit);
        boolean leading = current.role() == Role.LEADER;
        if (leading) {
            nameCluster();
            auditor.tick();
        }
        reaper.accept(leading && server.isServing());
        keeper.tick(server.isServing(), leading, current.epoch(), periodMillis);
    }

    private void nameCluster() {
        if (side.clusterId() == null && !namingProposed && server.isServing()) {
            namingProposed = true;
            proposer.propose(
                    0,
                    new Command.ClusterFormed(proposer.wallClockMillis(), clusterIds.get(), executionProfile, members));
        }
    }

    @Override
    public void selfStarted() {
        submit(() -> {
            serving.started();
            tick();
        });
    }

    @Override
    public void clusterFormed(UUID clusterId) {
        clusterNamed.accept(clusterId);
    }

    @Override
    public void sessionLost(long sessionId) {
        server.closeConnectionOf(sessionId);
    }

    /** The ordering loop says that the leader changed. */
    void statusChanged(OrderingStatus changed) {
        submit(this::tick);
    }

    /** The ordering loop, at the leader, says that a member went silent or came back. */
    void memberSilent(int member, boolean silent) {
        if (silent) {
            submit(() -> orphan(member));
        }
    }

    private void orphan(int member) {
        long incarnation = side.incarnationOf(member);
        if (incarnation != Long.MIN_VALUE) {
            LOG.info("Replica {} is silent: its sessions become ownerless", member);
            proposer.propose(0, new Command.Orphan(proposer.wallClockMillis(), member, incarnation));
        }
    }

    private void submit(Runnable task) {
        background.execute(guarded(task));
    }

    private Runnable guarded(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (ReplicaStoppedException e) {
                LOG.debug("The order has stopped: {}", e.getMessage());
            } catch (RuntimeException e) {
                failureHandler.failed("housekeeping failed: " + e.getMessage(), e);
            }
        };
    }

    @Override
    public void close() {
        // Queued behind whatever is being done at the moment; nothing else may touch the reaper.
        background.execute(() -> reaper.accept(false));
        background.close();
    }
}
