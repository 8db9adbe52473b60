package io.chainkeeper.server.zookeeper;

import java.io.File;
import java.io.IOException;

/** Takes a snapshot on demand. */
@FunctionalInterface
public interface SnapshotNow {
    /**
     * @return the file
     * @throws IOException if it cannot be written
     */
    File take() throws IOException;
}
