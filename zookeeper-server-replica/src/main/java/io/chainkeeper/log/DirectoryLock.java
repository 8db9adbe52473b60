package io.chainkeeper.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Keeps a second server, in this process or another, from opening the same log. */
final class DirectoryLock implements Closeable {
    /** Name of the file that is locked; it stays when the server ends. */
    static final String FILE_NAME = "log.lock";

    // Closing any channel of a file releases the process's locks on it, so a second attempt inside this process must
    // be refused before it opens the file.
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    private final Path key;
    private final FileChannel channel;

    private DirectoryLock(Path key, FileChannel channel) {
        this.key = key;
        this.channel = channel;
    }

    /**
     * Locks a directory.
     *
     * @param directory an existing directory
     * @return the lock; released by {@link #close} or the end of the process
     * @throws IOException if another server holds it, with a message that says so
     */
    static DirectoryLock acquire(Path directory) throws IOException {
        Path key = directory.toRealPath();
        if (!HELD.add(key)) {
            throw inUse(directory);
        }
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
            if (lock == null) {
                HELD.remove(key);
                if (channel != null) {
                    channel.close();
                }
            }
        }
        if (lock == null) {
            throw inUse(directory);
        }
        return new DirectoryLock(key, channel);
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
        if (HELD.contains(directory.toRealPath())) {
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

    private static IOException inUse(Path directory) {
        return new IOException(directory + " is in use: another server is running on it; stop that one, or give this"
                + " one a dataLogDir of its own");
    }

    @Override
    public void close() throws IOException {
        if (channel.isOpen()) {
            channel.close();
            HELD.remove(key);
        }
    }
}
