package io.chainkeeper.release;

/**
 * The feature level of a cluster: which commands, which semantics of execution, which records and messages are in use.
 *
 * @param number at least {@link FeatureRange#FIRST_LEVEL}; {@link FeatureRange#NO_LEVEL} before there is a cluster
 * @param release the first release that knows this level, empty if that has not been said
 */
public record FeatureLevel(int number, String release) {
    /** Of a cluster that has not been formed, or of one whose level is not known. */
    public static final FeatureLevel NONE = new FeatureLevel(FeatureRange.NO_LEVEL, "");

    /** Of clusters that were formed before there were levels. */
    public static final FeatureLevel FIRST =
            new FeatureLevel(FeatureRange.FIRST_LEVEL, Release.bringing(FeatureRange.FIRST_LEVEL));

    /** Checks the bounds. */
    public FeatureLevel {
        if (number < FeatureRange.NO_LEVEL || !release.isEmpty() && !Release.isName(release)) {
            throw new IllegalArgumentException("feature level " + number + " of release '" + release + "'");
        }
    }

    /**
     * @param number a level that this release knows
     * @return that level
     */
    public static FeatureLevel of(int number) {
        return new FeatureLevel(number, Release.bringing(number));
    }

    /**
     * Says why a release cannot take part in a cluster of this level.
     *
     * @param range of the release
     * @param name of the release
     * @return null if it can; else which release is needed, one phrase
     */
    public String refusal(FeatureRange range, String name) {
        if (range.holds(number)) {
            return null;
        }
        String needed = number > range.newest()
                ? "start release " + (release.isEmpty() ? "that runs on the others" : release + " or later")
                : "start the release before it, which raises the level, first on all servers";
        return "feature level " + number + " is in force, but release " + name + " knows " + range + " only: " + needed;
    }
}
