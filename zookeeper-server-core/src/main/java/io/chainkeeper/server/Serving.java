package io.chainkeeper.server;

import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.replica.ReplicaStoppedException;
import io.chainkeeper.server.request.Proposer;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides when clients may use this replica: from the moment it is part of the order and has caught up, until it has
 * been without a leader for a while; as a ZooKeeper follower does. Used by the housekeeping thread only.
 */
final class Serving {
    private static final Logger LOG = LoggerFactory.getLogger(Serving.class);

    private final OrderedZooKeeperServer server;
    private final Proposer proposer;
    private final LongSupplier clockMillis;
    private final long patienceMillis;
    private boolean started;
    private long lookingSinceMillis = -1;
    private boolean catchingUp;
    private long attempt;

    /**
     * @param server opened and closed
     * @param proposer for the barrier that shows that this replica has caught up
     * @param clockMillis a monotonic clock
     * @param patienceMillis how long to go on without a leader
     */
    Serving(OrderedZooKeeperServer server, Proposer proposer, LongSupplier clockMillis, long patienceMillis) {
        this.server = server;
        this.proposer = proposer;
        this.clockMillis = clockMillis;
        this.patienceMillis = patienceMillis;
    }

    /** This replica's first command has been executed. */
    void started() {
        started = true;
    }

    /**
     * Looks at the order.
     *
     * @param role this replica's role
     * @param configured whether this replica is part of the ensemble
     * @param awaitsAdmission whether it is meant to vote but the order has not admitted it yet; that does not end what
     *     has begun
     * @param reached runs a task on the housekeeping thread
     */
    void tick(Role role, boolean configured, boolean awaitsAdmission, Executor reached) {
        if (!configured) {
            stop("This server is not part of the ensemble: closing all client connections");
            return;
        }
        if (role == Role.LOOKING) {
            withoutLeader();
            return;
        }
        lookingSinceMillis = -1;
        boolean mayBegin = !catchingUp && !awaitsAdmission && !server.hasDiverged();
        if (started && !server.isServing() && mayBegin) {
            catchUp(reached);
        }
    }

    private void withoutLeader() {
        long now = clockMillis.getAsLong();
        if (lookingSinceMillis < 0) {
            lookingSinceMillis = now;
        }
        if (now - lookingSinceMillis >= patienceMillis) {
            stop("No leader of the order for " + patienceMillis + " ms: closing all client connections");
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
                    LOG.info("This replica has caught up with the order: serving clients");
                    server.setServing(true);
                }
            }));
        } catch (ReplicaStoppedException e) {
            LOG.info("The order has stopped while this replica was catching up");
        }
    }
}
