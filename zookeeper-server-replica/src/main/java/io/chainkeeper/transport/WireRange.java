package io.chainkeeper.transport;

/**
 * The versions of the replica protocol that a release speaks: which kinds of frames there are, and their formats. Each
 * link uses the highest that both sides speak.
 *
 * @param oldest the lowest, at least 1
 * @param newest the highest, not below the oldest
 */
public record WireRange(int oldest, int newest) {
    /** What this release speaks. */
    public static final WireRange OWN = new WireRange(1, 1);

    /** No version. */
    public static final int NONE = 0;

    /** The largest number that a version can have. */
    public static final int MAX = 65_535;

    /** Checks the bounds. */
    public WireRange {
        if (oldest < 1 || newest < oldest || newest > MAX) {
            throw new IllegalArgumentException("versions from " + oldest + " to " + newest);
        }
    }

    /**
     * @param other of the other side of a link
     * @return the highest version that both speak, {@link #NONE} if there is none
     */
    public int common(WireRange other) {
        int highest = Math.min(newest, other.newest);
        return highest < Math.max(oldest, other.oldest) ? NONE : highest;
    }

    /** @return for messages, such as {@code version 1} or {@code versions 1 to 2} */
    @Override
    public String toString() {
        return oldest == newest ? "version " + oldest : "versions " + oldest + " to " + newest;
    }
}
