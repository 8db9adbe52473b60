package io.chainkeeper.log;

import io.chainkeeper.ordering.LogRecord;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads the records of one segment file from its beginning and checks everything. Changes nothing. */
final class SegmentScanner implements Closeable {
    private static final int WINDOW_BYTES = 1 << 18;

    private final LogFile file;
    private final long fileBytes;
    private final SegmentHeader header;
    private final String release;
    private final RecordHeader record = new RecordHeader();
    private byte[] window;
    private long windowStart;
    private int windowLength;
    private int offset;
    private int end = SegmentHeader.BYTES;

    /**
     * Opens a segment and checks its header.
     *
     * @param files where it lies
     * @param name its file's name
     * @throws IOException if it cannot be read or its header is damaged
     */
    SegmentScanner(LogFiles files, String name) throws IOException {
        file = files.openForReading(name);
        boolean opened = false;
        try {
            fileBytes = file.size();
            if (fileBytes > AcceptorLogSettings.MAX_SEGMENT_BYTES) {
                throw new CorruptLogException(
                        files.directory(), files.path(name), fileBytes, "the file is longer than any segment");
            }
            window = new byte[(int) Math.min(WINDOW_BYTES, fileBytes)];
            if (!load(0, SegmentHeader.BYTES)) {
                throw new CorruptLogException(
                        files.directory(), files.path(name), fileBytes, "the file ends inside its header");
            }
            ByteBuffer first = ByteBuffer.wrap(window, 0, SegmentHeader.BYTES);
            header = SegmentHeader.decode(first, files, name);
            release = SegmentHeader.release(first);
            opened = true;
        } finally {
            if (!opened) {
                file.close();
            }
        }
    }

    /**
     * Goes to the next record.
     *
     * @return false if there is no intact record at {@link #end}
     * @throws IOException if the file cannot be read
     */
    boolean next() throws IOException {
        if (!intactAt(end)) {
            return false;
        }
        offset = end;
        end += (int) record.recordBytes();
        return true;
    }

    /**
     * Called where no intact record begins at {@link #end}: looks behind it for proof that the bytes at {@link #end}
     * had been on stable storage. The proof is an intact record that was written after the segment had been forced
     * beyond {@link #end}.
     *
     * @return whether there is one, so that what stands at {@link #end} is damage and not an unfinished write
     * @throws IOException if the file cannot be read
     */
    boolean damagedAtEnd() throws IOException {
        for (int candidate = end + 1; candidate <= fileBytes - RecordHeader.BYTES; candidate++) {
            if (intactAt(candidate) && record.syncedBelow() > end) {
                return true;
            }
        }
        return false;
    }

    /**
     * @return whether anything but zeros stands behind {@link #end}
     * @throws IOException if the file cannot be read
     */
    boolean remainsBehindEnd() throws IOException {
        for (long at = end; at < fileBytes; at = windowStart + windowLength) {
            load(at, 1);
            for (int i = (int) (at - windowStart); i < windowLength; i++) {
                if (window[i] != 0) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Goes on at a place up to which the file has been read before. */
    void goTo(int place) {
        end = place;
    }

    /**
     * Called where no intact record begins at {@link #end}: goes on to the next one, wherever it begins.
     *
     * @return false if there is none
     * @throws IOException if the file cannot be read
     */
    boolean skip() throws IOException {
        for (int candidate = end + 1; candidate <= fileBytes - RecordHeader.BYTES; candidate++) {
            if (intactAt(candidate)) {
                offset = candidate;
                end = candidate + (int) record.recordBytes();
                return true;
            }
        }
        return false;
    }

    /**
     * Called where no intact record begins at {@link #end}: puts in words what stands there.
     *
     * @return what is wrong, without the place
     * @throws IOException if the file cannot be read
     */
    String obstacle() throws IOException {
        if (!load(end, RecordHeader.BYTES)) {
            return "the file ends here or inside a record's header";
        }
        if (!record.decode(window, (int) (end - windowStart), header.salt(), end)) {
            return "no record's header with a right checksum begins here";
        }
        String name = record.position() == LogRecord.METADATA
                ? "the record of metadata of kind " + record.kind()
                : "the record of position " + record.position();
        return load(end, record.recordBytes())
                ? "the checksum of what " + name + " holds is wrong"
                : name + " has " + record.recordBytes() + " bytes, and the file ends before";
    }

    private boolean intactAt(int at) throws IOException {
        if (!load(at, RecordHeader.BYTES)
                || !record.decode(window, (int) (at - windowStart), header.salt(), at)
                || !load(at, record.recordBytes())) {
            return false;
        }
        return record.payloadMatches(window, (int) (at - windowStart));
    }

    /** Makes a range of the file visible in the window; false if the file ends before. */
    private boolean load(long from, long length) throws IOException {
        if (from >= windowStart && from + length <= windowStart + windowLength) {
            return true;
        }
        if (from + length > fileBytes) {
            return false;
        }
        if (length > window.length) {
            window = new byte[(int) length];
        }
        ByteBuffer target = ByteBuffer.wrap(window, 0, (int) Math.min(window.length, fileBytes - from));
        windowStart = from;
        windowLength = 0;
        while (target.hasRemaining()) {
            if (file.read(target, from + target.position()) < 0) {
                throw new IOException("a log segment became shorter while it was read");
            }
        }
        windowLength = target.position();
        return true;
    }

    /** @return the file's header */
    SegmentHeader header() {
        return header;
    }

    /** @return the release that wrote the file, see {@link SegmentHeader#release} */
    String release() {
        return release;
    }

    /** @return length of the file */
    long fileBytes() {
        return fileBytes;
    }

    /** @return where the latest record begins */
    int offset() {
        return offset;
    }

    /** @return where the latest record ends */
    int end() {
        return end;
    }

    /** @return the latest record's header */
    RecordHeader record() {
        return record;
    }

    /** @return the latest record; valid until the next call of {@link #next} */
    LogRecord toRecord() {
        return record.record(window, (int) (offset - windowStart));
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
