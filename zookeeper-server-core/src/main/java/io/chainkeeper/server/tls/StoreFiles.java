package io.chainkeeper.server.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.apache.zookeeper.common.ZKConfig;

/**
 * Key and trust stores, and the files with their passwords: says when they are to be read again. Files that could not
 * be read may look the same when they can be, because only their owner was corrected for example, so they are tried
 * again. Not thread-safe.
 */
final class StoreFiles {
    /** Checking a password takes tens of milliseconds, and anybody can open connections. */
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final LongSupplier nanoClock;
    private final List<Path> paths;
    private List<String> found = List.of();
    private List<String> used = List.of();
    private List<String> failed = List.of();
    private String failure;
    private long failedAt;

    /**
     * @param nanoClock time, as {@link System#nanoTime} says it
     * @param config what names the files
     * @param keys of the properties that do; those that are not set are left out
     */
    StoreFiles(LongSupplier nanoClock, ZKConfig config, String... keys) {
        this.nanoClock = nanoClock;
        this.paths = Stream.of(keys)
                .map(config::getProperty)
                .filter(Objects::nonNull)
                .filter(location -> !location.isEmpty())
                .map(Path::of)
                .toList();
    }

    /**
     * @return whether to read them now: a file is another one, or has another time or size, than when they could last
     *     be read; if they could not be read as they are, only after a while
     */
    boolean areDue() {
        found = paths.stream().map(StoreFiles::stamp).toList();
        boolean hasJustFailed = found.equals(failed) && nanoClock.getAsLong() - failedAt < RETRY_NANOS;
        return !found.equals(used) && !hasJustFailed;
    }

    /** They could be read, as they were at the last call of {@link #areDue}. */
    void haveBeenRead() {
        used = found;
    }

    /**
     * They could not be read.
     *
     * @param reason why
     * @return whether that is new, and not only tried again
     */
    boolean haveFailed(String reason) {
        boolean isNew = !found.equals(failed) || !reason.equals(failure);
        failed = found;
        failure = reason;
        failedAt = nanoClock.getAsLong();
        return isNew;
    }

    private static String stamp(Path path) {
        try {
            BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
            return attributes.lastModifiedTime() + " " + attributes.size() + " " + attributes.fileKey();
        } catch (NoSuchFileException e) {
            return "absent";
        } catch (IOException e) {
            return "unreadable";
        }
    }

    @Override
    public String toString() {
        return paths.toString();
    }
}
