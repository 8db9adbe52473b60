package io.chainkeeper.log;

import io.chainkeeper.ordering.LogRecord;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads records without their bodies, which may be most of a log. Used by one thread. */
final class HeadReader implements Closeable {
    /** More than a header and the heads that protocols write, so that one read brings header and head. */
    private static final int READ_BYTES = 256;

    private final LogFiles files;
    private final RecordHeader header = new RecordHeader();
    private byte[] bytes;
    private LogFile file;
    private int segment;

    /** @param files where the segments lie */
    HeadReader(LogFiles files) {
        this.files = files;
    }

    /**
     * Reads one record.
     *
     * @param position the position
     * @param location where the record lies, see {@link PositionIndex#location}
     * @param length the record's size on disk
     * @param salt of the segment
     * @return the record with an empty body
     * @throws IOException if it cannot be read or its header is not intact
     */
    LogRecord read(long position, long location, int length, long salt) throws IOException {
        int number = PositionIndex.segment(location);
        int offset = PositionIndex.offset(location);
        if (file == null || segment != number) {
            close();
            file = files.openForReading(SegmentHeader.name(number));
            segment = number;
        }
        load(offset, Math.min(length, READ_BYTES));
        if (!header.decode(bytes, 0, salt, offset) || header.position() != position || header.recordBytes() != length) {
            throw new CorruptLogException(
                    files.directory(),
                    files.path(SegmentHeader.name(number)),
                    offset,
                    "the record of position " + position + " is not intact");
        }
        if (header.headEnd() > READ_BYTES) {
            load(offset, header.headEnd());
        }
        return header.headOf(bytes);
    }

    private void load(int offset, int length) throws IOException {
        bytes = new byte[length];
        ByteBuffer target = ByteBuffer.wrap(bytes);
        while (target.hasRemaining()) {
            if (file.read(target, offset + target.position()) < 0) {
                throw new IOException(files.path(SegmentHeader.name(segment)) + " became shorter while it was read");
            }
        }
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
            file = null;
        }
    }
}
