package io.chainkeeper.log;

import io.chainkeeper.ordering.LogRecord;

/** Told by {@link LogInspection} of what an acceptor log holds, in the order in which it stands there. */
public interface LogVisitor {
    /**
     * Where a record stands.
     *
     * @param file the file
     * @param offset its first byte; {@link LogFinding#NO_OFFSET} in an LMDB store
     * @param bytes its size in the file, without what the store adds
     * @param isCopy whether it is metadata that the segment began with, a copy of what stands earlier
     */
    record Place(String file, long offset, long bytes, boolean isCopy) {}

    /**
     * The head of a segment file; its checksum is right.
     *
     * @param file the file
     * @param number of the segment, from 1
     * @param bytes length of the file, with what is pre-allocated
     * @param release that wrote it; says so if it is not named, as by releases before 0.2.0
     */
    record SegmentFacts(String file, int number, long bytes, String release) {}

    /** @param facts the segment whose records follow */
    void segment(SegmentFacts facts);

    /**
     * @param place where the record stands
     * @param record a record whose checksums are right; valid until the visitor returns
     */
    void record(Place place, LogRecord record);

    /** @param finding what stands where a record should; records may follow */
    void found(LogFinding finding);
}
