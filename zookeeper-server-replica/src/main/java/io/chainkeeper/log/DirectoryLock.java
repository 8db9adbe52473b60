package io.chainkeeper.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;

/**
 * Keeps a second server, in this process or another, from opening the same log. It can be held beyond the end of the
 * log: then this process can open the log again, and no other one. Safe for use by any thread.
 */
final class DirectoryLock implements Closeable {
    /** Name of the file that is locked; it stays when the server ends. */
    static final String FILE_NAME = "log.lock";

    // Closing any channel of a file releases the process's locks on it, so a second attempt inside this process must
    // be refused before it opens the file. Guarded by itself.
    private static final Map<Path, Held> HELD = new HashMap<>();

    /** A directory that this process has locked. */
    private static final class Held {
        private final FileChannel channel;
        private boolean hasLog;
        private int holders;

        private Held(FileChannel channel) {
            this.channel = channel;
        }
    }

    private final Path key;
    private final Held held;
    private final boolean isOfLog;
    private boolean isClosed;

    private DirectoryLock(Path key, Held held, boolean isOfLog) {
        this.key = key;
        this.held = held;
        this.isOfLog = isOfLog;
        held.holders++;
    }

    /**
     * Locks a directory for a log.
     *
     * @param directory an existing directory
     * @return the lock; released by {@link #close} of it and of all that {@link #hold} has returned, or by the end of
     *     the process
     * @throws IOException if another process holds it, or another log of this one, with a message that says so
     */
    static DirectoryLock acquire(Path directory) throws IOException {
        Path key = directory.toRealPath();
        synchronized (HELD) {
            Held held = HELD.get(key);
            if (held == null) {
                held = new Held(lock(directory));
                HELD.put(key, held);
            } else if (held.hasLog) {
                throw inUse(directory);
            }
            held.hasLog = true;
            return new DirectoryLock(key, held, true);
        }
    }

    /**
     * Holds the lock of a log that is open in this process, also when that is closed.
     *
     * @param directory an existing directory
     * @return to be closed when no other process need be kept away any more
     * @throws IOException if this process has no log open there
     */
    static DirectoryLock hold(Path directory) throws IOException {
        Path key = directory.toRealPath();
        synchronized (HELD) {
            Held held = HELD.get(key);
            if (held == null || !held.hasLog) {
                throw new IOException(directory + " is not in use any more");
            }
            return new DirectoryLock(key, held, false);
        }
    }

    private static FileChannel lock(Path directory) throws IOException {
        FileChannel channel = null;
        FileLock lock = null;
        try {
            channel =
                    FileChannel.open(directory.resolve(FILE_NAME), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            lock = channel.tryLock();
        } catch (IOException e) {
            throw new IOException(
                    directory.resolve(FILE_NAME) + " cannot be locked (" + DirectoryLogFiles.reason(e)
                            + "): the acceptor log needs a writable directory on a file system with locks",
                    e);
        } finally {
            if (lock == null && channel != null) {
                channel.close();
            }
        }
        if (lock == null) {
            throw inUse(directory);
        }
        return channel;
    }

    /**
     * Looks whether a server has a directory; creates and changes nothing.
     *
     * @param directory an existing directory
     * @return whether it is locked
     * @throws IOException if that cannot be found out
     */
    static boolean isHeld(Path directory) throws IOException {
        Path file = directory.resolve(FILE_NAME);
        Path key = directory.toRealPath();
        synchronized (HELD) {
            if (HELD.containsKey(key)) {
                return true;
            }
            if (Files.notExists(file)) {
                return false;
            }
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
                    FileLock lock = channel.tryLock(0, Long.MAX_VALUE, true)) {
                return lock == null;
            }
        }
    }

    private static IOException inUse(Path directory) {
        return new IOException(directory + " is in use: another server is running on it; stop that one, or give this"
                + " one a dataLogDir of its own");
    }

    @Override
    public void close() throws IOException {
        synchronized (HELD) {
            if (isClosed) {
                return;
            }
            isClosed = true;
            held.holders--;
            held.hasLog &= !isOfLog;
            if (held.holders == 0) {
                HELD.remove(key);
                held.channel.close();
            }
        }
    }
}
