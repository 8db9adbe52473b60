package io.chainkeeper.server.maintenance;

import java.util.List;

/**
 * Has this replica's state replaced by that of a member when it is not the cluster's: asks one member after the other
 * until one answers. Used by the background only.
 */
public final class StateReplacement {
    private final Self self;
    private final Source source;
    private List<Integer> sources = List.of();
    private int nextSource;

    /** The state of this position or a later one has to replace this replica's own; 0 if it is the cluster's. */
    private long foreignFrom;

    /** Gets a state in the place of one that is not the cluster's. */
    @FunctionalInterface
    public interface Source {
        /**
         * Asked again and again. Never waits.
         *
         * @param fromPeer a member that may have it
         * @param position of the oldest state that will do
         */
        void wanted(int fromPeer, long position);
    }

    /**
     * @param self this replica
     * @param source gets the state
     */
    public StateReplacement(Self self, Source source) {
        this.self = self;
        this.source = source;
    }

    /** Asked for with the next tick: those who have it are writing it at this moment. */
    void begin(long position, List<Integer> from) {
        sources = from;
        foreignFrom = position;
    }

    boolean isUnderWay() {
        return foreignFrom > 0;
    }

    void tick() {
        List<Integer> from = sources.isEmpty() ? self.members() : sources;
        nextSource = (nextSource + 1) % from.size();
        int member = from.get(nextSource);
        if (member != self.replicaId()) {
            source.wanted(member, foreignFrom);
        }
    }
}
