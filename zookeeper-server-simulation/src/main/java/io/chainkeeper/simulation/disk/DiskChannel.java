package io.chainkeeper.simulation.disk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;

/** An open file or directory of a {@link SimulatedDisk}. Every change of it is written into the books. */
final class DiskChannel extends FileChannel {
    private static final int TRANSFER_BYTES = 8192;
    private static final int DIRECT_BLOCK_BYTES = 4096;

    private final SimulatedDisk disk;
    private final DiskNode node;
    private final boolean reads;
    private final boolean writes;
    private final boolean appends;

    /** Where the file's content is; null if it is in memory, and for a directory. */
    private FileChannel real;

    private final Path path;
    private long position;
    private boolean locks;
    private boolean direct;

    /**
     * @param disk where it is
     * @param node what is open
     * @param path by which it was opened
     * @param reads whether it may be read
     * @param writes whether it may be written
     * @param appends whether all is written at the end
     */
    DiskChannel(SimulatedDisk disk, DiskNode node, Path path, boolean reads, boolean writes, boolean appends) {
        this.disk = disk;
        this.node = node;
        this.path = path;
        this.reads = reads;
        this.writes = writes;
        this.appends = appends;
        disk.opened(this);
    }

    DiskNode node() {
        return node;
    }

    /** The content is in a real file from now on, open for reading, and for writing if this is. */
    DiskChannel attach(FileChannel realFile) {
        real = realFile;
        return this;
    }

    /** Refuses from now on, if so asked, what the system refuses past its cache. */
    DiskChannel direct(boolean whether) {
        direct = whether;
        return this;
    }

    private DiskFile file() throws IOException {
        if (node instanceof DiskFile file) {
            return file;
        }
        throw new IOException("Is a directory");
    }

