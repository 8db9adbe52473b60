package io.chainkeeper.config;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Looks at all disks at the same time: one that hangs is not waited for when a majority has answered. Stateless. */
final class DiskProbe {
    /** How long each disk may take. */
    static final Duration PATIENCE = Duration.ofSeconds(3);

    /** How long a majority may take, for instance if all disks have to spin up. */
    static final Duration LIMIT = Duration.ofSeconds(60);

    private DiskProbe() {}

    /**
     * Looks, each with a thread of its own, which ends when its disk has answered.
     *
     * @param looks one for each disk
     * @param patience how long all are waited for
     * @param limit how long is waited, if a majority has not answered within {@code patience}, until it has
     * @param late told once, when the longer wait begins: the places of those that have not answered, from 0
     * @return the looks, in their order; those that are not done have not answered in time
     */
    static <T> List<FutureTask<T>> look(
            List<Callable<T>> looks, Duration patience, Duration limit, Consumer<List<Integer>> late) {
        CountDownLatch all = new CountDownLatch(looks.size());
        CountDownLatch majority = new CountDownLatch(looks.size() / 2 + 1);
        List<FutureTask<T>> tasks = new ArrayList<>();
        for (Callable<T> look : looks) {
            FutureTask<T> task = new FutureTask<>(look) {
                @Override
                protected void done() {
                    all.countDown();
                    majority.countDown();
                }
            };
            tasks.add(task);
            Thread thread = new Thread(task, "look-at-shared-disk-" + tasks.size());
            thread.setDaemon(true);
            thread.start();
        }
        try {
            if (!all.await(patience.toNanos(), TimeUnit.NANOSECONDS) && majority.getCount() > 0) {
                late.accept(IntStream.range(0, tasks.size())
                        .filter(place -> !tasks.get(place).isDone())
                        .boxed()
                        .toList());
                majority.await(limit.minus(patience).toNanos(), TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException e) {
            // Whoever ends this start wants no more of it: what has not answered by now counts as that.
            Thread.currentThread().interrupt();
        }
        return tasks;
    }
}
