package io.chainkeeper.log;

/** What is kept in memory of one segment file. */
final class Segment {
    final int number;
    final long salt;

    /** Length of the file; for the segment being written, with what is pre-allocated. */
    long fileBytes;

    /** Lowest and highest position that any record in the segment has or had; 0 if it holds metadata only. */
    long minPosition;

    long maxPosition;

    Segment(int number, long salt) {
        this.number = number;
        this.salt = salt;
    }

    /** @param position of a positional record that the segment holds */
    void include(long position) {
        minPosition = minPosition == 0 ? position : Math.min(minPosition, position);
        maxPosition = Math.max(maxPosition, position);
    }

    String name() {
        return SegmentHeader.name(number);
    }
}
