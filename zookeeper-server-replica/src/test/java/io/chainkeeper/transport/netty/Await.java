package io.chainkeeper.transport.netty;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for conditions, never for a time. */
public final class Await {
    private static final long DEADLINE_SECONDS = 60;

    private Await() {}

    /**
     * @param what named if the deadline passes
     * @param condition asked again and again
     */
    public static void until(String what, BooleanSupplier condition) {
        until(() -> what, condition);
    }

    /**
     * @param what made when the deadline passes
     * @param condition asked again and again
     */
    public static void until(Supplier<String> what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("not within " + DEADLINE_SECONDS + " s: " + what.get());
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
        }
    }
}
