package io.chainkeeper.clienttests.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** What servers leave behind. Stateless. */
final class Directories {
    private Directories() {}

    /** Deletes a directory and everything in it, if it is there. */
    static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        List<Path> all;
        try (Stream<Path> paths = Files.walk(directory)) {
            all = paths.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : all) {
            Files.delete(path);
        }
    }
}
