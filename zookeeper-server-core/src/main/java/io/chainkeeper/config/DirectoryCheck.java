package io.chainkeeper.config;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Asks the operating system whether this process can use a directory, without writing anything. (The access checks
 * behind {@link Files} also see read-only file systems, which permission bits do not show.)
 */
final class DirectoryCheck {
    /** ZooKeeper's switch that forbids servers to create their directories. */
    private static final String AUTO_CREATE_PROPERTY = "zookeeper.datadir.autocreate";

    /** What an empty server writes. */
    private static final String EMPTY = "snapshot.0";

    /** With less the first records of a start cannot be written: the server would serve, and end within moments. */
    static final long LEAST_USABLE_BYTES = 1 << 20;

    private DirectoryCheck() {}

    /**
     * Checks a directory given in zoo.cfg and the one below it that holds the files.
     *
     * @param key the key that names it, for messages
     * @param directory the directory; may be absent if it can be created
     * @param child name of the directory below it
     * @throws UserMistakeException if it cannot be used
     */
    static void check(String key, Path directory, String child) throws UserMistakeException {
        Path files = directory.resolve(child);
        if (!Files.exists(files) && !Boolean.parseBoolean(System.getProperty(AUTO_CREATE_PROPERTY, "true"))) {
            throw UserMistakeException.inDirectory(
                    "%s=%s: %s does not exist and %s=false forbids to create it; create it",
                    key, directory, files, AUTO_CREATE_PROPERTY);
        }
        checkUsable(key, directory, files);
        if (Files.exists(files)) {
            checkFilesReadable(key, directory, files);
        }
    }

    /** Checks the deepest existing directory on the way down to {@code files}, and that its file system has room. */
    static void checkUsable(String key, Path directory, Path files) throws UserMistakeException {
        Path existing = files.toAbsolutePath();
        while (!Files.exists(existing)) {
            existing = existing.getParent();
        }
        if (!Files.isDirectory(existing)) {
            throw UserMistakeException.inDirectory(
                    "%s=%s: %s is not a directory; move it away or change %s", key, directory, existing, key);
        }
        String need = "give user " + System.getProperty("user.name") + " access to it or change " + key;
        if (!Files.isReadable(existing) || !Files.isExecutable(existing)) {
            throw UserMistakeException.inDirectory("%s=%s: %s cannot be read; %s", key, directory, existing, need);
        }
        if (!Files.isWritable(existing)) {
            throw UserMistakeException.inDirectory(
                    "%s=%s: %s cannot be written (permissions, or a read-only file system); %s",
                    key, directory, existing, need);
        }
        checkRoom(key, directory, existing);
    }

    private static void checkRoom(String key, Path directory, Path existing) throws UserMistakeException {
        long usableBytes;
        try {
            FileStore store = Files.getFileStore(existing);
            if (store.getTotalSpace() == 0) {
                return; // a file system that does not count
            }
            usableBytes = store.getUsableSpace();
        } catch (IOException e) {
            return; // the disk reserve says that it cannot be found out
        }
        if (usableBytes < LEAST_USABLE_BYTES) {
            throw UserMistakeException.inDirectory(
                    "%s=%s: the file system of %s has %d bytes left and a start needs %d; free space there, then start"
                            + " again",
                    key, directory, existing, usableBytes, LEAST_USABLE_BYTES);
        }
    }

    private static void checkFilesReadable(String key, Path directory, Path files) throws UserMistakeException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(files)) {
            for (Path entry : entries) {
                if (Files.isRegularFile(entry) && !Files.isReadable(entry)) {
                    throw UserMistakeException.inDirectory(
                            "%s=%s: %s cannot be read; give user %s access to it",
                            key, directory, entry, System.getProperty("user.name"));
                }
            }
        } catch (UserMistakeException e) {
            throw e;
        } catch (IOException | DirectoryIteratorException e) {
            throw UserMistakeException.inDirectory(
                    "%s=%s: %s cannot be listed: %s; check its file system", key, directory, files, e.getMessage());
        }
    }

    /** Whether a directory of ZooKeeper's files holds more than what the start of an empty server writes. */
    static boolean hasData(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return false;
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString())
                    .anyMatch(name -> name.startsWith("log.") || name.startsWith("snapshot.") && !name.equals(EMPTY));
        }
    }
}
