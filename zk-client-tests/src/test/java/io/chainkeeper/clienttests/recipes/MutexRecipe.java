package io.chainkeeper.clienttests.recipes;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;

/**
 * A mutex that guards a number. Whoever holds it reads the number and sets it, without a version, to one more: two
 * holders at a time, a stale read, or a write of a former connection that is executed late would show in the number.
 */
final class MutexRecipe implements Recipe {
    private static final String NUMBER = "/recipes/guarded-number";

    private final List<CuratorFramework> clients;
    private final List<InterProcessMutex> mutexes = new ArrayList<>();
    private final AtomicInteger holders = new AtomicInteger();
    private final RepeatedSteps steps;

    /** What the last holder has set; for holders only. */
    private volatile long expected;

    MutexRecipe(List<CuratorFramework> clients) {
        this.clients = clients;
        this.steps = new RepeatedSteps("mutex", clients.size());
    }

    @Override
    public void start() throws Exception {
        clients.get(0).create().orSetData().creatingParentsIfNeeded().forPath(NUMBER, bytes(0));
        for (CuratorFramework client : clients) {
            mutexes.add(new InterProcessMutex(client, "/recipes/mutex"));
        }
        steps.start((participant, round) -> {
            InterProcessMutex mutex = mutexes.get(participant);
            mutex.acquire();
            try {
                check("holders of the mutex", 1, holders.incrementAndGet());
                countOn(clients.get(participant));
                holders.decrementAndGet();
            } finally {
                mutex.release();
            }
        });
    }

    private void countOn(CuratorFramework client) throws Exception {
        check("the number that the mutex guards", expected, read(client));
        client.setData().forPath(NUMBER, bytes(expected + 1));
        expected++;
    }

    private static long read(CuratorFramework client) throws Exception {
        return Long.parseLong(new String(client.getData().forPath(NUMBER), StandardCharsets.US_ASCII));
    }

    private static byte[] bytes(long number) {
        return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
    }

    private static void check(String what, long expected, long found) {
        if (found != expected) {
            throw new AssertionError(what + ": " + found + " instead of " + expected);
        }
    }

    @Override
    public void awaitProgress() throws Exception {
        steps.awaitProgress();
    }

    @Override
    public void finish() throws Exception {
        steps.finish();
        for (CuratorFramework client : clients) {
            check("the number that the mutex guards, at the end", steps.total(), read(client));
        }
    }

    @Override
    public void close() {
        steps.close();
    }
}
