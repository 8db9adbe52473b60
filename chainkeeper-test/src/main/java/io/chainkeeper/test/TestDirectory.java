package io.chainkeeper.test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The directory of an ensemble: a temporary one, or the user's, which stays. */
record TestDirectory(Path path, boolean isTemporary) {
    /**
     * @param own the user's, or null for a temporary one
     * @throws IOException if it cannot be made
     */
    static TestDirectory of(Path own) throws IOException {
        return own == null
                ? new TestDirectory(Files.createTempDirectory("chainkeeper-test"), true)
                : new TestDirectory(Files.createDirectories(own).toAbsolutePath(), false);
    }

    /** Deletes a temporary one. */
    void delete() throws IOException {
        if (isTemporary) {
            delete(path);
        }
    }

    static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        List<Path> entries;
        try (Stream<Path> all = Files.walk(directory)) {
            entries = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path entry : entries) {
            Files.deleteIfExists(entry);
        }
    }
}
