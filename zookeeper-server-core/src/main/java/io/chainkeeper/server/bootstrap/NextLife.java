package io.chainkeeper.server.bootstrap;

import io.chainkeeper.replica.FailureHandler;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What one life of a replica asks of the next, for as long as the process lives. */
final class NextLife implements NewStart {
    private static final Logger LOG = LoggerFactory.getLogger(NextLife.class);

    /**
     * How often a replica begins anew because the order holds a later start of it. Once is enough after a lost disk,
     * twice if something of its former life is still on its way.
     */
    private static final int MAX_STARTS_SUPERSEDED = 4;

    private final int replicaId;
    private final OrderingFactory orderingFactory;
    private final Consumer<String> restart;
    private final FailureHandler failureHandler;

    /** Never reset: once its start is in the order, only another server with this myid can supersede it. */
    private volatile int startsSuperseded;

    /**
     * @param replicaId this replica
     * @param orderingFactory told where to number the next start
     * @param restart ends this life and begins another; told from what, in words. Never waits
     * @param failureHandler told if another life is of no use
     */
    NextLife(int replicaId, OrderingFactory orderingFactory, Consumer<String> restart, FailureHandler failureHandler) {
        this.replicaId = replicaId;
        this.orderingFactory = orderingFactory;
        this.restart = restart;
        this.failureHandler = failureHandler;
    }

    @Override
    public void stateFetched() {
        restart.accept("from the state that it has fetched");
    }

    @Override
    public void wentOnAlone() {
        restart.accept("as the only member of its cluster");
    }

    @Override
    public void superseded(long incarnation) {
        LOG.warn(
                "What replica {} proposes has no effect: the order holds a later start of it, number {}. Its clock"
                        + " was set back, or it has lost a directory that it had with a clock that was ahead",
                replicaId,
                incarnation);
        orderingFactory.startAbove(incarnation);
        startsSuperseded++;
        if (startsSuperseded > MAX_STARTS_SUPERSEDED) {
            failureHandler.failed(
                    "the order holds later starts of replica " + replicaId + " again and again: another"
                            + " server runs with the same myid; end it, or correct its myid",
                    null);
        } else {
            restart.accept("with a number above that");
        }
    }

    @Override
    public Map<String, LongSupplier> gauges() {
        return Map.of("starts_superseded", () -> startsSuperseded);
    }
}
