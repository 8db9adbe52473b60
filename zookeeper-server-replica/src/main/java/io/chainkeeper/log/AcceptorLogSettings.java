package io.chainkeeper.log;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.SizeLimits;

/**
 * Every bound of the acceptor log, in one place.
 *
 * @param segmentBytes size at which a new segment file begins. One that begins with more metadata, or with a larger
 *     record, is as long as these
 * @param preallocationBytes how much a segment file grows at a time under small writes, filled with zeros ahead of the
 *     records, so that most of them need no change of the file's length; more than a segment means the whole segment at
 *     once
 * @param largeWriteBytes a write of so many bytes or more goes to the end of the file without zeros ahead of it: the
 *     zeros would double what is written, to spare one change of the length
 * @param writeBufferBytes how many bytes are gathered for one write; at least 64
 * @param maxRecordBytes largest head and body of one record together
 * @param maxMetadataBytes largest sum of the latest metadata records of all kinds, with their headers
 * @param retentionBytes how many bytes below the truncation point are kept for replicas that were away; 0 or more
 * @param memoryRetentionBytes as {@code retentionBytes}, for a log in memory; the smaller of the two counts
 * @param maxRetainedPositions how many positions below the truncation point are kept at most; bounds the index
 * @param asyncForceIntervalMillis pause between two forces in the background; with the duration of one force this is
 *     how much a power failure can lose under {@link Durability#ASYNC}
 * @param lmdbMapBytes largest size of the LMDB store; only address space is reserved. More than an epoch of ISS may
 *     hold when its positions have eight megabytes each: the log must not be full before the disk is
 */
public record AcceptorLogSettings(
        int segmentBytes,
        int preallocationBytes,
        int largeWriteBytes,
        int writeBufferBytes,
        int maxRecordBytes,
        int maxMetadataBytes,
        long retentionBytes,
        long memoryRetentionBytes,
        long maxRetainedPositions,
        long asyncForceIntervalMillis,
        long lmdbMapBytes) {
    private static final int KIB = 1024;
    private static final int MIB = 1024 * KIB;

    /** Largest {@link #segmentBytes}: offsets inside a segment are 31-bit numbers. */
    public static final int MAX_SEGMENT_BYTES = 1024 * MIB;

    /** Checks that the bounds go together. */
    public AcceptorLogSettings {
        InvariantViolated.check(maxRecordBytes >= 1 && maxMetadataBytes >= 0, "log record bounds must be positive");
        InvariantViolated.check(
                segmentBytes >= SegmentHeader.BYTES && segmentBytes <= MAX_SEGMENT_BYTES,
                "a log segment of %d bytes is outside %d to %d",
                segmentBytes,
                SegmentHeader.BYTES,
                MAX_SEGMENT_BYTES);
        long longest = (long) SegmentHeader.BYTES + maxMetadataBytes + RecordHeader.BYTES + maxRecordBytes;
        InvariantViolated.check(
                longest <= MAX_SEGMENT_BYTES,
                "a log segment with the largest metadata and record has %d bytes, over %d",
                longest,
                MAX_SEGMENT_BYTES);
        InvariantViolated.check(preallocationBytes >= 1, "log preallocation of %d bytes", preallocationBytes);
        InvariantViolated.check(largeWriteBytes >= 1, "large log writes of %d bytes", largeWriteBytes);
        InvariantViolated.check(writeBufferBytes >= 64, "log write buffer of %d bytes", writeBufferBytes);
        InvariantViolated.check(
                retentionBytes >= 0 && memoryRetentionBytes >= 0 && maxRetainedPositions >= 0,
                "log retention is negative");
        InvariantViolated.check(
                asyncForceIntervalMillis >= 1, "log force interval of %d milliseconds", asyncForceIntervalMillis);
        InvariantViolated.check(lmdbMapBytes >= MIB, "LMDB map of %d bytes is under 1 MiB", lmdbMapBytes);
    }

    /** @return segments for one of the largest records, 256 MiB kept for replicas that were away */
    public static AcceptorLogSettings defaults() {
        int maxMetadataBytes = MIB;
        return new AcceptorLogSettings(
                SegmentHeader.BYTES + maxMetadataBytes + RecordHeader.BYTES + SizeLimits.MAX_RECORD_BYTES,
                4 * MIB,
                64 * KIB,
                MIB,
                SizeLimits.MAX_RECORD_BYTES,
                maxMetadataBytes,
                256L * MIB,
                32L * MIB,
                1_000_000,
                50,
                1024L * 1024 * MIB);
    }

    /**
     * @param bytes the new {@link #retentionBytes}
     * @return these settings with that retention
     */
    public AcceptorLogSettings withRetentionBytes(long bytes) {
        return new AcceptorLogSettings(
                segmentBytes,
                preallocationBytes,
                largeWriteBytes,
                writeBufferBytes,
                maxRecordBytes,
                maxMetadataBytes,
                bytes,
                memoryRetentionBytes,
                maxRetainedPositions,
                asyncForceIntervalMillis,
                lmdbMapBytes);
    }

    /** @param record to be appended; must be within {@link #maxRecordBytes} */
    void checkSize(LogRecord record) {
        long bytes = (long) record.head().length() + record.body().length();
        InvariantViolated.check(
                bytes <= maxRecordBytes, "log record of %d bytes is over the bound of %d", bytes, maxRecordBytes);
    }
}
