package io.chainkeeper.log;

import io.chainkeeper.file.DirectWrites;
import io.chainkeeper.ordering.LogRecord;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Writes the records of one segment after the other. One thread writes; {@link #force} may also be called by another,
 * and {@link #copyBuffered} by a reader.
 *
 * <p>Each write begins and ends where blocks do ({@link LogFiles#blockBytes}). The block that the last record ends in
 * is filled up with zeros, stays in the buffer, and is written again, with the same bytes, together with what follows.
 * So a sector that holds records that are on stable storage only ever gets bytes added behind them, as when the
 * system's cache writes a page again.
 */
final class SegmentWriter implements Closeable {
    private static final int ZEROS_BYTES = 1 << 16;
    private static final ByteBuffer ZEROS = DirectWrites.buffer(ZEROS_BYTES, ZEROS_BYTES);

    private final LogFiles files;
    private final AcceptorLogSettings settings;
    private final SyncStatistics statistics;
    private final RecordHeader header = new RecordHeader();
    private final int blockBytes;
    private final ByteBuffer buffer;
    private final ByteBuffer bufferView;
    private final ByteBuffer zeros = ZEROS.duplicate();

    // Guards what a reader needs to find buffered bytes: segment, both offsets and the reuse of the buffer.
    private final Object lock;
    // Held while the file is forced or changed, so that no file is closed under a force.
    private final Object forceLock = new Object();

    private LogFile file;
    private Segment segment;
    private int bufferOffset;
    private int flushedOffset;
    private long unforcedWriteNanos;
    private volatile int forcedOffset;
    private int allocatedBytes;

    SegmentWriter(LogFiles files, AcceptorLogSettings settings, SyncStatistics statistics, Object lock) {
        this.files = files;
        this.settings = settings;
        this.statistics = statistics;
        this.lock = lock;
        this.blockBytes = files.blockBytes();
        this.buffer = DirectWrites.buffer(ceiling(settings.writeBufferBytes() + blockBytes - 1), blockBytes);
        this.bufferView = buffer.duplicate();
    }

    /** The first byte of the block that a byte is in. */
    private int floor(int offset) {
        return offset - offset % blockBytes;
    }

    /** The end of the last block that a byte before it is in. */
    private int ceiling(int offset) {
        return floor(offset + blockBytes - 1);
    }

    /**
     * Ends the present segment, if there is one, and begins the next with copies of the metadata. On return both
     * segments are on stable storage.
     *
     * @param number the new segment's number
     * @param metadata the latest metadata
     * @return the new segment
     * @throws IOException if that failed
     */
    Segment begin(int number, MetadataTable metadata) throws IOException {
        int previousEnd = 0;
        if (file != null) {
            flush();
            force();
            previousEnd = flushedOffset;
        }
        SegmentHeader segmentHeader = new SegmentHeader(
                number,
                ThreadLocalRandom.current().nextLong(),
                previousEnd,
                SegmentHeader.BYTES + (int) metadata.bytes());
        String preparedName = number + SegmentHeader.PREPARED_SUFFIX;
        change(files.create(preparedName), new Segment(number, segmentHeader.salt()), 0, 0);
        segmentHeader.encode(room(SegmentHeader.BYTES));
        for (int kind = 1; kind <= 127; kind++) {
            if (metadata.get(kind) != null) {
                append(metadata.get(kind));
            }
        }
        flush();
        force();
        // Only a complete segment ever bears a segment's name, and no record goes to a file whose name could vanish.
        files.rename(preparedName, segment.name());
        files.syncDirectory();
        return segment;
    }

    /**
     * Goes on writing a segment that was found when the log was opened. Bytes that may never have been forced are
     * written again first: after a failed force the system may hold bytes in memory that it will not write by itself.
     *
     * @param found the last segment
     * @param end where its records end
     * @param neverForcedFrom from where on they may not be on stable storage
     * @param torn whether there is something behind {@code end} to cut off
     * @throws IOException if that failed
     */
    void resume(Segment found, int end, int neverForcedFrom, boolean torn) throws IOException {
        LogFile opened = files.openForWriting(found.name());
        change(opened, found, neverForcedFrom, (int) found.fileBytes);
        if (torn) {
            opened.truncate(end);
            allocatedBytes = end;
            found.fileBytes = end;
        }
        try (LogFile written = files.openForReading(found.name())) {
            do {
                load(written, end);
                flush();
            } while (flushedOffset < end);
        }
        forceFile();
    }

    /** Fills the buffer with what is in the file already, up to {@code end} if there is room. */
    private void load(LogFile written, int end) throws IOException {
        buffer.limit(Math.min(buffer.capacity(), end - bufferOffset));
        while (buffer.hasRemaining()) {
            if (written.read(buffer, appendOffset()) < 0) {
                throw new IOException(files.path(segment.name()) + " became shorter while it was read");
            }
        }
        buffer.limit(buffer.capacity());
    }

    private void change(LogFile next, Segment nextSegment, int offset, int allocated) throws IOException {
        synchronized (forceLock) {
            if (file != null) {
                file.close();
            }
            synchronized (lock) {
                file = next;
                segment = nextSegment;
                flushedOffset = offset;
                bufferOffset = floor(offset);
                buffer.clear();
            }
            forcedOffset = offset;
            allocatedBytes = allocated;
        }
    }

    /**
     * Writes a record to the buffer, and the buffer to the file when it is full.
     *
     * @param record the record
     * @return where in the segment it begins
     * @throws IOException if the file could not be written
     */
    int append(LogRecord record) throws IOException {
        int offset = appendOffset();
        header.encode(room(RecordHeader.BYTES), record, segment.salt, offset, forcedOffset);
        put(record.head().array(), record.head().offset(), record.head().length());
        put(record.body().array(), record.body().offset(), record.body().length());
        return offset;
    }

    private ByteBuffer room(int bytes) throws IOException {
        if (buffer.remaining() < bytes) {
            flush();
        }
        return buffer;
    }

    private void put(byte[] bytes, int offset, int length) throws IOException {
        int done = 0;
        while (done < length) {
            int part = Math.min(room(1).remaining(), length - done);
            buffer.put(bytes, offset + done, part);
            done += part;
        }
    }

    /**
     * Hands the buffered bytes to the system.
     *
     * @throws IOException if they could not be written
     */
    void flush() throws IOException {
        int end = appendOffset();
        if (end == flushedOffset) {
            return;
        }
        long start = System.nanoTime();
        preallocate(end);
        buffer.put(zeros.clear().limit(ceiling(end) - end)).flip();
        write(buffer, bufferOffset);
        long nanos = System.nanoTime() - start;
        synchronized (lock) {
            int lastBlock = floor(end);
            buffer.position(lastBlock - bufferOffset).compact().position(end - lastBlock);
            bufferOffset = lastBlock;
            flushedOffset = end;
            unforcedWriteNanos += nanos;
        }
    }

    private void preallocate(int end) throws IOException {
        int blocksEnd = ceiling(end);
        if (blocksEnd <= allocatedBytes) {
            return;
        }
        int target = Math.max(blocksEnd, ceiling(Math.min(settings.segmentBytes(), preallocationEnd(end))));
        for (int at = blocksEnd; at < target; at += zeros.limit()) {
            write(zeros.clear().limit(Math.min(ZEROS_BYTES, target - at)), at);
        }
        allocatedBytes = target;
        synchronized (lock) {
            segment.fileBytes = target;
        }
    }

    /** Zeros ahead spare small writes the growth of the file, but would make a large write twice as large. */
    private int preallocationEnd(int end) {
        if (end - flushedOffset >= settings.largeWriteBytes()) {
            return end;
        }
        long chunk = Math.min(settings.preallocationBytes(), settings.segmentBytes());
        return (int) Math.min(AcceptorLogSettings.MAX_SEGMENT_BYTES, (end + chunk - 1) / chunk * chunk);
    }

    private void write(ByteBuffer source, long offset) throws IOException {
        long at = offset;
        while (source.hasRemaining()) {
            int written = file.write(source, at);
            if (written <= 0) {
                throw new IOException("the system took none of " + source.remaining() + " bytes");
            }
            at += written;
            if (source.hasRemaining() && at % blockBytes != 0) {
                throw new IOException("the system took " + written + " bytes, which are no blocks of " + blockBytes);
            }
        }
    }

    /**
     * Waits until everything flushed is on stable storage.
     *
     * @throws IOException if it may not be
     */
    void force() throws IOException {
        synchronized (forceLock) {
            if (file != null && forcedOffset < flushed()) {
                forceFile();
            }
        }
    }

    private void forceFile() throws IOException {
        synchronized (forceLock) {
            int flushed;
            long nanos;
            synchronized (lock) {
                flushed = flushedOffset;
                nanos = unforcedWriteNanos;
                unforcedWriteNanos = 0;
            }
            long start = System.nanoTime();
            file.force();
            nanos += System.nanoTime() - start;
            Segment forced = segment;
            statistics.record(() -> files.path(forced.name()), flushed - forcedOffset, nanos);
            forcedOffset = flushed;
        }
    }

    private int flushed() {
        synchronized (lock) {
            return flushedOffset;
        }
    }

    /** @return where in the segment the next record begins */
    int appendOffset() {
        return bufferOffset + buffer.position();
    }

    /** @return the segment being written */
    Segment segment() {
        return segment;
    }

    /**
     * Copies bytes that have not been flushed yet. The caller holds the lock given to the constructor, and the bytes
     * belong to records whose append has returned.
     *
     * @param number the segment that the bytes are in
     * @param offset where in the segment they begin
     * @param target where to
     * @return index in {@code target} from which on it is filled; what is before has been flushed
     */
    int copyBuffered(int number, int offset, byte[] target) {
        if (segment.number != number || offset + target.length <= flushedOffset) {
            return target.length;
        }
        int from = Math.max(0, flushedOffset - offset);
        bufferView.get(offset + from - bufferOffset, target, from, target.length - from);
        return from;
    }

    @Override
    public void close() throws IOException {
        synchronized (forceLock) {
            if (file != null) {
                file.close();
                file = null;
            }
        }
    }
}
