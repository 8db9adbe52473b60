package io.chainkeeper.log;

import com.sun.nio.file.ExtendedOpenOption;
import io.chainkeeper.file.DirectWrites;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The files of a directory of the operating system. Where they are written past the system's cache ({@code O_DIRECT}),
 * a write takes a third of the processor time, and the cache is left to files that are read again.
 */
final class DirectoryLogFiles implements LogFiles {
    private static final String PROBE_NAME = "probe" + SegmentHeader.PREPARED_SUFFIX;

    private final Path directory;
    private final boolean direct;

    /**
     * Files that are written through the system's cache, or only read.
     *
     * @param directory an existing directory
     */
    DirectoryLogFiles(Path directory) {
        this(directory, false);
    }

    private DirectoryLogFiles(Path directory, boolean direct) {
        this.directory = directory;
        this.direct = direct;
    }

    /**
     * Files that are written past the system's cache where the file system offers that. Readers use the cache; the
     * system keeps both the same.
     *
     * @param directory an existing directory that may be written to; a file is created in it and deleted again
     * @return its files
     * @throws IOException if no file can be created or deleted there
     */
    static DirectoryLogFiles direct(Path directory) throws IOException {
        Path probe = directory.resolve(PROBE_NAME);
        Files.deleteIfExists(probe);
        Files.createFile(probe);
        boolean offered = DirectWrites.offered(probe);
        Files.delete(probe);
        return new DirectoryLogFiles(directory, offered);
    }

    /**
     * Makes sure that a directory is there and can be used; creates it, durably, if it is missing.
     *
     * @param directory the directory
     * @throws IOException with a message that names the directory and the remedy
     */
    static void prepare(Path directory) throws IOException {
        Deque<Path> missing = new ArrayDeque<>();
        Path existing = directory.toAbsolutePath();
        while (existing != null && Files.notExists(existing)) {
            missing.push(existing);
            existing = existing.getParent();
        }
        if (existing == null || !Files.isDirectory(existing)) {
            throw new IOException(
                    existing + " is not a directory: the acceptor log needs one, see dataLogDir in zoo.cfg");
        }
        if (!Files.isReadable(existing) || !Files.isWritable(existing) || !Files.isExecutable(existing)) {
            throw new IOException(existing + " cannot be read and written by user " + System.getProperty("user.name")
                    + ": change its owner or permissions, or dataLogDir in zoo.cfg");
        }
        for (Path next : missing) {
            try {
                Files.createDirectory(next);
                force(next.getParent());
            } catch (IOException e) {
                throw new IOException(
                        next + " cannot be created (" + reason(e) + "): create it for user "
                                + System.getProperty("user.name") + ", or change dataLogDir in zoo.cfg",
                        e);
            }
        }
    }

    private static void force(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /**
     * Puts in words why a file operation failed; the exceptions themselves often say the path only.
     *
     * @param e the exception
     * @return the reason
     */
    static String reason(IOException e) {
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof NoSuchFileException) {
            return "no such file or directory";
        }
        if (e instanceof FileSystemException && ((FileSystemException) e).getReason() != null) {
            return ((FileSystemException) e).getReason();
        }
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }

    @Override
    public int blockBytes() {
        return direct ? DirectWrites.BLOCK_BYTES : 1;
    }

    @Override
    public String directory() {
        return directory.toString();
    }

    @Override
    public String path(String name) {
        return directory.resolve(name).toString();
    }

    @Override
    public List<String> list() throws IOException {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                names.add(entry.getFileName().toString());
            }
        } catch (DirectoryIteratorException e) {
            throw notListed(e.getCause());
        } catch (IOException e) {
            throw notListed(e);
        }
        return names;
    }

    private IOException notListed(IOException e) {
        return new IOException(
                directory + " cannot be read (" + reason(e) + "): check its permissions, and its disk", e);
    }

    @Override
    public LogFile create(String name) throws IOException {
        return open(name, writing(StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING));
    }

    @Override
    public LogFile openForWriting(String name) throws IOException {
        return open(name, writing());
    }

    private Set<OpenOption> writing(OpenOption... further) {
        Set<OpenOption> options = new HashSet<>(List.of(further));
        options.add(StandardOpenOption.WRITE);
        if (direct) {
            options.add(ExtendedOpenOption.DIRECT);
        }
        return options;
    }

    @Override
    public LogFile openForReading(String name) throws IOException {
        return open(name, Set.of(StandardOpenOption.READ));
    }

    private LogFile open(String name, Set<OpenOption> options) throws IOException {
        Path path = directory.resolve(name);
        try {
            return new ChannelFile(FileChannel.open(path, options));
        } catch (IOException e) {
            throw new IOException(
                    path + " cannot be opened (" + reason(e) + "): check that it belongs to user "
                            + System.getProperty("user.name") + " and that the disk is not mounted read-only",
                    e);
        }
    }

    @Override
    public void rename(String from, String to) throws IOException {
        Files.move(directory.resolve(from), directory.resolve(to), StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void delete(String name) throws IOException {
        Files.delete(directory.resolve(name));
    }

    @Override
    public void syncDirectory() throws IOException {
        force(directory);
    }

    private static final class ChannelFile implements LogFile {
        private final FileChannel channel;

        ChannelFile(FileChannel channel) {
            this.channel = channel;
        }

        @Override
        public int write(ByteBuffer source, long offset) throws IOException {
            return channel.write(source, offset);
        }

        @Override
        public int read(ByteBuffer target, long offset) throws IOException {
            return channel.read(target, offset);
        }

        @Override
        public void force() throws IOException {
            channel.force(false);
        }

        @Override
        public void truncate(long bytes) throws IOException {
            channel.truncate(bytes);
        }

        @Override
        public long size() throws IOException {
            return channel.size();
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
