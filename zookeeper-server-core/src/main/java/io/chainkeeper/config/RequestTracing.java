package io.chainkeeper.config;

/**
 * What a server notes of the way of single requests.
 *
 * @param slowRequestMillis {@code ordering.slowRequestMillis}: a client's request that takes longer is logged, 0 for
 *     none
 * @param traceEvery {@code ordering.traceEvery}: of so many commands of each proposer one is traced, 0 for none
 */
public record RequestTracing(int slowRequestMillis, int traceEvery) {
    /** What a file that sets none of the keys gets. */
    public static final RequestTracing DEFAULT = new RequestTracing(1_000, 1_000);

    /** Nothing is noted. */
    public static final RequestTracing NONE = new RequestTracing(0, 0);

    /** The largest {@code ordering.slowRequestMillis}, one hour. */
    public static final int MAX_SLOW_REQUEST_MILLIS = 3_600_000;

    /** The largest {@code ordering.traceEvery}. */
    public static final int MAX_TRACE_EVERY = 1_000_000_000;
}
