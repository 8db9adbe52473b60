package io.chainkeeper.replica;

import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Remembers failures, and waits for conditions. */
final class Failures implements FailureHandler {
    static final long DEADLINE_SECONDS = 60;

    private final List<String> messages = new ArrayList<>();
    private final CountDownLatch first = new CountDownLatch(1);

    @Override
    public void failed(String message, Throwable cause) {
        synchronized (messages) {
            messages.add(message);
        }
        first.countDown();
    }

    List<String> messages() {
        synchronized (messages) {
            return List.copyOf(messages);
        }
    }

    String await() throws InterruptedException {
        assertTrue("no failure was reported", first.await(DEADLINE_SECONDS, TimeUnit.SECONDS));
        return messages().get(0);
    }

    static void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        while (!condition.getAsBoolean()) {
            assertTrue("waited in vain for " + what, System.nanoTime() < deadline);
            Thread.yield();
        }
    }

    /** Waits until a thread waits for something itself. */
    static void awaitBlocked(Thread thread) {
        await(
                thread.getName() + " to wait",
                () -> thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING);
    }

    static void join(Thread thread) throws InterruptedException {
        thread.join(TimeUnit.SECONDS.toMillis(DEADLINE_SECONDS));
        assertTrue(thread.getName() + " does not end", !thread.isAlive());
    }
}
