package io.chainkeeper.clienttests.harness;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Waits for conditions that other processes bring about. */
public final class Await {
    /** Between two looks at a condition that another process has to fulfil. */
    private static final long POLL_MILLIS = 20;

    private Await() {}

    /** Lets time pass. For faults that last so long, never to wait for an effect. */
    public static void pass(Duration time) throws InterruptedException {
        Thread.sleep(time.toMillis());
    }

    /**
     * Waits until the condition holds.
     *
     * @param what the condition in words, for the message of the failure
     * @param condition must not block for long; an exception that it throws ends the waiting
     * @throws AssertionError if it does not hold within the limit
     */
    public static void until(String what, Duration limit, Callable<Boolean> condition) throws Exception {
        long start = System.nanoTime();
        while (!condition.call()) {
            if (System.nanoTime() - start > limit.toNanos()) {
                throw new AssertionError("after " + limit.toMillis() + " ms still waiting for: " + what);
            }
            Thread.sleep(POLL_MILLIS);
        }
    }

    /**
     * Waits until a thread that the test has started has counted a hundred times more. However fast it is,
     * that much has then been tried.
     *
     * @param failure what has ended that thread, or null while it runs
     * @throws AssertionError if the thread has failed, or has not counted so often within a minute
     */
    public static void counts(String what, AtomicInteger counted, AtomicReference<Throwable> failure) throws Exception {
        int enough = counted.get() + 100;
        until(what + " a hundred times more", Duration.ofMinutes(1), () -> {
            if (failure.get() != null) {
                throw new AssertionError(what, failure.get());
            }
            return counted.get() >= enough;
        });
    }
}
