package io.chainkeeper.server.admin;

import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.server.monitoring.OrderView;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Whether this server works, and what for: the answers to {@code /live} and {@code /ready}. Safe for use by any thread.
 */
final class Health {
    /** A server that does not order for so long is better started again. Longer than any pause of a healthy JVM. */
    static final long MAX_SILENT_MILLIS = 30_000;

    /** How long {@code /ready?write} waits for its no-op. */
    static final long WRITE_WAIT_MILLIS = 2_000;

    private final OrderedZooKeeperServer server;
    private final OrderView view;
    private final BooleanSupplier refusesWrites;
    private final Supplier<String> clientPortProblem;
    private final WriteProbe probe;

    /**
     * @param server the server
     * @param view what this replica knows about the order
     * @param refusesWrites whether it refuses its clients' writes because the disk is full
     * @param clientPortProblem why clients cannot connect, null if they can
     * @param probe finds out whether writes are ordered
     */
    Health(
            OrderedZooKeeperServer server,
            OrderView view,
            BooleanSupplier refusesWrites,
            Supplier<String> clientPortProblem,
            WriteProbe probe) {
        this.server = server;
        this.view = view;
        this.refusesWrites = refusesWrites;
        this.clientPortProblem = clientPortProblem;
        this.probe = probe;
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

    /**
     * Waits up to {@link #WRITE_WAIT_MILLIS}.
     *
     * @return null if writes are ordered, else one line that says why not
     * @throws InterruptedException if the waiting thread is interrupted
     */
    String reasonNotReadyForWrites() throws InterruptedException {
        String reason = reasonNotReady();
        if (reason != null) {
            return reason;
        }
        if (refusesWrites.getAsBoolean()) {
            return "writes are refused: the disk reserve is used up (ordering.diskReserveBytes)";
        }
        return probe.isOrdered(WRITE_WAIT_MILLIS)
                ? null
                : "a no-op did not come back from the order within " + WRITE_WAIT_MILLIS + " ms";
    }
}
