package io.chainkeeper.clienttests.harness;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.admin.ZooKeeperAdmin;

/** Opens ZooKeeper sessions. */
public final class Clients {
    /** Long enough to survive the restart of a server on a busy machine. */
    public static final int SESSION_TIMEOUT_MILLIS = 20_000;

    private static final long CONNECT_LIMIT_SECONDS = 30;

    private Clients() {}

    /** Opens a session with {@link #SESSION_TIMEOUT_MILLIS}. */
    public static ZooKeeper connect(String connectString) throws IOException, InterruptedException {
        return connect(connectString, SESSION_TIMEOUT_MILLIS);
    }

    /**
     * Opens a session.
     *
     * @throws AssertionError if it is not established within half a minute
     */
    public static ZooKeeper connect(String connectString, int sessionTimeoutMillis)
            throws IOException, InterruptedException {
        return attach(connectString, sessionTimeoutMillis, 0, new byte[16]);
    }

    /**
     * Opens a session of a client that can ask for {@code reconfig}.
     *
     * @throws AssertionError if it is not established within half a minute
     */
    public static ZooKeeperAdmin admin(String connectString) throws IOException, InterruptedException {
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeperAdmin admin = new ZooKeeperAdmin(connectString, SESSION_TIMEOUT_MILLIS, event -> {
            if (event.getState() == KeeperState.SyncConnected) {
                connected.countDown();
            }
        });
        if (!connected.await(CONNECT_LIMIT_SECONDS, TimeUnit.SECONDS)) {
            admin.close();
            throw new AssertionError("no session at " + connectString + " within " + CONNECT_LIMIT_SECONDS + " s");
        }
        return admin;
    }

    /**
     * Continues a session at another server.
     *
     * @throws AssertionError if the session has expired or is not attached within half a minute
     */
    public static ZooKeeper attach(String connectString, int sessionTimeoutMillis, long sessionId, byte[] password)
            throws IOException, InterruptedException {
        CountDownLatch answered = new CountDownLatch(1);
        KeeperState[] state = new KeeperState[1];
        ZooKeeper client = new ZooKeeper(
                connectString,
                sessionTimeoutMillis,
                event -> {
                    if (event.getState() != KeeperState.Disconnected && answered.getCount() > 0) {
                        state[0] = event.getState();
                        answered.countDown();
                    }
                },
                sessionId,
                password);
        if (!answered.await(CONNECT_LIMIT_SECONDS, TimeUnit.SECONDS) || state[0] != KeeperState.SyncConnected) {
            client.close();
            throw new AssertionError("no session at " + connectString + " within " + CONNECT_LIMIT_SECONDS
                    + " s; last state " + state[0]);
        }
        return client;
    }
}
