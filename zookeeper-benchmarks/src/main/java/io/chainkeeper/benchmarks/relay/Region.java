package io.chainkeeper.benchmarks.relay;

import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Where a server stands. Round-trip times between regions are those of data centers of one cloud provider that Fouto,
 * Preguiça and Leitão, "High Throughput Replication with Integrated Membership Management", USENIX ATC 2022, section
 * 5.5, took from cloudping.co. Their table has one number for each direction; the mean of both counts here. Within a
 * region nothing is added.
 */
public enum Region {
    /** North Virginia, site A of the paper. */
    VIRGINIA,
    /** Frankfurt, site B. */
    FRANKFURT,
    /** São Paulo, site C. */
    SAO_PAULO,
    /** Sydney, site D. */
    SYDNEY,
    /** Seoul, site E. */
    SEOUL;

    /** From each region, in their order, to each. */
    private static final int[][] ROUND_TRIP_MILLIS = {
        {0, 92, 127, 204, 186},
        {88, 0, 210, 288, 279},
        {122, 207, 0, 338, 359},
        {211, 292, 325, 0, 161},
        {188, 287, 309, 156, 0}
    };

    /** @return the name in the command line and in reports */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * @param word a name
     * @return the region; null if there is none of that name
     */
    public static Region of(String word) {
        return Arrays.stream(values())
                .filter(region -> region.word().equals(word))
                .findFirst()
                .orElse(null);
    }

    /** @return all names, for people */
    public static String words() {
        return Arrays.stream(values()).map(Region::word).collect(Collectors.joining(", "));
    }

    /**
     * How long a byte is on its way.
     *
     * @param other another region, or the same
     * @return half of a round trip, in nanoseconds; the same in both directions
     */
    public long oneWayNanos(Region other) {
        int roundTrips = ROUND_TRIP_MILLIS[ordinal()][other.ordinal()] + ROUND_TRIP_MILLIS[other.ordinal()][ordinal()];
        return TimeUnit.MILLISECONDS.toNanos(roundTrips) / 4;
    }
}
