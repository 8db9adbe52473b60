package io.chainkeeper.server.maintenance;

import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.replica.ReplicaStoppedException;
import io.chainkeeper.server.proposal.Proposer;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides when clients may use this replica: from the moment it is part of the order and has caught up, until it has
 * been without a leader for a while; as a ZooKeeper follower does. Used by the maintenance thread only.
 */
public final class ServingPolicy {
    private static final Logger LOG = LoggerFactory.getLogger(ServingPolicy.class);

    private final OrderedZooKeeperServer server;
    private final Proposer proposer;
    private final LongSupplier clockMillis;
    private final long patienceMillis;
    private final WithoutOrder withoutOrder;
    private boolean started;
    private boolean looking;
    private long heardMillis;
    private boolean catchingUp;
    private long attempt;

    /**
     * @param server opened and closed
     * @param proposer for the barrier that shows that this replica has caught up
     * @param clockMillis a monotonic clock
     * @param patienceMillis how long to go on without a leader, from when it was last heard; longer if this replica
     *     takes longer to notice
     * @param withoutOrder what is done for clients after that
     */
    public ServingPolicy(
            OrderedZooKeeperServer server,
            Proposer proposer,
            LongSupplier clockMillis,
            long patienceMillis,
            WithoutOrder withoutOrder) {
        this.server = server;
        this.proposer = proposer;
        this.clockMillis = clockMillis;
        this.patienceMillis = patienceMillis;
        this.withoutOrder = withoutOrder;
    }

    /** Serves clients that can do without the order. Both are called again and again. */
    public interface WithoutOrder {
        /** Nobody is served at all. */
        WithoutOrder NOBODY = new WithoutOrder() {
            @Override
            public void begin() {}

            @Override
            public void end() {}

            @Override
            public boolean isActive() {
                return false;
            }
        };

        /** There is no order, and no client is served from it. */
        void begin();

        /** There is an order, or this replica stops. */
        void end();

        /** @return whether it has begun and not ended */
        boolean isActive();
    }

    /** This replica's first command has been executed. */
    void started() {
        started = true;
    }

    /**
     * Looks at the order.
     *
     * @param status this replica's view of the order
     * @param configured whether this replica is part of the ensemble
     * @param awaitsAdmission whether it is meant to vote but the order has not admitted it yet, or has no state that is
     *     known to be the cluster's; that does not end what has begun
     * @param reached runs a task on the maintenance thread
     */
    void tick(OrderingStatus status, boolean configured, boolean awaitsAdmission, Executor reached) {
        if (!configured) {
            withoutOrder.end();
            stop("This server is not part of the ensemble: closing all client connections");
            return;
        }
        if (status.role() == Role.LOOKING) {
            withoutLeader(status.silentMillis(), awaitsAdmission);
            return;
        }
        looking = false;
        withoutOrder.end();
        boolean mayBegin = !catchingUp && !awaitsAdmission && !server.hasDiverged() && !server.isDraining();
        if (started && !server.isServing() && mayBegin) {
            catchUp(reached);
        }
    }

    /** Whether {@link WithoutOrder} has begun. */
    boolean isWithoutOrder() {
        return withoutOrder.isActive();
    }

    /** This replica stops. */
    void close() {
        withoutOrder.end();
    }

    private void withoutLeader(long silentMillis, boolean awaitsAdmission) {
        long now = clockMillis.getAsLong();
        if (!looking) {
            looking = true;
            heardMillis = now - silentMillis;
        }
        if (now - heardMillis >= patienceMillis) {
            stop("No leader of the order for " + (now - heardMillis) + " ms: closing all client connections");
            if (!server.hasDiverged() && !server.isDraining() && !awaitsAdmission) {
                withoutOrder.begin();
            }
        }
    }

    private void stop(String reason) {
        catchingUp = false;
        attempt++;
        if (server.isServing()) {
            LOG.warn(reason);
            server.setServing(false);
        }
    }

    private void catchUp(Executor reached) {
        catchingUp = true;
        long thisAttempt = attempt;
        try {
            proposer.readBarrier(() -> reached.execute(() -> {
                if (catchingUp && attempt == thisAttempt) {
                    catchingUp = false;
                    if (!server.isDraining()) {
                        LOG.info("This replica has caught up with the order: serving clients");
                        server.setServing(true);
                    }
                }
            }));
        } catch (ReplicaStoppedException e) {
            LOG.info("The order has stopped while this replica was catching up");
        }
    }
}
