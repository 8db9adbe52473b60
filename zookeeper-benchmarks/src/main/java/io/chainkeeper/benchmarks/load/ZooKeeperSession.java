package io.chainkeeper.benchmarks.load;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;

/** ZooKeeper's own client. */
public final class ZooKeeperSession extends ClientSession {
    private static final int SESSION_TIMEOUT_MILLIS = 30_000;

    private final ZooKeeper client;
    private final CountDownLatch connected = new CountDownLatch(1);

    /**
     * Begins to connect.
     *
     * @param address the replica's client address
     * @param failures told of anything that goes wrong
     * @throws IOException if the client cannot be created
     */
    ZooKeeperSession(String address, FailureHandler failures) throws IOException {
        super(address, failures);
        this.client = new ZooKeeper(address, SESSION_TIMEOUT_MILLIS, new ConnectionWatcher());
    }

    private final class ConnectionWatcher implements Watcher {
        @Override
        public void process(WatchedEvent event) {
            if (event.getType() != EventType.None) {
                return;
            }
            if (event.getState() == KeeperState.SyncConnected) {
                connected.countDown();
            } else if (connected.getCount() == 0) {
                fail(ZooKeeperSession.this + ": " + event.getState());
            }
        }
    }

    /** @return ZooKeeper's client under it */
    public ZooKeeper client() {
        return client;
    }

    @Override
    void awaitConnected(long seconds) throws IOException, InterruptedException {
        if (!connected.await(seconds, TimeUnit.SECONDS)) {
            throw new IOException("no " + this + " after " + seconds + " s");
        }
    }

    @Override
    void create(String path, byte[] value, Consumer<String> done) {
        client.create(
                path,
                value,
                Ids.OPEN_ACL_UNSAFE,
                CreateMode.PERSISTENT,
                (rc, p, context, name) -> done.accept(problem(rc, p)),
                null);
    }

    @Override
    void write(String path, byte[] value, Consumer<String> done) {
        client.setData(path, value, -1, (rc, p, context, stat) -> done.accept(problem(rc, p)), null);
    }

    @Override
    void read(String path, boolean syncBefore, Consumer<String> done) {
        if (syncBefore) {
            // Both are sent at once: the server answers a session's requests in order.
            client.sync(path, (rc, p, context) -> checkSynced(rc, p), null);
        }
        client.getData(path, false, (rc, p, context, data, stat) -> done.accept(problem(rc, p)), null);
    }

    private void checkSynced(int rc, String path) {
        String problem = problem(rc, path);
        if (problem != null) {
            fail(problem + " (sync)");
        }
    }

    private static String problem(int rc, String path) {
        return rc == Code.OK.intValue()
                ? null
                : KeeperException.create(Code.get(rc), path).getMessage();
    }

    @Override
    void end() {
        try {
            client.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
