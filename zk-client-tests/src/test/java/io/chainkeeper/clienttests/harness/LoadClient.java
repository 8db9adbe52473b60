package io.chainkeeper.clienttests.harness;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;

/**
 * One client of a {@link LoadGenerator}: a thread that sends asynchronous writes at a bounded rate with a bounded
 * number of unanswered ones, and a session that is replaced when it expires.
 */
final class LoadClient {
    private static final int KEYS = 8;
    private static final int MAX_UNANSWERED = 32;

    /** A client that knows one server only has to outlive the restart of that one, on a busy machine too. */
    private static final int SESSION_TIMEOUT_MILLIS = Ensemble.MAX_SESSION_TIMEOUT_MILLIS;

    private static final long STOP_LIMIT_SECONDS = 60;

    private final String name;
    private final String connectString;
    private final long nanosPerOperation;
    private final AcknowledgedWrites writes;
    private final AnswerTimes acknowledgements = new AnswerTimes();
    private final Semaphore unanswered = new Semaphore(MAX_UNANSWERED);
    private final Thread thread;

    private volatile boolean stopped;
    private volatile Throwable failure;
    private ZooKeeper client;
    private SessionState session;
    private long issued;

    /** What the watcher of one session has seen. */
    private static final class SessionState {
        private KeeperState state = KeeperState.Disconnected;

        private synchronized void become(KeeperState newState) {
            if (state != KeeperState.Expired) {
                state = newState;
            }
            notifyAll();
        }

        /** Returns the state once it is connected or expired, or after a moment. */
        private synchronized KeeperState awaitUsable() throws InterruptedException {
            if (state == KeeperState.Disconnected) {
                wait(100);
            }
            return state;
        }
    }

    LoadClient(String name, String connectString, int operationsPerSecond, AcknowledgedWrites writes) {
        this.name = name;
        this.connectString = connectString;
        this.nanosPerOperation = TimeUnit.SECONDS.toNanos(1) / operationsPerSecond;
        this.writes = writes;
        this.thread = new Thread(this::run, "load-" + name);
    }

    /** The znodes whose data this client, and nobody else, sets. */
    static List<String> keys(String name) {
        return IntStream.range(0, KEYS)
                .mapToObj(key -> LoadGenerator.ROOT + "/" + name + "-" + key)
                .collect(Collectors.toList());
    }

    String name() {
        return name;
    }

    /** When its writes were acknowledged. */
    AnswerTimes acknowledgements() {
        return acknowledgements;
    }

    void start() {
        thread.start();
    }

    void stop() throws Exception {
        stopped = true;
        thread.join(TimeUnit.SECONDS.toMillis(STOP_LIMIT_SECONDS));
        if (thread.isAlive()) {
            thread.interrupt();
            throw new AssertionError("load client " + name + " did not get its answers within " + STOP_LIMIT_SECONDS
                    + " s; unanswered: " + (MAX_UNANSWERED - unanswered.availablePermits()));
        }
        if (failure != null) {
            throw new AssertionError("load client " + name + " failed", failure);
        }
    }

    private void run() {
        try {
            openSession();
            long next = System.nanoTime();
            while (!stopped) {
                KeeperState state = session.awaitUsable();
                if (state == KeeperState.Expired) {
                    writes.sessionExpired();
                    client.close();
                    openSession();
                } else if (state == KeeperState.SyncConnected && unanswered.tryAcquire(100, TimeUnit.MILLISECONDS)) {
                    issue(issued++);
                    next = Math.max(next + nanosPerOperation, System.nanoTime() - nanosPerOperation);
                    LockSupport.parkNanos(next - System.nanoTime());
                }
            }
            unanswered.acquire(MAX_UNANSWERED);
            client.close();
        } catch (InterruptedException | IOException | RuntimeException | AssertionError e) {
            failure = e;
        }
    }

    private void openSession() throws IOException {
        SessionState newSession = new SessionState();
        session = newSession;
        client = new ZooKeeper(connectString, SESSION_TIMEOUT_MILLIS, event -> newSession.become(event.getState()));
    }

    private void issue(long number) {
        String payload = name + "#" + number;
        switch ((int) (number % 4)) {
            case 0 -> create(payload);
            case 1 -> setBoth(payload);
            default -> set(keys(name).get((int) (number / 4 % KEYS)), number, payload);
        }
    }

    private void set(String path, long number, String payload) {
        writes.sent(path);
        client.setData(
                path,
                payload.getBytes(StandardCharsets.US_ASCII),
                -1,
                (resultCode, ignored, context, stat) -> answered(resultCode, () -> {
                    writes.acknowledgedSet(path, number, payload, stat.getVersion());
                }),
                null);
    }

    private void create(String payload) {
        writes.sent(LoadGenerator.SEQUENCE);
        client.create(
                LoadGenerator.SEQUENCE + "/n-",
                payload.getBytes(StandardCharsets.US_ASCII),
                Ids.OPEN_ACL_UNSAFE,
                CreateMode.PERSISTENT_SEQUENTIAL,
                (resultCode, ignored, context, created) ->
                        answered(resultCode, () -> writes.acknowledgedCreate(created, payload)),
                null);
    }

    /** Both znodes of the pair in one transaction: whoever reads them always finds the same data. */
    private void setBoth(String payload) {
        byte[] data = payload.getBytes(StandardCharsets.US_ASCII);
        writes.sent(LoadGenerator.PAIR);
        client.multi(
                List.of(Op.setData(LoadGenerator.LEFT, data, -1), Op.setData(LoadGenerator.RIGHT, data, -1)),
                (resultCode, ignored, context, results) ->
                        answered(resultCode, () -> writes.acknowledged(LoadGenerator.PAIR)),
                null);
    }

    private void answered(int resultCode, Runnable record) {
        try {
            switch (Code.get(resultCode)) {
                case OK -> {
                    record.run();
                    acknowledgements.add(System.nanoTime());
                }
                case CONNECTIONLOSS, SESSIONEXPIRED, SESSIONMOVED, OPERATIONTIMEOUT, THROTTLEDOP -> writes.unknown();
                default -> throw new AssertionError("unexpected answer " + Code.get(resultCode) + " to client " + name);
            }
        } catch (AssertionError e) {
            failure = e;
            stopped = true;
        } finally {
            unanswered.release();
        }
    }
}
