package io.chainkeeper.main;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;

/** One writing thread per client, until the connection is lost; remembers exactly which writes were answered. */
final class DemoWriters {
    private final Map<String, String> acknowledged = new TreeMap<>();
    private final List<Thread> threads = new ArrayList<>();
    private Exception failure;

    /**
     * Starts writing.
     *
     * @param clients one thread is started for each
     * @param parent existing znode below which they write
     */
    DemoWriters(List<DemoClient> clients, String parent) {
        for (int i = 0; i < clients.size(); i++) {
            DemoClient client = clients.get(i);
            String prefix = parent + "/writer-" + (i + 1) + "-";
            Thread thread = new Thread(() -> write(client, prefix), "demo-writer-" + (i + 1));
            thread.setDaemon(true);
            threads.add(thread);
        }
        threads.forEach(Thread::start);
    }

    private void write(DemoClient client, String prefix) {
        try {
            for (int i = 0; ; i++) {
                client.create(prefix + i, "value " + i, CreateMode.PERSISTENT);
                synchronized (this) {
                    acknowledged.put(prefix + i, "value " + i);
                    notifyAll();
                }
            }
        } catch (KeeperException.ConnectionLossException expected) {
            // the servers were killed: the last write has no answer
        } catch (KeeperException | InterruptedException | RuntimeException e) {
            synchronized (this) {
                failure = e;
                notifyAll();
            }
        }
    }

    /** Waits until so many writes have been answered. */
    synchronized void awaitAcknowledged(int count) throws Exception {
        Deadline deadline = new Deadline(count + " answered writes");
        while (acknowledged.size() < count && failure == null) {
            deadline.check();
            wait(Math.max(1, deadline.remainingMillis()));
        }
        checkNoFailure();
    }

    /** Waits until all threads have lost their connection. */
    Map<String, String> awaitEnd() throws Exception {
        Deadline deadline = new Deadline("the writers' loss of connection");
        for (Thread thread : threads) {
            thread.join(Math.max(1, deadline.remainingMillis()));
            deadline.require(!thread.isAlive());
        }
        checkNoFailure();
        return acknowledged;
    }

    private synchronized void checkNoFailure() throws Exception {
        if (failure != null) {
            throw failure;
        }
    }
}
