package io.chainkeeper.log;

import io.chainkeeper.ordering.LogTraces;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Opens acceptor logs. */
public final class AcceptorLogs {
    private AcceptorLogs() {}

    /**
     * Opens the log of a directory; if there is none, creates the directory and begins a log. A log of the other store,
     * or any log on disk if the settings want none there, is refused rather than forgotten.
     *
     * @param directory where the log lies; not touched under {@link Durability#MEMORY}
     * @param store which implementation
     * @param durability what {@link AcceptorLog#sync} waits for; {@link Durability#MEMORY} needs no store
     * @param settings the bounds
     * @return the log, locked against other servers until it is closed, and against other processes until all that
     *     {@link #hold} has returned is closed, too
     * @throws CorruptLogException if the log is damaged; nothing has been changed
     * @throws IOException if it cannot be used, with a message of one line that names the path and the remedy
     */
    public static AcceptorLog open(Path directory, LogStore store, Durability durability, AcceptorLogSettings settings)
            throws IOException {
        LogStore present = present(directory);
        if (durability == Durability.MEMORY) {
            if (present != null) {
                throw new IOException(directory + " holds an acceptor log, which ordering.durability=memory would"
                        + " forget: set ordering.durability=sync, or use an empty dataLogDir");
            }
            return new MemoryAcceptorLog(settings);
        }
        if (present != null && present != store) {
            throw new IOException(directory + " holds an acceptor log written with ordering.logStore=" + key(present)
                    + ": set that, or let this replica begin anew with an empty dataLogDir");
        }
        DirectoryLogFiles.prepare(directory);
        if (present == LogStore.SEGMENTED && Files.notExists(directory.resolve(DirectoryLock.FILE_NAME))) {
            // A damaged log is refused before the lock file is created.
            LogRecovery.scan(new DirectoryLogFiles(directory));
        }
        DirectoryLock lock = DirectoryLock.acquire(directory);
        AcceptorLog log = null;
        try {
            log = store == LogStore.LMDB
                    ? new LmdbAcceptorLog(directory, durability, settings, lock)
                    : new SegmentedAcceptorLog(files(directory, durability), durability, settings, lock);
        } finally {
            if (log == null) {
                lock.close();
            }
        }
        return log;
    }

    /**
     * Keeps other processes from opening the log of a directory, also when this process has closed it. This process can
     * open it again. May be called by any thread.
     *
     * @param directory of a log that is open in this process, and not under {@link Durability#MEMORY}
     * @return to be closed, by any thread, when other processes may have the directory
     * @throws IOException if no log of the directory is open any more
     */
    public static Closeable hold(Path directory) throws IOException {
        return DirectoryLock.hold(directory);
    }

    /** A write past the cache waits for the device, and only who forces every write would have waited anyway. */
    private static LogFiles files(Path directory, Durability durability) throws IOException {
        return durability == Durability.SYNC ? DirectoryLogFiles.direct(directory) : new DirectoryLogFiles(directory);
    }

    /**
     * Looks at the log of a directory and changes nothing, not even what opening would change. No server may run on the
     * directory.
     *
     * @param directory where the log would lie; need not exist
     * @return what tells of the protocol that has written it; null if there is no log
     * @throws CorruptLogException if the log is damaged
     * @throws IOException if it cannot be read, with a message of one line that names the path and the remedy
     */
    public static LogTraces traces(Path directory) throws IOException {
        LogStore present = present(directory);
        if (present == null) {
            return null;
        }
        return present == LogStore.LMDB
                ? LmdbTraces.read(directory)
                : LogRecovery.scan(new DirectoryLogFiles(directory)).traces();
    }

    /**
     * @param directory where the log would lie; need not exist
     * @return which implementation holds it, null if there is no log
     * @throws IOException if the directory cannot be read
     */
    public static LogStore present(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return null;
        }
        LogStore present = null;
        for (String name : new DirectoryLogFiles(directory).list()) {
            if (name.equals(LmdbAcceptorLog.DATA_FILE)) {
                return LogStore.LMDB;
            }
            if (SegmentHeader.number(name) > 0) {
                present = LogStore.SEGMENTED;
            }
        }
        return present;
    }

    private static String key(LogStore store) {
        return store.name().toLowerCase(Locale.ROOT);
    }
}
