package io.chainkeeper.config;

/**
 * Bounds and periods of what a replica watches itself with.
 *
 * @param diskReserveBytes {@code ordering.diskReserveBytes}: client writes are refused while a file system of this
 *     replica has less space than this, or than a tenth of its size if that is less
 * @param digestAuditSeconds {@code ordering.digestAuditSeconds}: how often the leader has all replicas compare their
 *     states
 * @param heapReservePercent {@code ordering.heapReservePercent}: client writes that make the tree grow are refused
 *     while less than this part of the heap is left of what lives; 0 refuses none
 * @param maxWatches {@code ordering.maxWatches}: how many watches this replica's clients may have; 0 is no bound
 */
public record Safeguards(long diskReserveBytes, int digestAuditSeconds, int heapReservePercent, long maxWatches) {
    /** What a file that sets none of the keys gets: 64 MiB, one minute, a fifth of the heap, no bound. */
    public static final Safeguards DEFAULT = new Safeguards(64L << 20, 60, 20, 0);

    /** The largest {@code ordering.heapReservePercent}. */
    public static final int MAX_HEAP_RESERVE_PERCENT = 50;

    /** The largest {@code ordering.maxWatches}. */
    public static final long MAX_MAX_WATCHES = 1_000_000_000;

    /** The smallest {@code ordering.diskReserveBytes}, 1 MiB. */
    public static final long MIN_DISK_RESERVE_BYTES = 1L << 20;

    /** The largest {@code ordering.diskReserveBytes}, 1 TiB. */
    public static final long MAX_DISK_RESERVE_BYTES = 1L << 40;

    /** The smallest {@code ordering.digestAuditSeconds}. */
    public static final int MIN_DIGEST_AUDIT_SECONDS = 1;

    /** The largest {@code ordering.digestAuditSeconds}, one day. */
    public static final int MAX_DIGEST_AUDIT_SECONDS = 86_400;
}
