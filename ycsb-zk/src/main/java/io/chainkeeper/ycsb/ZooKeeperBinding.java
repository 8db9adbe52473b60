package io.chainkeeper.ycsb;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;
import site.ycsb.StringByteIterator;
import site.ycsb.measurements.Measurements;

/**
 * YCSB's view of a server that speaks ZooKeeper's client protocol. A record is the znode {@code /<key>} below the
 * connect string's chroot (which has to exist); the table name plays no part. Each YCSB thread has a session of its
 * own. Scans are not implemented: znodes have no order of keys. Properties: {@link BindingOptions}.
 *
 * <p>Used by one thread at a time, as YCSB does. A failed operation is counted by YCSB under its status; the first one
 * of each instance is logged.
 */
public final class ZooKeeperBinding extends DB {
    private static final Logger LOG = LoggerFactory.getLogger(ZooKeeperBinding.class);
    private static final Watcher IGNORE = event -> {};

    private final AtomicBoolean failureLogged = new AtomicBoolean();
    private BindingOptions options;
    private ZooKeeper client;
    private Pipeline pipeline;

    /**
     * Connects.
     *
     * @throws DBException if a property is wrong, no server answers within the session timeout, or the chroot does not
     *     exist
     */
    @Override
    public void init() throws DBException {
        options = BindingOptions.read(getProperties());
        pipeline = new Pipeline(options.outstanding(), Measurements.getMeasurements());
        CountDownLatch connected = new CountDownLatch(1);
        try {
            client = new ZooKeeper(
                    options.connectString(), options.sessionTimeoutMillis(), event -> sessionEvent(event, connected));
            if (!connected.await(options.sessionTimeoutMillis(), TimeUnit.MILLISECONDS)) {
                client.close();
                throw new DBException("no server of zookeeper.connectString=" + options.connectString()
                        + " answered within " + options.sessionTimeoutMillis()
                        + " ms; start the servers, or correct the property");
            }
            requireChroot();
        } catch (IOException | IllegalArgumentException e) {
            throw new DBException("zookeeper.connectString=" + options.connectString() + ": " + e.getMessage());
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    /** Without it every insert would fail, each as a record that is not found. */
    private void requireChroot() throws DBException, InterruptedException {
        try {
            // The sync: another server may have created it a moment ago.
            client.sync("/", (code, path, context) -> {}, null);
            if (client.exists("/", false) != null) {
                return;
            }
        } catch (KeeperException e) {
            client.close();
            throw new DBException("zookeeper.connectString=" + options.connectString() + ": looking for its chroot: "
                    + e.getMessage());
        }
        client.close();
        String chroot =
                options.connectString().substring(options.connectString().indexOf('/'));
        throw new DBException("zookeeper.connectString=" + options.connectString() + ": there is no " + chroot
                + "; create it first: bin/zkCli.sh -server HOST:PORT create " + chroot);
    }

    private static void sessionEvent(WatchedEvent event, CountDownLatch connected) {
        if (event.getState() == KeeperState.SyncConnected) {
            connected.countDown();
        }
    }

    /**
     * Waits for what is in flight and closes the session.
     *
     * @throws DBException if replies are still missing after a session timeout
     */
    @Override
    public void cleanup() throws DBException {
        try {
            boolean drained = pipeline.drain(options.sessionTimeoutMillis());
            client.close();
            if (!drained) {
                throw new DBException("operations without a reply " + options.sessionTimeoutMillis()
                        + " ms after the last call; the throughput counts them, so this run is void");
            }
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    @Override
    public Status read(String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
        String path = path(key);
        if (pipelined()) {
            return submit("READ", finish -> {
                syncIfStrong(path);
                client.getData(path, watcher(), (code, p, context, data, stat) -> finish.with(code), null);
            });
        }
        return call("read", path, () -> {
            RecordCodec.fill(RecordCodec.decode(readData(path)), fields, result);
            return Status.OK;
        });
    }

    /** Not implemented: znodes have no order of keys. */
    @Override
    public Status scan(
            String table,
            String startKey,
            int recordCount,
            Set<String> fields,
            Vector<HashMap<String, ByteIterator>> result) {
        return Status.NOT_IMPLEMENTED;
    }

    @Override
    public Status update(String table, String key, Map<String, ByteIterator> values) {
        String path = path(key);
        Map<String, String> fields = StringByteIterator.getStringMap(values);
        if (pipelined()) {
            return submit("UPDATE", finish -> pipelinedUpdate(path, fields, finish));
        }
        return call("update", path, () -> {
            Map<String, String> merged = fields;
            if (options.readBeforeUpdate()) {
                merged = RecordCodec.decode(readData(path));
                merged.putAll(fields);
            }
            client.setData(path, RecordCodec.encode(merged), -1);
            return Status.OK;
        });
    }

    private void pipelinedUpdate(String path, Map<String, String> fields, Finish finish) {
        if (!options.readBeforeUpdate()) {
            write(path, fields, finish);
            return;
        }
        syncIfStrong(path);
        client.getData(
                path,
                watcher(),
                (code, p, context, data, stat) -> {
                    if (code != KeeperException.Code.OK.intValue()) {
                        finish.with(code);
                        return;
                    }
                    try {
                        Map<String, String> merged = RecordCodec.decode(data);
                        merged.putAll(fields);
                        write(path, merged, finish);
                    } catch (IOException e) {
                        failed("update", path, e);
                        finish.with(KeeperException.Code.SYSTEMERROR.intValue());
                    }
                },
                null);
    }

    private void write(String path, Map<String, String> fields, Finish finish) {
        client.setData(path, RecordCodec.encode(fields), -1, (code, p, context, stat) -> finish.with(code), null);
    }

    @Override
    public Status insert(String table, String key, Map<String, ByteIterator> values) {
        String path = path(key);
        byte[] data = RecordCodec.encode(StringByteIterator.getStringMap(values));
        if (pipelined()) {
            return submit(
                    "INSERT",
                    finish -> client.create(
                            path,
                            data,
                            Ids.OPEN_ACL_UNSAFE,
                            CreateMode.PERSISTENT,
                            (code, p, context, name) -> finish.with(code),
                            null));
        }
        return call("insert", path, () -> {
            client.create(path, data, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            return Status.OK;
        });
    }

    @Override
    public Status delete(String table, String key) {
        String path = path(key);
        if (pipelined()) {
            return submit("DELETE", finish -> client.delete(path, -1, (code, p, context) -> finish.with(code), null));
        }
        return call("delete", path, () -> {
            client.delete(path, -1);
            return Status.OK;
        });
    }

    private static String path(String key) {
        return key.startsWith("/") ? key : "/" + key;
    }

    private boolean pipelined() {
        return options.outstanding() > 1;
    }

    private Watcher watcher() {
        return options.watch() ? IGNORE : null;
    }

    private byte[] readData(String path) throws KeeperException, InterruptedException {
        syncIfStrong(path);
        return client.getData(path, watcher(), null);
    }

    /** The read that follows on the session is answered after the sync: a server keeps the order of a session. */
    private void syncIfStrong(String path) {
        if (options.strongReads()) {
            client.sync(path, (code, p, context) -> {}, null);
        }
    }

    /** What an operation's callback calls, once. */
    private interface Finish {
        void with(int resultCode);
    }

    private interface Start {
        void with(Finish finish);
    }

    private Status submit(String operation, Start start) {
        long startNanos = System.nanoTime();
        try {
            pipeline.begin();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Status.ERROR;
        }
        start.with(resultCode -> {
            if (Pipeline.status(KeeperException.Code.get(resultCode)) == Status.ERROR) {
                failed(operation, "", KeeperException.create(KeeperException.Code.get(resultCode)));
            }
            pipeline.finish(operation, startNanos, resultCode);
        });
        return Status.BATCHED_OK;
    }

    private interface Call {
        Status run() throws KeeperException, InterruptedException, IOException;
    }

    private Status call(String operation, String path, Call call) {
        try {
            return call.run();
        } catch (KeeperException e) {
            Status status = Pipeline.status(e.code());
            if (status == Status.ERROR) {
                failed(operation, path, e);
            }
            return status;
        } catch (IOException e) {
            failed(operation, path, e);
            return Status.UNEXPECTED_STATE;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Status.ERROR;
        }
    }

    private void failed(String operation, String path, Exception e) {
        if (failureLogged.compareAndSet(false, true)) {
            LOG.warn(
                    "{} {} failed: {}; further failures of this thread are only counted",
                    operation,
                    path,
                    e.getMessage());
        }
    }

    private static DBException interrupted() {
        Thread.currentThread().interrupt();
        return new DBException("interrupted while waiting for the server");
    }
}
