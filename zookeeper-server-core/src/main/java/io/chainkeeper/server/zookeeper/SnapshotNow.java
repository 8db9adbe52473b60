package io.chainkeeper.server.zookeeper;

import java.io.IOException;
import java.nio.file.Path;

/** Takes a snapshot on demand. */
@FunctionalInterface
public interface SnapshotNow {
    /**
     * @return the file
     * @throws IOException if it cannot be written
     */
    Path take() throws IOException;
}
