package io.chainkeeper.log;

import io.chainkeeper.ordering.LogRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * Records of consecutive positions that follow each other in one segment, so that one read brings them all. The decoded
 * records are views of the one array that was read.
 */
final class SegmentRun {
    // Room for metadata or a superseded record between two wanted ones; more would be read for nothing.
    private static final int MAX_GAP_BYTES = 4096;

    private final long firstPosition;
    private final int segment;
    private int[] offsets = new int[16];
    private int count;
    private int end;
    private byte[] bytes;
    private int buffered;
    private String path;
    private String directory;
    private long salt;

    private SegmentRun(long firstPosition, int segment) {
        this.firstPosition = firstPosition;
        this.segment = segment;
    }

    /**
     * Looks for the longest run.
     *
     * @param index where records lie
     * @param position first position of the run
     * @param maxBytes bound of its bytes, unless the first record alone is larger
     * @return the run, null if there is no record of the position
     */
    static SegmentRun find(PositionIndex index, long position, long maxBytes) {
        long location = index.location(position);
        if (location == 0) {
            return null;
        }
        SegmentRun run = new SegmentRun(position, PositionIndex.segment(location));
        run.add(location, index.length(position));
        for (long next = position + 1; run.fits(index, next, maxBytes); next++) {
            run.add(index.location(next), index.length(next));
        }
        return run;
    }

    private boolean fits(PositionIndex index, long position, long maxBytes) {
        long location = index.location(position);
        int gap = PositionIndex.offset(location) - end;
        return location != 0
                && PositionIndex.segment(location) == segment
                && gap >= 0
                && gap <= MAX_GAP_BYTES
                && (long) end + gap + index.length(position) - offsets[0] <= maxBytes;
    }

    private void add(long location, int length) {
        if (count == offsets.length) {
            offsets = Arrays.copyOf(offsets, 2 * count);
        }
        offsets[count++] = PositionIndex.offset(location);
        end = PositionIndex.offset(location) + length;
    }

    /** @param writer its buffer holds what has not been written yet, which is copied; the caller holds its lock */
    void copyBuffered(SegmentWriter writer) {
        bytes = new byte[end - offsets[0]];
        buffered = writer.copyBuffered(segment, offsets[0], bytes);
    }

    /**
     * Reads what was not buffered.
     *
     * @param file the segment
     * @param files for messages
     * @param segmentSalt salt of the segment
     * @throws IOException if that failed
     */
    void load(LogFile file, LogFiles files, long segmentSalt) throws IOException {
        directory = files.directory();
        path = files.path(name());
        salt = segmentSalt;
        ByteBuffer target = ByteBuffer.wrap(bytes, 0, buffered);
        while (target.hasRemaining()) {
            if (file.read(target, offsets[0] + target.position()) < 0) {
                throw new CorruptLogException(
                        directory, path, offsets[0] + target.position(), "the file ends inside a record");
            }
        }
    }

    /**
     * Checks the records and hands them out.
     *
     * @param records where to
     * @return bytes of heads and bodies
     * @throws CorruptLogException if one is damaged
     */
    long decode(List<LogRecord> records) throws CorruptLogException {
        RecordHeader header = new RecordHeader();
        long payloadBytes = 0;
        for (int i = 0; i < count; i++) {
            int at = offsets[i] - offsets[0];
            int next = i + 1 < count ? offsets[i + 1] : end;
            if (!header.decode(bytes, at, salt, offsets[i])
                    || header.position() != firstPosition + i
                    || offsets[i] + header.recordBytes() > next
                    || !header.payloadMatches(bytes, at)) {
                throw new CorruptLogException(
                        directory,
                        path,
                        offsets[i],
                        "the record of position " + (firstPosition + i) + " is not intact");
            }
            records.add(header.record(bytes, at));
            payloadBytes += header.recordBytes() - RecordHeader.BYTES;
        }
        return payloadBytes;
    }

    /** @return number of records */
    int count() {
        return count;
    }

    /** @return the segment's number */
    int segment() {
        return segment;
    }

    /** @return the segment's file */
    String name() {
        return SegmentHeader.name(segment);
    }
}
