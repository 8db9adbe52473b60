package io.chainkeeper;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where this repository lies. */
final class SourceTree {
    private SourceTree() {}

    /** The directory of all modules, whichever of them the tests run in. */
    static Path root() {
        Path directory = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(directory.resolve("zookeeper-server-core"))) {
            directory = directory.getParent();
        }
        return directory;
    }
}
