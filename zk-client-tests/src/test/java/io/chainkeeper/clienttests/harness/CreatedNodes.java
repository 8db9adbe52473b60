package io.chainkeeper.clienttests.harness;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;

/**
 * Clients that create znodes one after the other at whichever of some servers they find, and note those that were
 * answered: for ensembles whose servers come and go.
 */
public final class CreatedNodes implements AutoCloseable {
    private static final String ROOT = "/created";

    /** What is tested are changes of the members, not how fast writes are. */
    private static final Duration PAUSE = Duration.ofMillis(25);

    private static final Duration BEFORE_AGAIN = Duration.ofMillis(100);
    private static final Duration PROGRESS_LIMIT = Duration.ofSeconds(60);

    private final Set<String> acknowledged = new ConcurrentSkipListSet<>();
    private final Set<String> sent = new ConcurrentSkipListSet<>();
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final List<Thread> threads = new ArrayList<>();

    /**
     * Starts the clients.
     *
     * @param connectStrings one for each client
     */
    public CreatedNodes(List<String> connectStrings) throws Exception {
        try (ZooKeeper client = Clients.connect(connectStrings.get(0))) {
            client.create(ROOT, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
        }
        for (String connectString : connectStrings) {
            Thread thread = new Thread(() -> run(connectString), "creates-" + threads.size());
            threads.add(thread);
            thread.start();
        }
    }

    private void run(String connectString) {
        try {
            ZooKeeper client = Clients.connect(connectString);
            String name = Thread.currentThread().getName();
            for (int number = 0; !stopped.get(); number++) {
                while (!create(client, name + "-" + number)) {
                    client.close();
                    client = Clients.connect(connectString);
                }
                Await.pass(PAUSE);
            }
            client.close();
        } catch (Exception | AssertionError e) {
            failure.compareAndSet(null, e);
        }
    }

    /** Returns whether the session can go on. */
    private boolean create(ZooKeeper client, String name) throws Exception {
        sent.add(name);
        while (true) {
            try {
                client.create(ROOT + "/" + name, null, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            } catch (KeeperException.NodeExistsException e) {
                // the answer to an earlier try was lost
                acknowledged.add(name);
                return true;
            } catch (KeeperException.SessionExpiredException e) {
                return false;
            } catch (KeeperException.ConnectionLossException e) {
                if (stopped.get()) {
                    return true;
                }
                Await.pass(BEFORE_AGAIN);
                continue;
            }
            acknowledged.add(name);
            return true;
        }
    }

    /** Waits until so many more are answered. */
    public void awaitProgress(int count) throws Exception {
        int goal = acknowledged.size() + count;
        Await.until(count + " more znodes are created", PROGRESS_LIMIT, () -> {
            if (failure.get() != null) {
                throw new AssertionError("a client failed", failure.get());
            }
            return acknowledged.size() >= goal;
        });
    }

    /** Sends no more, and waits for the last answers. */
    public void stop() throws InterruptedException {
        stopped.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        if (failure.get() != null) {
            throw new AssertionError("a client failed", failure.get());
        }
    }

    /** Checks that a server has all that was answered, and nothing that was not sent. */
    public void check(String connectString) throws Exception {
        try (ZooKeeper client = Clients.connect(connectString)) {
            TreeDump.sync(client, ROOT);
            Set<String> there = new TreeSet<>(client.getChildren(ROOT, false));
            Set<String> lost = new TreeSet<>(acknowledged);
            lost.removeAll(there);
            there.removeAll(sent);
            if (!lost.isEmpty() || !there.isEmpty()) {
                throw new AssertionError(connectString + " has lost " + lost + " and has " + there + " too many");
            }
        }
    }

    /** Returns how many were answered. */
    public int count() {
        return acknowledged.size();
    }

    @Override
    public void close() throws InterruptedException {
        stopped.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
