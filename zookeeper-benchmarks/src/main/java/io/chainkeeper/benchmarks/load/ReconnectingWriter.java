package io.chainkeeper.benchmarks.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.HostProvider;
import org.apache.zookeeper.client.StaticHostProvider;

/**
 * A client that knows all servers and keeps a fixed number of writes in flight. When its connection breaks, ZooKeeper's
 * client library connects to another server by its own rules, and writes go on; those that were in flight count as
 * unknown. Anything else that goes wrong ends the writer and is told to the failure handler.
 */
public final class ReconnectingWriter {
    private static final int SESSION_TIMEOUT_MILLIS = 30_000;

    /** So many orders of the servers are tried until one begins with the wanted server. */
    private static final int MAX_SEEDS = 10_000;

    private final Client client;
    private final Workload workload;
    private final Consumer<String> failures;
    private final LongAdder completed;
    private final Pace pace;
    private final LongAdder unknown = new LongAdder();
    private final CountDownLatch connected = new CountDownLatch(1);
    private final WriteHistory history = new WriteHistory();
    private volatile boolean running;

    /** The library tells the server only to its subclasses. */
    private static final class Client extends ZooKeeper {
        Client(String servers, org.apache.zookeeper.Watcher watcher, HostProvider order) throws IOException {
            super(servers, SESSION_TIMEOUT_MILLIS, watcher, false, order);
        }

        SocketAddress server() {
            return testableRemoteSocketAddress();
        }
    }

    /**
     * Begins to connect.
     *
     * @param servers client addresses of all servers
     * @param first index of the server to connect to first
     * @param workload which znodes are written, with how much
     * @param pace decides when the next write is due
     * @param completed counts successes
     * @param failures told what ended the writer
     * @throws IOException if the client cannot be created
     */
    ReconnectingWriter(
            List<String> servers,
            int first,
            Workload workload,
            Pace pace,
            LongAdder completed,
            Consumer<String> failures)
            throws IOException {
        this.workload = workload;
        this.pace = pace;
        this.completed = completed;
        this.failures = failures;
        this.client = new Client(String.join(",", servers), this::onEvent, order(servers, first));
    }

    /** The library's own order of servers, from a seed that makes it begin with the wanted one. */
    private static HostProvider order(List<String> servers, int first) {
        List<InetSocketAddress> addresses =
                servers.stream().map(ReconnectingWriter::address).toList();
        int port = addresses.get(first).getPort();
        for (long seed = 0; seed < MAX_SEEDS; seed++) {
            if (new StaticHostProvider(addresses, seed).next(0).getPort() == port) {
                return new StaticHostProvider(addresses, seed);
            }
        }
        throw new IllegalStateException("no order of " + servers + " begins with " + servers.get(first));
    }

    private static InetSocketAddress address(String server) {
        int colon = server.lastIndexOf(':');
        return InetSocketAddress.createUnresolved(
                server.substring(0, colon), Integer.parseInt(server.substring(colon + 1)));
    }

    private void onEvent(WatchedEvent event) {
        if (event.getState() == KeeperState.SyncConnected) {
            connected.countDown();
        } else if (event.getState() == KeeperState.Expired) {
            fail("its session expired");
        }
    }

    private void fail(String what) {
        if (running) {
            running = false;
            failures.accept("writer with session 0x" + Long.toHexString(client.getSessionId()) + ": " + what);
        }
    }

    /**
     * @param seconds how long to wait at most
     * @throws IOException if there is no connection by then
     */
    void awaitConnected(long seconds) throws IOException, InterruptedException {
        if (!connected.await(seconds, TimeUnit.SECONDS)) {
            throw new IOException("a writer has no session after " + seconds + " s");
        }
    }

    /**
     * Begins to write.
     *
     * @param outstanding writes to keep in flight
     */
    void start(int outstanding) {
        running = true;
        for (int i = 0; i < outstanding; i++) {
            write();
        }
    }

    private void write() {
        if (!running) {
            return;
        }
        long start = System.nanoTime();
        client.setData(
                workload.randomPath(), workload.randomValue(), -1, (rc, path, c, stat) -> done(rc, path, start), null);
    }

    private void done(int rc, String path, long start) {
        if (!running) {
            return;
        }
        Code code = Code.get(rc);
        if (code == Code.OK) {
            long now = System.nanoTime();
            history.add(now, now - start);
            completed.increment();
        } else if (code == Code.CONNECTIONLOSS && client.getState().isAlive()) {
            unknown.increment();
        } else {
            fail("setData " + path + ": " + (code == null ? "code " + rc : code));
            return;
        }
        pace.next(start, this::write);
    }

    /** @return the port of the server that it is connected to now; 0 for none */
    int serverPort() {
        return client.server() instanceof InetSocketAddress address ? address.getPort() : 0;
    }

    WriteHistory history() {
        return history;
    }

    /** @return writes whose outcome the library could not tell */
    long unknown() {
        return unknown.sum();
    }

    /** Writes no more; what is in flight is not waited for. */
    public void stop() {
        running = false;
    }

    /** Ends the session; an interrupt ends the wait for the server's answer. */
    void close() {
        stop();
        try {
            client.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
