package io.chainkeeper.test;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;

/** Clients of the tests. */
final class Clients {
    static final int TIMEOUT_MILLIS = 10_000;

    private Clients() {}

    static ZooKeeper connect(String connectString) throws Exception {
        return connect(connectString, TIMEOUT_MILLIS);
    }

    static ZooKeeper connect(String connectString, int timeoutMillis) throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper client = new ZooKeeper(connectString, timeoutMillis, event -> {
            if (event.getState() == KeeperState.SyncConnected) {
                connected.countDown();
            }
        });
        if (!connected.await(30, TimeUnit.SECONDS)) {
            client.close();
            throw new AssertionError("not connected to " + connectString);
        }
        return client;
    }
}
