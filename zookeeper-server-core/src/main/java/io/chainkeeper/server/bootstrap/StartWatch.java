package io.chainkeeper.server.bootstrap;

import io.chainkeeper.server.monitoring.OrderView;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Tells when a start counts as done for whoever has asked for it. One that waits for a quorum does, but not before the
 * servers that are there had the time to refuse it.
 */
final class StartWatch {
    /** Servers with larger ids connect to this one, at the latest a quarter of a second after they have failed to. */
    private static final long ALONE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Bound on waiting for a quorum that is linked, and for servers that do not say anything. */
    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(6);

    private final long beginNanos;

    /** @param beginNanos when the order was started, {@link System#nanoTime} */
    StartWatch(long beginNanos) {
        this.beginNanos = beginNanos;
    }

    /**
     * @param serving whether the server, which has not failed, lets clients in
     * @param view of the order
     * @param nowNanos {@link System#nanoTime}
     * @return whether the start counts as done
     */
    boolean hasStarted(boolean serving, OrderView view, long nowNanos) {
        long waitedNanos = nowNanos - beginNanos;
        if (serving || waitedNanos >= MOST_NANOS) {
            return true;
        }
        return waitedNanos >= ALONE_NANOS && view.hasTriedPeers() && !isQuorumLinked(view);
    }

    private static boolean isQuorumLinked(OrderView view) {
        List<Integer> voters = view.chain();
        Set<Integer> linked = view.linkedPeers();
        long present = voters.stream()
                .filter(id -> id == view.replicaId() || linked.contains(id))
                .count();
        return present > voters.size() / 2;
    }
}
