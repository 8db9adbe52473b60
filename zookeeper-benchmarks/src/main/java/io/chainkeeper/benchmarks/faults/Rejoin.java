package io.chainkeeper.benchmarks.faults;

import io.chainkeeper.benchmarks.server.Ensemble;
import io.chainkeeper.benchmarks.server.ServerProcess;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.ConnectionLossException;
import org.apache.zookeeper.KeeperException.NoNodeException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;

/**
 * How a server came back.
 *
 * @param servingNanos when it first said that it takes part in the ensemble
 * @param readNanos when it first answered a read with something that was written while it was down
 * @param caughtUpNanos when it first had applied what the others had applied just before
 */
public record Rejoin(long servingNanos, long readNanos, long caughtUpNanos) {
    private static final String MARKER = "/written-while-down-";
    private static final int SESSION_TIMEOUT_MILLIS = 30_000;
    private static final long POLL_MILLIS = 20;

    /** What must hold while one waits, besides the server's being alive. */
    @FunctionalInterface
    interface Health {
        /** @throws IOException if it does not hold */
        void check() throws IOException;
    }

    /**
     * Writes what the server will be asked for.
     *
     * @param address of a server that is up
     * @return its path
     * @throws IOException if it cannot be written
     */
    static String writeMarker(String address) throws IOException, InterruptedException {
        try (ZooKeeper client = new ZooKeeper(address, SESSION_TIMEOUT_MILLIS, event -> {})) {
            return client.create(MARKER, new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT_SEQUENTIAL);
        } catch (KeeperException e) {
            throw new IOException("cannot write while a server is down: " + e.getMessage(), e);
        }
    }

    /**
     * Waits until a server that has just been started has come back.
     *
     * @param ensemble its ensemble
     * @param id its id
     * @param marker path of the znode that was written while it was down
     * @param maxSeconds the bound
     * @param health what else must hold
     * @return when it came back
     * @throws IOException if it ends or does not come back in time; the message holds the end of its log
     */
    static Rejoin await(Ensemble ensemble, int id, String marker, int maxSeconds, Health health)
            throws IOException, InterruptedException {
        ServerProcess server = ensemble.server(id);
        Deadline deadline = new Deadline(server, System.nanoTime() + TimeUnit.SECONDS.toNanos(maxSeconds), health);
        while (!ensemble.status(server).isServing()) {
            deadline.pause("does not serve");
        }
        long serving = System.nanoTime();
        while (!hasCaughtUp(ensemble, server)) {
            deadline.pause("serves, but has not applied what the others have");
        }
        long caughtUp = System.nanoTime();
        return new Rejoin(serving, awaitMarker(server, marker, deadline), caughtUp);
    }

    /** The others are asked first, so the answer means "all that they had before". If none serves, nothing is known. */
    private static boolean hasCaughtUp(Ensemble ensemble, ServerProcess server) {
        long others = ensemble.serversBut(server.id()).stream()
                .mapToLong(s -> ensemble.status(s).zxid())
                .max()
                .orElseThrow();
        return others > 0 && ensemble.status(server).zxid() >= others;
    }

    private static long awaitMarker(ServerProcess server, String marker, Deadline deadline)
            throws IOException, InterruptedException {
        try (ZooKeeper client = new ZooKeeper(server.address(), SESSION_TIMEOUT_MILLIS, event -> {})) {
            while (true) {
                try {
                    client.getData(marker, false, null);
                    return System.nanoTime();
                } catch (ConnectionLossException | NoNodeException e) {
                    deadline.pause(
                            "does not answer a read with what was written while it was down (" + e.getMessage() + ")");
                } catch (KeeperException e) {
                    throw new IOException("a read at " + server + " failed: " + e.getMessage(), e);
                }
            }
        }
    }

    private record Deadline(ServerProcess server, long nanos, Health health) {
        void pause(String what) throws IOException {
            server.checkAlive();
            health.check();
            if (System.nanoTime() - nanos > 0) {
                throw new IOException(server + " " + what + " in time; its log ends:\n" + server.logTail());
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(POLL_MILLIS));
        }
    }
}
