package io.chainkeeper.simulation.time;

/**
 * Everything that happened in a run: as a hash, which two runs of one seed must share, and on demand as text. Text
 * costs much more than the run itself, so a run that fails without it is run again with it.
 */
public final class Trace {
    private static final long HASH_MULTIPLIER = 0x9E3779B97F4A7C15L;

    /** Takes the text. */
    @FunctionalInterface
    public interface Listener {
        /**
         * Something happened.
         *
         * @param replica where, 0 for the world
         * @param what a constant phrase
         * @param number that belongs to it
         * @param detail or null
         */
        void happened(int replica, String what, long number, Object detail);
    }

    private final EventQueue clock;
    private final Listener listener;
    private Listener witness;
    private long hash;

    /**
     * @param clock virtual time
     * @param listener or null if nobody wants the text
     */
    public Trace(EventQueue clock, Listener listener) {
        this.clock = clock;
        this.listener = listener;
    }

    /** Sets who is told of everything too, as a part of the run. */
    public void setWitness(Listener part) {
        witness = part;
    }

    /** Notes an event; the arguments are those of {@link Listener#happened}, the detail is not part of the hash. */
    public void record(int replica, String what, long number, Object detail) {
        mix(clock.nowMicros());
        mix(replica);
        mix(what.hashCode());
        mix(number);
        if (listener != null) {
            listener.happened(replica, what, number, detail);
        }
        if (witness != null) {
            witness.happened(replica, what, number, detail);
        }
    }

    /** Makes a number part of the hash. */
    public void mix(long number) {
        hash = (hash ^ number) * HASH_MULTIPLIER;
        hash ^= hash >>> 29;
    }

    /** The hash of everything that has happened. */
    public long hash() {
        return hash;
    }
}
