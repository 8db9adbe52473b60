package io.chainkeeper.replica;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How many durations of which length there have been since the start, in {@value #BUCKETS} buckets; a bucket is no
 * wider than a sixteenth of what it holds. Recording takes no lock and no memory. Safe for use by any thread.
 */
public final class LatencyHistogram {
    /** Longer durations count as this one, in microseconds. */
    public static final long MAX_MICROS = Integer.MAX_VALUE;

    /** What {@link Counts#percentileMicros} says of no durations. */
    public static final long NONE = -1;

    /** Buckets between two powers of two; durations below this one have a bucket each. */
    private static final int STEPS = 16;

    private static final int STEP_BITS = 4;
    private static final int BUCKETS = STEPS * (Integer.SIZE - STEP_BITS);

    private final AtomicLongArray buckets = new AtomicLongArray(BUCKETS);

    /** @param micros a duration in microseconds; one that is negative counts as 0 */
    public void record(long micros) {
        buckets.incrementAndGet(bucket(Math.max(0, Math.min(MAX_MICROS, micros))));
    }

    private static int bucket(long micros) {
        if (micros < STEPS) {
            return (int) micros;
        }
        int shift = Long.SIZE - 1 - Long.numberOfLeadingZeros(micros) - STEP_BITS;
        return STEPS * shift + (int) (micros >> shift);
    }

    /** The largest duration that a bucket holds, so that a percentile is never understated. */
    private static long highest(int bucket) {
        if (bucket < STEPS) {
            return bucket;
        }
        int shift = bucket / STEPS - 1;
        return ((long) (bucket - STEPS * shift + 1) << shift) - 1;
    }

    /** @return what has been recorded so far */
    public Counts counts() {
        long[] counts = new long[BUCKETS];
        for (int i = 0; i < BUCKETS; i++) {
            counts[i] = buckets.get(i);
        }
        return new Counts(counts);
    }

    /** What had been recorded at a moment, or between two of them. Does not change. */
    public static final class Counts {
        private final long[] counts;

        private Counts(long[] counts) {
            this.counts = counts;
        }

        /**
         * @param earlier of the same histogram
         * @return what was recorded after it
         */
        public Counts since(Counts earlier) {
            long[] difference = new long[BUCKETS];
            for (int i = 0; i < BUCKETS; i++) {
                difference[i] = counts[i] - earlier.counts[i];
            }
            return new Counts(difference);
        }

        /** @return how many durations these are */
        public long total() {
            long total = 0;
            for (long count : counts) {
                total += count;
            }
            return total;
        }

        /**
         * @param fraction of the durations, above 0 and up to 1
         * @return a duration that so many do not exceed, up to a sixteenth too long; {@link #NONE} if there are none
         */
        public long percentileMicros(double fraction) {
            long wanted = (long) Math.ceil(total() * fraction);
            if (wanted == 0) {
                return NONE;
            }
            int bucket = 0;
            for (long seen = counts[0]; seen < wanted; seen += counts[bucket]) {
                bucket++;
            }
            return highest(bucket);
        }
    }
}
