package io.chainkeeper.config;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Replaces small files so that after a crash either the old or the new content is there. Stateless. */
public final class AtomicFile {
    /** What the names of files being written end with; one that is found at start is the rest of a crash. */
    public static final String TEMPORARY_SUFFIX = ".tmp";

    private AtomicFile() {}

    /**
     * Writes a file: temporary file, fsync, rename, fsync of the directory.
     *
     * @param file the file to create or replace; its directory exists
     * @param content what it will hold
     * @throws IOException if it could not be written; the old content is then still there
     */
    public static void write(Path file, byte[] content) throws IOException {
        writeNew(file, content);
    }

    /**
     * Does the same to a file that is there. Whoever could not read it cannot read the new one.
     *
     * @param file the file to replace
     * @param content what it will hold
     * @throws IOException if it could not be written; the old content is then still there
     */
    public static void replace(Path file, byte[] content) throws IOException {
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
        writeNew(file, content, PosixFilePermissions.asFileAttribute(permissions));
    }

    private static void writeNew(Path file, byte[] content, FileAttribute<?>... attributes) throws IOException {
        Path temporary = file.resolveSibling(file.getFileName() + TEMPORARY_SUFFIX);
        // A link is not followed: where root writes beside another user's files, that user could have any overwritten.
        Files.deleteIfExists(temporary);
        try (FileChannel channel = FileChannel.open(
                temporary, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), attributes)) {
            ByteBuffer bytes = ByteBuffer.wrap(content);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        rename(temporary, file);
    }

    /**
     * Gives a file that is already on stable storage its final name, durably.
     *
     * @param temporary the written and forced file
     * @param file its final name, in the same directory
     * @throws IOException if it could not be renamed
     */
    public static void rename(Path temporary, Path file) throws IOException {
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        forceDirectory(file.toAbsolutePath().getParent());
    }

    /**
     * Makes sure that a directory is there and stays: a file in it, forced or not, is lost with the name of its
     * directory. That name is made durable also if it is there already, because whoever created it may have crashed
     * before that.
     *
     * @param directory the directory; what is missing above it is created too
     * @throws IOException if it cannot be created or forced
     */
    public static void createDirectories(Path directory) throws IOException {
        Path absolute = directory.toAbsolutePath();
        Path parent = absolute.getParent();
        if (parent == null) {
            return;
        }
        if (Files.notExists(parent)) {
            createDirectories(parent);
        }
        Files.createDirectories(absolute);
        forceDirectory(parent);
    }

    /**
     * Makes the names in a directory durable.
     *
     * @param directory the directory
     * @throws IOException if it could not be forced
     */
    public static void forceDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
