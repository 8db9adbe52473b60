package io.chainkeeper.server.guard;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * The bound on the watches that this replica's clients have set. How many there are is counted only when what is left
 * of the bound at the last count is used up, because counting looks at all of them. Safe for use by any thread.
 */
public final class WatchLimit {
    /** No bound. */
    public static final long NONE = 0;

    /** Clients of a server that is gone bring their watches along, up to so many times the bound. */
    private static final int WITH_THOSE_OF_OTHERS = 2;

    /** Counting takes at most one part in so many of the time. */
    private static final int SHARE_OF_TIME = 10;

    /** Who is at the bound is likely to ask again and again. */
    public static final int SECONDS_BETWEEN_LINES = 10;

    private final long max;
    private final IntSupplier count;
    private final LongSupplier nanoTime;
    private final AtomicLong room;
    private final AtomicLong sayableFromNanos;
    private final AtomicLong refused = new AtomicLong();
    private long countableFromNanos;
    private boolean isCounted;

    /**
     * @param max {@code ordering.maxWatches}, or {@link #NONE}
     * @param count counts the watches
     * @param nanoTime a clock
     */
    public WatchLimit(long max, IntSupplier count, LongSupplier nanoTime) {
        this.max = max;
        this.count = count;
        this.nanoTime = nanoTime;
        this.sayableFromNanos = new AtomicLong(max == NONE ? 0 : nanoTime.getAsLong());
        this.room = new AtomicLong(max == NONE ? Long.MAX_VALUE : 0);
    }

    /** @return the bound, or {@link #NONE} */
    public long max() {
        return max;
    }

    /**
     * Asks for one new watch.
     *
     * @return whether it may be set
     */
    public boolean admits() {
        if (max == NONE || take(1, 0)) {
            return true;
        }
        recount();
        boolean admitted = take(1, 0);
        if (!admitted) {
            refused.incrementAndGet();
        }
        return admitted;
    }

    /**
     * Asks for watches that a client has had already, at this server or another.
     *
     * @param watches how many
     * @return whether they may be set
     */
    public boolean admitsAgain(long watches) {
        long beyond = max * (WITH_THOSE_OF_OTHERS - 1);
        if (max == NONE || take(watches, beyond)) {
            return true;
        }
        recount();
        boolean admitted = take(watches, beyond);
        if (!admitted) {
            refused.incrementAndGet();
        }
        return admitted;
    }

    private boolean take(long watches, long beyond) {
        long left = room.get();
        while (left + beyond >= watches) {
            if (room.compareAndSet(left, left - watches)) {
                return true;
            }
            left = room.get();
        }
        return false;
    }

    private synchronized void recount() {
        long begin = nanoTime.getAsLong();
        if (isCounted && begin - countableFromNanos < 0) {
            return;
        }
        room.set(max - count.getAsInt());
        long end = nanoTime.getAsLong();
        countableFromNanos = end + SHARE_OF_TIME * (end - begin);
        isCounted = true;
    }

    /** @return whether a refusal is to be said in the log: it is not if one was said just before */
    public boolean isToBeSaid() {
        long now = nanoTime.getAsLong();
        long from = sayableFromNanos.get();
        return now - from >= 0
                && sayableFromNanos.compareAndSet(from, now + TimeUnit.SECONDS.toNanos(SECONDS_BETWEEN_LINES));
    }

    /** Numbers for monitoring, without the prefix. */
    public Map<String, LongSupplier> gauges() {
        return Map.of("watches_max", () -> max, "watches_refused", refused::get);
    }
}
