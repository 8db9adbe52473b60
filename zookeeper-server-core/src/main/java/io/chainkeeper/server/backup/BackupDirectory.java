package io.chainkeeper.server.backup;

import io.chainkeeper.config.AtomicFile;
import io.chainkeeper.config.UserMistakeException;
import io.chainkeeper.config.UserMistakeException.Exit;
import io.chainkeeper.server.storage.DataFiles;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/** Where a backup lies. Used by one thread; {@link #lock} keeps other processes from writing. */
final class BackupDirectory {
    private static final String LOCK_FILE = "lock";

    /** All that a run can have left that was cut short before the first manifest, and what was there before it. */
    private static final Set<String> BEFORE_MANIFEST =
            Set.of(LOCK_FILE, BackupManifest.FILE_NAME + BackupFiles.TEMPORARY_SUFFIX, BackupFiles.LOST_AND_FOUND);

    private final Path path;

    BackupDirectory(Path path) {
        this.path = path;
    }

    Path path() {
        return path;
    }

    /** @return null if there is no backup */
    BackupManifest read() throws IOException {
        return BackupManifest.read(path);
    }

    /**
     * @return what the directory holds
     * @throws UserMistakeException if that is no backup
     */
    BackupManifest require() throws IOException {
        BackupManifest manifest = read();
        if (manifest == null || manifest.snapshots().isEmpty()) {
            throw new UserMistakeException(
                    Exit.CANNOT_START,
                    path + " holds no backup: there is no " + BackupManifest.FILE_NAME
                            + " that names a snapshot; give the directory that zkBackup.sh backup --to was given");
        }
        return manifest;
    }

    /**
     * Makes a place for a new backup.
     *
     * @throws UserMistakeException if the directory holds anything, also what may be of a backup: those who save
     *     snapshots elsewhere give them the same names
     */
    void create() throws IOException {
        Path above = path.toAbsolutePath().getParent();
        // Who may not write there has not made it, and where others keep theirs beside it one may not even look.
        boolean mayBeOurs = above != null && Files.isWritable(above) && Files.isReadable(above);
        if (mayBeOurs || Files.notExists(path)) {
            AtomicFile.createDirectories(path);
        }
        for (Path file : DataFiles.all(path)) {
            if (!BEFORE_MANIFEST.contains(file.getFileName().toString())) {
                throw new UserMistakeException(
                        Exit.CANNOT_START,
                        path + " is not empty and holds no backup (there is " + file.getFileName() + ", and no "
                                + BackupManifest.FILE_NAME
                                + "): give an empty directory, or one that does not exist; a backup whose "
                                + BackupManifest.FILE_NAME + " is lost needs it back from a copy");
            }
        }
    }

    /** Whether a run may have left it, cut short after the first manifest. */
    private static boolean isOurs(Path file) {
        String name = file.getFileName().toString();
        return name.equals(LOCK_FILE)
                || name.endsWith(BackupFiles.TEMPORARY_SUFFIX)
                || DataFiles.snapshotZxid(file) >= 0
                || DataFiles.logZxid(file) >= 0;
    }

    /**
     * Deletes what runs that were cut short have left, and what the manifest no longer names.
     *
     * @param manifest the one that the directory holds
     */
    void deleteStrangers(BackupManifest manifest) throws IOException {
        Set<String> named = manifest.fileNames();
        for (Path file : DataFiles.all(path)) {
            String name = file.getFileName().toString();
            if (isOurs(file) && !name.equals(LOCK_FILE) && !named.contains(name)) {
                Files.delete(file);
            }
        }
    }

    /** Held as long as somebody writes; ends with the process. */
    record Lock(FileChannel channel) implements Closeable {
        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    /**
     * @return the lock
     * @throws UserMistakeException if another process has it
     */
    Lock lock() throws IOException {
        FileChannel channel =
                FileChannel.open(path.resolve(LOCK_FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock();
        if (lock == null) {
            channel.close();
            throw new UserMistakeException(
                    Exit.CANNOT_START, path + " is being written to by another zkBackup.sh: wait until it has ended");
        }
        return new Lock(channel);
    }
}