    private void check() throws IOException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
        disk.checkRuns();
    }

    private void checkReads() throws IOException {
        check();
        if (!reads) {
            throw new NonReadableChannelException();
        }
    }

    private void checkWrites() throws IOException {
        check();
        if (!writes) {
            throw new NonWritableChannelException();
        }
    }

    private static void checkNotNegative(long number) {
        if (number < 0) {
            throw new IllegalArgumentException(number + " is negative");
        }
    }

    // ---------------------------------------------------------------- reading

    @Override
    public int read(ByteBuffer target) throws IOException {
        int bytes = read(target, position);
        position += Math.max(0, bytes);
        return bytes;
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
        long all = 0;
        for (int i = offset; i < offset + length; i++) {
            while (targets[i].hasRemaining()) {
                int bytes = read(targets[i]);
                if (bytes < 0) {
                    return all == 0 ? -1 : all;
                }
                all += bytes;
            }
        }
        return all;
    }

    @Override
    public int read(ByteBuffer target, long from) throws IOException {
        checkNotNegative(from);
        checkReads();
        DiskFile file = file();
        return file.isInMemory() ? file.read(target, from) : real.read(target, from);
    }

    @Override
    public long transferTo(long from, long count, WritableByteChannel target) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(count, TRANSFER_BYTES));
        long done = 0;
        while (done < count) {
            buffer.clear().limit((int) Math.min(buffer.capacity(), count - done));
            if (read(buffer, from + done) <= 0) {
                break;
            }
            buffer.flip();
            while (buffer.hasRemaining()) {
                done += target.write(buffer);
            }
        }
        return done;
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long from, long bytes) {
        throw new UnsupportedOperationException("files of a simulated disk are not mapped");
    }

    @Override
    public long position() throws IOException {
        check();
        return appends ? size() : position;
    }

    @Override
    public FileChannel position(long newPosition) throws IOException {
        check();
        checkNotNegative(newPosition);
        position = newPosition;
        return this;
    }

    @Override
    public long size() throws IOException {
        check();
        DiskFile file = file();
        return file.isInMemory() ? file.length() : real.size();
    }

    // ---------------------------------------------------------------- writing

    @Override
    public int write(ByteBuffer source) throws IOException {
        checkWrites();
        long at = appends ? size() : position;
        int written = write(source, at);
        position = at + written;
        return written;
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        long written = 0;
        for (int i = offset; i < offset + length; i++) {
            while (sources[i].hasRemaining()) {
                written += write(sources[i]);
            }
        }
        return written;
    }

    @Override
    public int write(ByteBuffer source, long at) throws IOException {
        checkNotNegative(at);
        checkWrites();
        if (direct) {
            checkBlocks(source, at);
        }
        if (disk.isFull() && at + source.remaining() > size()) {
            disk.checkRoom();
        }
        if (!disk.begin()) {
            ByteBuffer part = source.duplicate();
            part.limit(part.position() + disk.random().nextInt(part.remaining() + 1));
            put(part, at);
            disk.checkRuns();
        }
        return put(source, at);
    }

    private static void checkBlocks(ByteBuffer source, long at) throws IOException {
        if ((at | source.remaining()) % DIRECT_BLOCK_BYTES != 0
                || !source.isDirect()
                || source.alignmentOffset(source.position(), DIRECT_BLOCK_BYTES) != 0) {
            throw new IOException("Invalid argument");
        }
    }

    private int put(ByteBuffer source, long at) throws IOException {
        DiskFile file = file();
        long to = appends ? size() : at;
        if (file.isInMemory()) {
            return file.write(source, to);
        }
        int written = real.write(source, to);
        file.wrote(to, to + written);
        return written;
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long to, long count) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(count, TRANSFER_BYTES));
        long done = 0;
        while (done < count) {
            buffer.clear().limit((int) Math.min(buffer.capacity(), count - done));
            if (source.read(buffer) <= 0) {
                break;
            }
            buffer.flip();
            while (buffer.hasRemaining()) {
                done += write(buffer, to + done);
            }
        }
        return done;
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
        checkNotNegative(size);
        checkWrites();
        disk.beginWhole();
        if (real != null) {
            real.truncate(size);
        }
        file().cut(size);
        position = Math.min(position, size);
        return this;
    }

    @Override
    public void force(boolean metaData) throws IOException {
        check();
        disk.beginWhole();
        if (disk.forceFails()) {
            if (node instanceof DiskFile file) {
                file.forceFailed();
            }
            throw new IOException("Input/output error");
        }
        if (!disk.forces(path, node)) {
            return;
        }
        if (node instanceof DiskDirectory directory) {
            disk.forceEntries(directory, path);
        } else if (file().isInMemory()) {
            file().forced();
        } else {
            file().forced(real);
        }
    }

    // ---------------------------------------------------------------- locks, end

    private static final class Lock extends FileLock {
        Lock(FileChannel channel, long position, long size, boolean shared) {
            super(channel, position, size, shared);
        }

        private DiskChannel channelOfDisk() {
            return (DiskChannel) acquiredBy();
        }

        @Override
        public boolean isValid() {
            return channelOfDisk().isOpen() && channelOfDisk().locks;
        }

        @Override
        public void release() {
            channelOfDisk().unlock();
        }
    }

    @Override
    public FileLock lock(long from, long size, boolean shared) throws IOException {
        return tryLock(from, size, shared);
    }

    /** One lock of a file, whatever the range: as a second attempt of one process, any further one is refused. */
    @Override
    public FileLock tryLock(long from, long size, boolean shared) throws IOException {
        check();
        if (file().isLocked) {
            throw new OverlappingFileLockException();
        }
        file().isLocked = true;
        locks = true;
        return new Lock(this, from, size, shared);
    }

    private void unlock() {
        if (locks && node instanceof DiskFile file) {
            file.isLocked = false;
            locks = false;
        }
    }

    /** The process is gone. */
    void end() {
        try {
            close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    protected void implCloseChannel() throws IOException {
        unlock();
        disk.closed(this);
        if (real != null) {
            real.close();
        }
    }
}
