package io.chainkeeper.transport.io;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Bounds how often the same trouble is reported: at once when the trouble is new, again when it changes (at most once
 * per pause), and once a minute while it lasts. Keeps an entry for each subject that the caller has named. Not
 * thread-safe.
 */
public final class ReportLimiter {
    private static final long REPEAT_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final long pauseNanos;
    private final Map<Integer, Entry> entries = new HashMap<>();

    private static final class Entry {
        private String trouble;
        private long reportedNanos;
        private long suppressed;
    }

    /** @param pauseMillis least time between two reports about one subject */
    public ReportLimiter(int pauseMillis) {
        this.pauseNanos = TimeUnit.MILLISECONDS.toNanos(pauseMillis);
    }

    /**
     * Asks whether to report.
     *
     * @param subject whom the report is about
     * @param trouble what happened
     * @param nowNanos {@link System#nanoTime()}
     * @return the text to report, which counts what was left out since the last one; null to keep silent
     */
    public String admit(int subject, String trouble, long nowNanos) {
        Entry entry = entries.get(subject);
        if (entry == null) {
            entry = new Entry();
            entries.put(subject, entry);
        } else {
            long since = nowNanos - entry.reportedNanos;
            boolean changed = !trouble.equals(entry.trouble);
            if (since < pauseNanos || !changed && since < REPEAT_NANOS) {
                entry.suppressed++;
                return null;
            }
        }
        String left = entry.suppressed == 0 ? "" : " (" + entry.suppressed + " more since the last report)";
        entry.trouble = trouble;
        entry.reportedNanos = nowNanos;
        entry.suppressed = 0;
        return trouble + left;
    }

    /**
     * Asks, before the text is made, whether one that nobody has read yet would be admitted; if not, it counts as left
     * out.
     *
     * @param subject whom the report is about
     * @param nowNanos {@link System#nanoTime()}
     * @return whether {@link #admit} would admit it
     */
    public boolean isDue(int subject, long nowNanos) {
        Entry entry = entries.get(subject);
        if (entry == null || nowNanos - entry.reportedNanos >= pauseNanos) {
            return true;
        }
        entry.suppressed++;
        return false;
    }

    /**
     * The trouble is over: the next one is new.
     *
     * @param subject whom the reports were about
     */
    public void clear(int subject) {
        entries.remove(subject);
    }
}
