package io.chainkeeper.server.transfer;

import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How far a transfer is: numbers for monitoring, which any thread may read, and a log line for every tenth. */
final class TransferProgress {
    private static final Logger LOG = LoggerFactory.getLogger(TransferProgress.class);
    private static final long BYTES_PER_MEGABYTE = 1_000_000;

    private final LongSupplier clockNanos;
    private volatile long totalBytes;
    private volatile long presentBytes;
    private String from;
    private long startNanos;
    private long fetchedBytes;
    private long reportedTenths;

    TransferProgress(LongSupplier clockNanos) {
        this.clockNanos = clockNanos;
    }

    /** Bytes of the state, 0 before the first transfer. */
    long totalBytes() {
        return totalBytes;
    }

    /** Bytes of it that are here. */
    long presentBytes() {
        return presentBytes;
    }

    void begin(String sender, StateManifest manifest, long present) {
        from = sender;
        startNanos = clockNanos.getAsLong();
        fetchedBytes = 0;
        totalBytes = manifest.totalBytes();
        presentBytes = present;
        reportedTenths = tenths();
        LOG.info(
                "State transfer from {} begins: position {}, {} MB in {} files, {} MB are here already",
                from,
                manifest.position(),
                megabytes(totalBytes),
                manifest.files().size(),
                megabytes(present));
    }

    /** The files before are whole, and of the next one so many bytes are here. */
    void at(long present) {
        presentBytes = present;
    }

    void fetched(int bytes) {
        fetchedBytes += bytes;
        presentBytes += bytes;
        long tenths = tenths();
        if (tenths > reportedTenths && tenths < 10) {
            reportedTenths = tenths;
            LOG.info("State transfer from {}: {} %, {} MB", from, tenths * 10, megabytes(presentBytes));
        }
    }

    private long tenths() {
        return totalBytes == 0 ? 0 : presentBytes * 10 / totalBytes;
    }

    void end() {
        long millis = TimeUnit.NANOSECONDS.toMillis(clockNanos.getAsLong() - startNanos);
        LOG.info(
                "State transfer from {} is complete: {} MB fetched in {} s, {} MB/s",
                from,
                megabytes(fetchedBytes),
                String.format(Locale.ROOT, "%.1f", millis / 1000.0),
                String.format(Locale.ROOT, "%.1f", fetchedBytes / 1000.0 / Math.max(1, millis)));
    }

    static String megabytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f", (double) bytes / BYTES_PER_MEGABYTE);
    }
}
