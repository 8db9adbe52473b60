package io.chainkeeper.simulation.swarm;

/**
 * How often a kind of fault came up.
 *
 * @param due times that it was to happen; 0 or more
 * @param effective of these, times that it changed something: its target was there, and no guard refused it. A fault
 *     that waits for a moment, or tells a story, has had its effect when that moment has come
 */
public record FaultCount(long due, long effective) {
    /** Nothing has come up. */
    public static final FaultCount NONE = new FaultCount(0, 0);

    private static final String SEPARATOR = "/";

    /** The sum of both. */
    public FaultCount plus(FaultCount other) {
        return new FaultCount(due + other.due, effective + other.effective);
    }

    /** Reads what {@link #toString} has made. */
    public static FaultCount of(String text) {
        String[] parts = text.split(SEPARATOR);
        return new FaultCount(Long.parseLong(parts[0]), Long.parseLong(parts[1]));
    }

    @Override
    public String toString() {
        return due + SEPARATOR + effective;
    }
}
