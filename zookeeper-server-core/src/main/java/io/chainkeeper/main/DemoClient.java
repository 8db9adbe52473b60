package io.chainkeeper.main;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;

/** A ZooKeeper client connected to one server. */
final class DemoClient extends ZooKeeper {
    private final boolean syncBeforeRead;

    private DemoClient(String address, int timeoutMillis, Watcher watcher, boolean syncBeforeRead) throws IOException {
        super(address, timeoutMillis, watcher);
        this.syncBeforeRead = syncBeforeRead;
    }

    /**
     * Connects.
     *
     * @param address one server, host:port
     * @param timeoutMillis session timeout asked for
     * @param syncBeforeRead whether reads are linearizable only after a sync
     * @return the client, connected
     */
    static DemoClient connect(String address, int timeoutMillis, boolean syncBeforeRead)
            throws IOException, InterruptedException {
        CountDownLatch connected = new CountDownLatch(1);
        DemoClient client = new DemoClient(
                address,
                timeoutMillis,
                event -> {
                    if (event.getState() == KeeperState.SyncConnected) {
                        connected.countDown();
                    }
                },
                syncBeforeRead);
        Deadline deadline = new Deadline("a session at " + address);
        deadline.require(connected.await(deadline.remainingMillis(), TimeUnit.MILLISECONDS));
        return client;
    }

    /** Creates a znode that everybody may change. */
    String create(String path, String data, CreateMode mode) throws KeeperException, InterruptedException {
        return create(path, data.getBytes(StandardCharsets.UTF_8), ZooDefs.Ids.OPEN_ACL_UNSAFE, mode);
    }

    void write(String path, String data) throws KeeperException, InterruptedException {
        setData(path, data.getBytes(StandardCharsets.UTF_8), -1);
    }

    /** @return the data of a znode, read so that it covers every write already answered */
    String read(String path) throws KeeperException, InterruptedException {
        syncIfNeeded(path);
        return new String(getData(path, false, null), StandardCharsets.UTF_8);
    }

    boolean exists(String path) throws KeeperException, InterruptedException {
        syncIfNeeded(path);
        return exists(path, false) != null;
    }

    /**
     * Looks for what was written.
     *
     * @param written data by path
     * @param server number of the server that this client is connected to, for the message
     * @throws IOException if something is missing or other than it was written
     */
    void findAll(Map<String, String> written, int server) throws IOException, KeeperException, InterruptedException {
        for (Map.Entry<String, String> write : written.entrySet()) {
            DemoTable.require(exists(write.getKey()), "server %d has lost %s", server, write.getKey());
            String data = read(write.getKey());
            DemoTable.require(data.equals(write.getValue()), "%s is '%s' at server %d", write.getKey(), data, server);
        }
    }

    /** The server answers a session in order, so the next read waits for the sync. */
    private void syncIfNeeded(String path) {
        if (syncBeforeRead) {
            sync(path, (resultCode, syncedPath, context) -> {}, null);
        }
    }

    /**
     * Sets a watch on a znode.
     *
     * @param path the znode
     * @param type the event waited for
     * @return counted down when the event comes
     */
    CountDownLatch watch(String path, EventType type) throws KeeperException, InterruptedException {
        CountDownLatch fired = new CountDownLatch(1);
        syncIfNeeded(path);
        exists(path, event -> {
            if (event.getType() == type) {
                fired.countDown();
            }
        });
        return fired;
    }

    /** Cuts the connection without a word, as a crash of the client would; the session lives on until it expires. */
    void vanish() {
        cnxn.disconnect();
    }
}
