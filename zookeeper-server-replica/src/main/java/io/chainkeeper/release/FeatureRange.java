package io.chainkeeper.release;

/**
 * The feature levels that a release knows.
 *
 * @param oldest the lowest, at least 1
 * @param newest the highest, not below the oldest
 */
public record FeatureRange(int oldest, int newest) {
    /** The level of a cluster that has not been formed yet: nothing speaks against any range. */
    public static final int NO_LEVEL = 0;

    /** The level of clusters that were formed before there were levels. */
    public static final int FIRST_LEVEL = 1;

    /** Checks the bounds. */
    public FeatureRange {
        if (oldest < FIRST_LEVEL || newest < oldest) {
            throw new IllegalArgumentException("feature levels from " + oldest + " to " + newest);
        }
    }

    /**
     * @param level of a cluster, or {@link #NO_LEVEL}
     * @return whether this release can take part in it
     */
    public boolean holds(int level) {
        return level == NO_LEVEL || level >= oldest && level <= newest;
    }

    /**
     * @param other of another release
     * @return whether there is a level that both know
     */
    public boolean overlaps(FeatureRange other) {
        return oldest <= other.newest && other.oldest <= newest;
    }

    /** @return for messages, such as {@code feature levels 1 to 2} */
    @Override
    public String toString() {
        return oldest == newest ? "feature level " + oldest : "feature levels " + oldest + " to " + newest;
    }
}
