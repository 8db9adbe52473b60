package io.chainkeeper.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Keeps other servers from a directory while files are put in order that the log is opened behind. Stateless. */
public final class DirectoryClaim {
    private DirectoryClaim() {}

    /**
     * Claims a directory. One that has never been locked has no server, and stays as it is.
     *
     * @param directory where the log lies; need not exist
     * @return to be closed before the log is opened
     * @throws IOException if another server has the directory, with a message of one line that says so
     */
    public static Closeable of(Path directory) throws IOException {
        return Files.exists(directory.resolve(DirectoryLock.FILE_NAME)) ? DirectoryLock.acquire(directory) : () -> {};
    }
}
