package io.chainkeeper.server.transfer;

import io.chainkeeper.config.AtomicFile;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.server.storage.DataFiles;
import io.chainkeeper.server.transfer.StateManifest.StateFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory {@code ordering/incoming} in which a state arrives: its files, {@code manifest} with what they belong
 * to, and {@code complete} once all of them are whole and on stable storage. Used by one thread at a time.
 */
final class IncomingState implements Closeable {
    /** Name of the directory, in the ordering directory. */
    static final String DIRECTORY = "incoming";

    /** Marks that everything has arrived; holds the manifest. */
    static final String COMPLETE = "complete";

    /** Marks that the files are being put in their places; holds the manifest. */
    static final String INSTALLING = "installing";

    private static final Logger LOG = LoggerFactory.getLogger(IncomingState.class);
    private static final String MANIFEST = "manifest";

    private final Path directory;
    private StateManifest manifest;
    private Path openPath;
    private FileChannel open;

    /** @param orderingDirectory where the directory lies, or will */
    IncomingState(Path orderingDirectory) {
        this.directory = orderingDirectory.resolve(DIRECTORY);
    }

    Path directory() {
        return directory;
    }

    /**
     * Looks for a transfer that was begun before.
     *
     * @return its manifest, null if there is none
     * @throws IOException if the directory cannot be read
     */
    StateManifest begun() throws IOException {
        if (manifest == null) {
            manifest = read(directory.resolve(MANIFEST));
        }
        return manifest;
    }

    /** Reads a manifest; one that is damaged counts as none, because everything can be fetched again. */
    static StateManifest read(Path file) throws IOException {
        if (!Files.exists(file)) {
            return null;
        }
        try {
            return StateManifest.decode(ByteSlice.of(Files.readAllBytes(file)), file.toString());
        } catch (MalformedMessageException e) {
            LOG.warn("{} {}: what was fetched before is fetched again", file, e.getMessage());
            return null;
        }
    }

    /**
     * Begins a transfer, or goes on with one: of what lies there only that stays which may be a part of it.
     *
     * @throws IOException if the directory cannot be written
     */
    void begin(StateManifest wanted) throws IOException {
        Files.createDirectories(directory);
        closeFile();
        if (wanted.equals(begun())) {
            return;
        }
        for (Path file : DataFiles.all(directory)) {
            if (!wanted.names(file.getFileName().toString())) {
                Files.delete(file);
            }
        }
        AtomicFile.write(directory.resolve(MANIFEST), wanted.encode());
        AtomicFile.forceDirectory(directory.toAbsolutePath().getParent());
        manifest = wanted;
    }

    /** How many bytes of a file are there, at most as many as belong to it. */
    long length(StateFile file) throws IOException {
        return Math.min(file.length(), channel(file).size());
    }

    private FileChannel channel(StateFile file) throws IOException {
        Path path = directory.resolve(file.name());
        if (!path.equals(openPath) || !open.isOpen()) {
            closeFile();
            open = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            openPath = path;
        }
        return open;
    }

    /** Drops what follows the first bytes of a file. */
    void truncate(StateFile file, long length) throws IOException {
        channel(file).truncate(length);
    }

    void write(StateFile file, long offset, ByteSlice bytes) throws IOException {
        FileChannel channel = channel(file);
        ByteBuffer rest = bytes.asByteBuffer();
        while (rest.hasRemaining()) {
            channel.write(rest, offset + rest.position());
        }
    }

    int checksum(StateFile file, long offset, int length) throws IOException {
        return OfferedState.checksum(channel(file), directory.resolve(file.name()), offset, length);
    }

    /** Makes a file durable. */
    void force(StateFile file) throws IOException {
        channel(file).force(true);
    }

    /** Reads a whole file, a small one. */
    byte[] content(StateFile file) throws IOException {
        return Files.readAllBytes(directory.resolve(file.name()));
    }

    /** Every file is whole and durable: marks it, durably. */
    void complete() throws IOException {
        closeFile();
        AtomicFile.forceDirectory(directory);
        AtomicFile.write(directory.resolve(COMPLETE), manifest.encode());
    }

    /** Deletes everything that has arrived. */
    void discard() throws IOException {
        closeFile();
        manifest = null;
        deleteTree(directory);
    }

    /** The markers go before what they stand for. */
    static void deleteTree(Path directory) throws IOException {
        deleteTree(directory, () -> {});
    }

    static void deleteTree(Path directory, Step step) throws IOException {
        if (!Files.isDirectory(directory)) {
            return;
        }
        for (String marker : new String[] {MANIFEST, COMPLETE, INSTALLING}) {
            step.before();
            if (Files.deleteIfExists(directory.resolve(marker))) {
                AtomicFile.forceDirectory(directory);
            }
        }
        for (Path file : DataFiles.all(directory)) {
            step.before();
            if (Files.isDirectory(file)) {
                deleteTree(file, step);
            } else {
                Files.delete(file);
            }
        }
        step.before();
        Files.delete(directory);
    }

    /** Where a crash can come between two changes of files. */
    @FunctionalInterface
    interface Step {
        /** The next change follows. */
        void before() throws IOException;
    }

    private void closeFile() throws IOException {
        if (open != null) {
            open.close();
            open = null;
            openPath = null;
        }
    }

    @Override
    public void close() throws IOException {
        closeFile();
    }
}
