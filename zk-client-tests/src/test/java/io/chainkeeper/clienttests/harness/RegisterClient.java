package io.chainkeeper.clienttests.harness;

import io.chainkeeper.simulation.checker.Operation;
import io.chainkeeper.simulation.checker.Operation.Kind;
import io.chainkeeper.simulation.checker.VersionedRegister;
import io.chainkeeper.simulation.checker.VersionedRegister.Outcome;
import io.chainkeeper.simulation.checker.VersionedRegister.Write;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

/** One thread of a {@link RegisterWorkload}, with a session at one server. */
final class RegisterClient {
    private static final long STOP_LIMIT_SECONDS = 60;
    private static final long DISCONNECTED_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final int id;
    private final String connectString;
    private final List<String> paths;
    private final boolean syncBeforeRead;
    private final long nanosPerOperation;
    private final Random random;
    private final Queue<Operation> history;
    private final Map<String, Integer> seenVersions = new HashMap<>();
    private final Thread thread;

    private volatile boolean stopped;
    private volatile Throwable failure;
    private ZooKeeper client;
    private int writes;

    RegisterClient(
            int id,
            String connectString,
            List<String> paths,
            boolean syncBeforeRead,
            int operationsPerSecond,
            long seed,
            Queue<Operation> history) {
        this.id = id;
        this.connectString = connectString;
        this.paths = paths;
        this.syncBeforeRead = syncBeforeRead;
        this.nanosPerOperation = TimeUnit.SECONDS.toNanos(1) / operationsPerSecond;
        this.random = new Random(seed);
        this.history = history;
        this.thread = new Thread(this::run, "register-" + id);
    }

    void start() {
        thread.start();
    }

    void stop() throws Exception {
        stopped = true;
        thread.join(TimeUnit.SECONDS.toMillis(STOP_LIMIT_SECONDS));
        if (thread.isAlive()) {
            thread.interrupt();
            throw new AssertionError("register client " + id + " at " + connectString + " got no answer within "
                    + STOP_LIMIT_SECONDS + " s");
        }
        if (failure != null) {
            throw new AssertionError("register client " + id + " at " + connectString + " failed", failure);
        }
    }

    private void run() {
        try {
            openSession();
            long next = System.nanoTime();
            while (!stopped) {
                if (!client.getState().isAlive()) {
                    client.close();
                    openSession();
                } else if (!client.getState().isConnected()) {
                    LockSupport.parkNanos(DISCONNECTED_PAUSE_NANOS);
                } else {
                    operate(paths.get(random.nextInt(paths.size())));
                    next = Math.max(next + nanosPerOperation, System.nanoTime() - nanosPerOperation);
                    LockSupport.parkNanos(next - System.nanoTime());
                }
            }
            client.close();
        } catch (Exception | AssertionError e) {
            failure = e;
        }
    }

    private void openSession() throws IOException {
        client = new ZooKeeper(connectString, Clients.SESSION_TIMEOUT_MILLIS, event -> {});
    }

    private void operate(String path) throws Exception {
        int choice = random.nextInt(10);
        if (choice < 5) {
            read(path);
        } else if (choice < 8) {
            write(path, Kind.WRITE, VersionedRegister.ANY_VERSION);
        } else {
            write(path, Kind.COMPARE_AND_SET, seenVersions.getOrDefault(path, 0));
        }
    }

    private void read(String path) throws Exception {
        long invokedAt = System.nanoTime();
        try {
            if (syncBeforeRead) {
                TreeDump.sync(client, path);
            }
            Stat stat = new Stat();
            String value = new String(client.getData(path, false, stat), StandardCharsets.US_ASCII);
            seenVersions.put(path, stat.getVersion());
            record(invokedAt, System.nanoTime(), Kind.READ, path, null, Outcome.read(value, stat.getVersion()));
        } catch (KeeperException e) {
            expectLost(e);
        } catch (ExecutionException e) {
            expectLost((KeeperException) e.getCause());
        }
    }

    private void write(String path, Kind kind, int expectedVersion) throws Exception {
        String value = id + "#" + writes++;
        Write write = new Write(value, expectedVersion);
        long invokedAt = System.nanoTime();
        try {
            int version = client.setData(path, value.getBytes(StandardCharsets.US_ASCII), expectedVersion)
                    .getVersion();
            seenVersions.put(path, version);
            record(invokedAt, System.nanoTime(), kind, path, write, Outcome.written(version));
        } catch (KeeperException.BadVersionException e) {
            record(invokedAt, System.nanoTime(), kind, path, write, Outcome.BAD_VERSION);
        } catch (KeeperException e) {
            expectLost(e);
            record(invokedAt, Operation.UNKNOWN, kind, path, write, null);
        }
    }

    private void record(long invokedAt, long returnedAt, Kind kind, String path, Write write, Outcome outcome) {
        history.add(new Operation(id, invokedAt, returnedAt, kind, path, write, outcome));
    }

    /** Only the loss of the connection or of the session leaves an operation without an answer. */
    private static void expectLost(KeeperException e) throws KeeperException {
        switch (e.code()) {
            case CONNECTIONLOSS, SESSIONEXPIRED, SESSIONMOVED -> {}
            default -> throw e;
        }
    }
}
