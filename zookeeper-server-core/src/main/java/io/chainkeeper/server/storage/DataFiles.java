package io.chainkeeper.server.storage;

import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.zookeeper.server.persistence.FileTxnLog;
import org.apache.zookeeper.server.persistence.Util;

/**
 * ZooKeeper's files that bear a zxid in their names, as paths of the file system that their directory is of: whoever
 * handed that directory in sees everything that is done to them. Stateless.
 */
public final class DataFiles {
    private static final String SNAPSHOT_PREFIX = "snapshot";
    private static final String LOG_PREFIX = FileTxnLog.LOG_FILE_PREFIX;

    private DataFiles() {}

    /**
     * @param file a snapshot or another file
     * @return the zxid in its name, -1 if that is no snapshot's
     */
    public static long snapshotZxid(Path file) {
        return Util.getZxidFromName(file.getFileName().toString(), SNAPSHOT_PREFIX);
    }

    /**
     * @param file a file of the transaction log, or another file
     * @return the zxid in its name, of its first transaction; -1 if that is no log's
     */
    public static long logZxid(Path file) {
        return Util.getZxidFromName(file.getFileName().toString(), LOG_PREFIX);
    }

    /**
     * @param directory where snapshots lie
     * @return all of them, whole or not, the newest first
     * @throws IOException if the directory cannot be read
     */
    public static List<Path> snapshots(Path directory) throws IOException {
        return all(directory).stream()
                .filter(file -> snapshotZxid(file) >= 0)
                .sorted(Comparator.comparingLong(DataFiles::snapshotZxid).reversed())
                .toList();
    }

    /**
     * @param directory where the transaction log lies; need not exist
     * @param fromZxid files that hold only transactions before it are left out
     * @return the others, the oldest first
     * @throws IOException if the directory cannot be read
     */
    public static List<Path> logs(Path directory, long fromZxid) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        File[] names = all(directory).stream()
                .filter(file -> logZxid(file) >= 0)
                .map(file -> new File(file.getFileName().toString()))
                .toArray(File[]::new);
        return Stream.of(FileTxnLog.getLogFiles(names, fromZxid))
                .map(name -> directory.resolve(name.getName()))
                .toList();
    }

    /**
     * @param directory any directory
     * @return what lies in it, in the order of the names, which is the same on every machine
     * @throws IOException if it cannot be read
     */
    public static List<Path> all(Path directory) throws IOException {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(directory)) {
            return sorted(found);
        }
    }

    static List<Path> sorted(Iterable<Path> found) throws IOException {
        List<Path> files = new ArrayList<>();
        try {
            found.forEach(files::add);
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        files.sort(Comparator.comparing(file -> file.getFileName().toString()));
        return files;
    }
}
