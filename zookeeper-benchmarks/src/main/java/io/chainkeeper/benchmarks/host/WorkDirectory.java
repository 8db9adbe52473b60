package io.chainkeeper.benchmarks.host;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * A directory that is removed with all that is in it.
 *
 * @param path the directory
 * @param keep whether it stays after all
 */
public record WorkDirectory(Path path, boolean keep) implements AutoCloseable {
    /**
     * Creates a new directory.
     *
     * @param parent where; empty for the system's temporary directory
     * @param keep whether it stays
     * @return the directory
     * @throws IOException if it cannot be created
     */
    public static WorkDirectory create(Path parent, boolean keep) throws IOException {
        String prefix = "chainkeeper-benchmark-";
        return new WorkDirectory(
                parent.toString().isEmpty()
                        ? Files.createTempDirectory(prefix)
                        : Files.createTempDirectory(parent.toAbsolutePath(), prefix),
                keep);
    }

    @Override
    public void close() throws IOException {
        if (keep) {
            return;
        }
        Files.walkFileTree(path, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, IOException failure) throws IOException {
                if (failure != null) {
                    throw failure;
                }
                Files.delete(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
