package io.chainkeeper.server.storage;

import io.chainkeeper.transport.io.ReportLimiter;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.zookeeper.server.ServerMetrics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts and reports the times that forcing a log took longer than ZooKeeper's {@code fsync.warningthresholdms}. Of
 * each log there is at most one report in ten seconds. Any thread.
 */
public final class SlowForces {
    /** ZooKeeper's key in zoo.cfg; as a property of the JVM also with {@code zookeeper.} in front. */
    public static final String WARNING_THRESHOLD = "fsync.warningthresholdms";

    /** ZooKeeper's threshold when nothing is set. */
    public static final long DEFAULT_THRESHOLD_MILLIS = 1_000;

    /** Those of this process: its logs share the setting, and ZooKeeper has it in the properties of the JVM. */
    public static final SlowForces OF_PROCESS = new SlowForces(SlowForces::thresholdMillis);

    private static final int PAUSE_MILLIS = 10_000;
    private static final Logger LOG = LoggerFactory.getLogger(SlowForces.class);

    private final LongSupplier thresholdMillis;
    private final AtomicLong count = new AtomicLong();
    private final ReportLimiter reports = new ReportLimiter(PAUSE_MILLIS);

    private enum Subject {
        ACCEPTOR_LOG("Writes wait for it"),
        TRANSACTION_LOG("Nobody waits for it, but the acceptor log may share the disk");

        private final String consequence;

        Subject(String consequence) {
            this.consequence = consequence;
        }
    }

    /** @param thresholdMillis how long a force may take without being reported */
    SlowForces(LongSupplier thresholdMillis) {
        this.thresholdMillis = thresholdMillis;
    }

    private static long thresholdMillis() {
        return Long.getLong(
                "zookeeper." + WARNING_THRESHOLD, Long.getLong(WARNING_THRESHOLD, DEFAULT_THRESHOLD_MILLIS));
    }

    /**
     * The acceptor log has been forced.
     *
     * @param file names the file
     * @param bytes written to it since the force before
     * @param nanos how long it took
     */
    public void acceptorLog(Supplier<String> file, long bytes, long nanos) {
        ServerMetrics.getMetrics().FSYNC_TIME.add(TimeUnit.NANOSECONDS.toMillis(nanos));
        forced(Subject.ACCEPTOR_LOG, file, bytes, nanos);
    }

    /**
     * A file of the transaction log has been forced.
     *
     * @param file names it
     * @param bytes its length
     * @param nanos how long it took
     */
    void transactionLog(Supplier<String> file, long bytes, long nanos) {
        forced(Subject.TRANSACTION_LOG, file, bytes, nanos);
    }

    private void forced(Subject subject, Supplier<String> file, long bytes, long nanos) {
        long millis = TimeUnit.NANOSECONDS.toMillis(nanos);
        long threshold = thresholdMillis.getAsLong();
        if (millis <= threshold) {
            return;
        }
        count.incrementAndGet();
        String text = "Forcing " + file.get() + " to disk took " + millis + " ms for " + bytes + " bytes ("
                + WARNING_THRESHOLD + "=" + threshold + "). " + subject.consequence
                + ": see what else uses the disk, or give the log one of its own (dataLogDir)";
        String report;
        synchronized (reports) {
            report = reports.admit(subject.ordinal(), text, System.nanoTime());
        }
        if (report != null) {
            LOG.warn(report);
        }
    }

    /** @return how often a force took too long since the process began */
    public long count() {
        return count.get();
    }

    /** @return numbers for monitoring, names without the prefix */
    public Map<String, LongSupplier> gauges() {
        return Map.of("slow_forces", this::count);
    }
}
