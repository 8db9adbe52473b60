package io.chainkeeper.server.transfer;

import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/** Spreads bytes over time, for all transfers of this sender together. Safe for use by any thread. */
final class RateLimit {
    private static final long NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final long bytesPerSecond;
    private final LongSupplier clockNanos;
    private final LongConsumer pauseNanos;
    private long freeAtNanos;

    /**
     * @param bytesPerSecond the limit
     * @param clockNanos a monotonic clock
     * @param pauseNanos lets the calling thread wait
     */
    RateLimit(long bytesPerSecond, LongSupplier clockNanos, LongConsumer pauseNanos) {
        this.bytesPerSecond = bytesPerSecond;
        this.clockNanos = clockNanos;
        this.pauseNanos = pauseNanos;
        this.freeAtNanos = clockNanos.getAsLong();
    }

    /** Waits until the bytes may be sent. What was not used while nothing was sent is not made up for. */
    void acquire(int bytes) {
        long wait = reserve(bytes);
        if (wait > 0) {
            pauseNanos.accept(wait);
        }
    }

    private synchronized long reserve(int bytes) {
        long now = clockNanos.getAsLong();
        if (freeAtNanos - now < 0) {
            freeAtNanos = now;
        }
        long wait = freeAtNanos - now;
        freeAtNanos += (long) ((double) bytes * NANOS_PER_SECOND / bytesPerSecond);
        return wait;
    }
}
