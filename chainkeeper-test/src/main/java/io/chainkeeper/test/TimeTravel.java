package io.chainkeeper.test;

import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.server.ServerCnxn;

/**
 * Moves an ensemble's clocks on in steps so small that no server takes them for a stall of its own, in which it would
 * wait for its clients. Used by one thread.
 */
final class TimeTravel {
    /** Of the shortest timeout a server takes a quarter for a stall. */
    private static final int STEPS_PER_SHORTEST_TIMEOUT = 6;

    private static final Duration STEP_LIMIT = Duration.ofMillis(500);
    private static final Duration ORDER_LIMIT = Duration.ofSeconds(30);

    private final TestClock clock;
    private final List<TestServer> servers;
    private final long stepNanos;
    private final long stepwiseNanos;

    /**
     * @param clock of all servers
     * @param servers of the ensemble
     * @param shortestTimeout of sessions
     * @param longestTimeout of sessions
     */
    TimeTravel(TestClock clock, List<TestServer> servers, Duration shortestTimeout, Duration longestTimeout) {
        this.clock = clock;
        this.servers = servers;
        this.stepNanos = shortestTimeout.toNanos() / STEPS_PER_SHORTEST_TIMEOUT;
        this.stepwiseNanos = longestTimeout.toNanos() + shortestTimeout.toNanos();
    }

    void advance(Duration duration) throws IOException {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("clocks go on, not back: " + duration);
        }
        long left = duration.toNanos();
        long stepwise = Math.min(left, stepwiseNanos);
        while (stepwise > 0) {
            long step = Math.min(stepwise, stepNanos);
            step(step);
            stepwise -= step;
            left -= step;
        }
        // All sessions without a client have ended by now; what is left concerns times to live only.
        if (left > 0) {
            step(left);
            step(stepNanos);
        }
        awaitOrder();
    }

    private void step(long nanos) throws IOException {
        touchConnected();
        clock.move(nanos);
        touchConnected();
        List<TestServer> running =
                servers.stream().filter(TestServer::isRunning).toList();
        running.forEach(server -> server.scheduler().wakeAll());
        // One that waits for a majority does not settle: it goes on when there is one.
        Await.within(
                STEP_LIMIT,
                () -> running.stream().allMatch(server -> server.scheduler().isSettled()));
    }

    /** Clients that are connected would have been heard meanwhile. */
    private void touchConnected() {
        for (TestServer server : servers) {
            OrderedZooKeeperServer inside = server.server();
            for (ServerCnxn connection : server.connections()) {
                if (inside != null && connection.getSessionId() != 0) {
                    // The timeout is the session's in any case.
                    inside.getSessionTracker().touchSession(connection.getSessionId(), 0);
                }
            }
        }
    }

    /** What the servers have proposed by now is executed when what is proposed now is. */
    private void awaitOrder() throws IOException {
        for (TestServer server : servers) {
            if (server.isServing()) {
                CompletableFuture<Void> executed = server.replica().afterAllProposed();
                if (!Await.within(ORDER_LIMIT, executed::isDone)) {
                    throw new IOException(server + " has ordered nothing for " + ORDER_LIMIT.toSeconds()
                            + " s: a majority of the servers has to run");
                }
            }
        }
    }
}
