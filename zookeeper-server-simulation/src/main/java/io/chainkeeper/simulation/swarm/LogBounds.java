package io.chainkeeper.simulation.swarm;

import io.chainkeeper.log.AcceptorLogSettings;

/** Bounds of acceptor logs: so small that each is met by the few records of a run. */
public final class LogBounds {
    private static final int SMALL_BYTES = 64;
    private static final int PAGE_BYTES = 4_096;

    /** A log that keeps as little as it may, and writes at once what it is given. */
    public static final AcceptorLogSettings EAGER = of(SMALL_BYTES, 0, false);

    /** A log that gathers many records before it writes any, unless it is forced. */
    static final AcceptorLogSettings GATHERING = of(1 << 18, 1 << 16, 0);

    private LogBounds() {}

    /**
     * Bounds of which some do not matter.
     *
     * @param segmentBytes at which a new segment begins
     * @param retainedPositions how many are kept below the truncation point; 0 for none
     * @param buffers whether some records are gathered for one write and zeros are written ahead, or hardly
     */
    static AcceptorLogSettings of(int segmentBytes, int retainedPositions, boolean buffers) {
        return of(segmentBytes, buffers ? PAGE_BYTES : SMALL_BYTES, retainedPositions);
    }

    private static AcceptorLogSettings of(int segmentBytes, int bytes, int retainedPositions) {
        AcceptorLogSettings defaults = AcceptorLogSettings.defaults();
        return new AcceptorLogSettings(
                segmentBytes,
                bytes,
                bytes,
                bytes,
                defaults.maxRecordBytes(),
                defaults.maxMetadataBytes(),
                retainedPositions == 0 ? 0 : defaults.retentionBytes(),
                0,
                retainedPositions,
                defaults.asyncForceIntervalMillis(),
                defaults.lmdbMapBytes());
    }
}
