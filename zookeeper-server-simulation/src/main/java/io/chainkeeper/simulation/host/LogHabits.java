package io.chainkeeper.simulation.host;

/**
 * How lazily an acceptor log drops what it may drop, as that of the product does.
 *
 * @param segmentPositions how many records of positions a segment takes; only whole segments are dropped, and never the
 *     newest
 * @param retainedPositions how many positions below the truncation point are kept for others, at least
 * @param dropsAreLate whether a crash comes before what this start has dropped is gone from the disk
 */
public record LogHabits(int segmentPositions, int retainedPositions, boolean dropsAreLate) {
    /** As eager as a log may be. */
    public static final LogHabits EAGER = new LogHabits(1, 0, false);
}
