package io.chainkeeper.server.tracing;

import io.chainkeeper.transport.io.ReportLimiter;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs slow requests, one line each. Of those that spent their time with the same part of the way there is at most one
 * line a second, which says how many others there were. Any thread.
 */
final class SlowRequests {
    private static final Logger LOG = LoggerFactory.getLogger(SlowRequests.class);
    private static final int PAUSE_MILLIS = 1_000;

    private final int thresholdMillis;
    private final AtomicLong count = new AtomicLong();
    private final ReportLimiter reports = new ReportLimiter(PAUSE_MILLIS);

    /** @param thresholdMillis named in the line */
    SlowRequests(int thresholdMillis) {
        this.thresholdMillis = thresholdMillis;
    }

    /**
     * @param stages of the request
     * @param what says what it is, asked for only if it is logged
     * @param nowNanos a monotonic clock
     */
    void report(Stages stages, Supplier<String> what, long nowNanos) {
        count.incrementAndGet();
        Part most = stages.most();
        String report;
        synchronized (reports) {
            if (!reports.isDue(most.ordinal(), nowNanos)) {
                return;
            }
            report = reports.admit(most.ordinal(), text(stages, most, what.get()), nowNanos);
        }
        if (report != null) {
            LOG.warn(report);
        }
    }

    private String text(Stages stages, Part most, String what) {
        return "Slow request: " + what + ", took " + stages.totalMillis() + " ms, most of it " + most.text() + ": "
                + stages + " (ordering.slowRequestMillis=" + thresholdMillis + ")";
    }

    /** Returns how many there were since this start. */
    long count() {
        return count.get();
    }
}
