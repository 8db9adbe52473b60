package io.chainkeeper.config;

/**
 * When a higher feature level that all servers know is put in force.
 *
 * @param byItself whether the leader does it by itself, {@code ordering.featureLevel}; else only the operator does
 * @param delaySeconds how long all servers have to have known it before that, {@code ordering.featureLevelDelaySeconds}
 */
public record FeatureRaising(boolean byItself, int delaySeconds) {
    /** By itself, after a minute. */
    public static final FeatureRaising DEFAULT = new FeatureRaising(true, 60);

    /** The shortest delay. */
    public static final int MIN_DELAY_SECONDS = 0;

    /** The longest delay, ten weeks. */
    public static final int MAX_DELAY_SECONDS = 6_000_000;

    private static final long MILLIS_PER_SECOND = 1_000;

    /** @return the delay in milliseconds */
    public long delayMillis() {
        return delaySeconds * MILLIS_PER_SECOND;
    }
}
