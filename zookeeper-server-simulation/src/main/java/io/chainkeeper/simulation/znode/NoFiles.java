package io.chainkeeper.simulation.znode;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.persistence.FileTxnSnapLog;

/** ZooKeeper's files for a server that writes none: what is appended is forgotten. */
final class NoFiles extends FileTxnSnapLog {
    private NoFiles(File directory) throws IOException {
        super(directory, directory);
    }

    /** ZooKeeper's class insists on a directory that exists; it is deleted at once. */
    static NoFiles create() {
        try {
            Path directory = Files.createTempDirectory("simulation");
            NoFiles files = new NoFiles(directory.toFile());
            Files.deleteIfExists(files.getSnapDir().toPath());
            Files.deleteIfExists(directory);
            return files;
        } catch (IOException e) {
            throw new UncheckedIOException("temporary directory: " + e.getMessage(), e);
        }
    }

    @Override
    public boolean append(Request request) {
        return request.getHdr() != null;
    }

    @Override
    public void commit() {
        // Nothing was written.
    }

    @Override
    public void rollLog() {
        // There is no log.
    }
}
