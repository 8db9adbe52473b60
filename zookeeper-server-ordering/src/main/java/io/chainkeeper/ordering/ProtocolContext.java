package io.chainkeeper.ordering;

import java.util.List;
import java.util.Map;

/**
 * Who a protocol instance is.
 *
 * @param replicaId this replica's id (ZooKeeper's myid)
 * @param incarnation number of this start: larger than that of every earlier start of this replica
 * @param ensemble the configured ensemble; its participants are the membership that a new cluster begins with
 * @param settings the protocol's own zoo.cfg keys, already checked
 * @param random the only source of chance
 * @param tickMillis length of a tick, for settings given in milliseconds
 * @param start what this start may rely on
 */
public record ProtocolContext(
        int replicaId,
        long incarnation,
        Ensemble ensemble,
        Map<String, String> settings,
        RandomSource random,
        int tickMillis,
        Start start) {
    /** Copies the settings. */
    public ProtocolContext {
        settings = Map.copyOf(settings);
    }

    /**
     * An ordinary start in an ensemble without observers.
     *
     * @param replicaId see {@link ProtocolContext}
     * @param incarnation see {@link ProtocolContext}
     * @param members ids of the participants
     * @param settings see {@link ProtocolContext}
     * @param random see {@link ProtocolContext}
     * @param tickMillis see {@link ProtocolContext}
     */
    public ProtocolContext(
            int replicaId,
            long incarnation,
            List<Integer> members,
            Map<String, String> settings,
            RandomSource random,
            int tickMillis) {
        this(replicaId, incarnation, Ensemble.of(members), settings, random, tickMillis, Start.ORDINARY);
    }

    /** What a start may rely on. */
    public enum Start {
        /** The acceptor log remembers everything that this replica ever promised, or is empty because it is lost. */
        ORDINARY,
        /**
         * The acceptor log forgets with the process ({@code ordering.durability=memory}), and the user has accepted
         * what that means: an empty log takes part as if it had never promised anything.
         */
        FORGETFUL,
        /**
         * The user has given up the other members for good: whatever this replica has accepted is to be decided, and
         * it is the only member from then on. The start lasts until the order says so. As long as it lasts nobody
         * is admitted, and no command of another replica is ordered: that is for a later, ordinary one.
         */
        SOLE_SURVIVOR
    }

    /** Chance, injected so that the simulator can replay it. */
    @FunctionalInterface
    public interface RandomSource {
        /**
         * @param bound exclusive upper bound, positive
         * @return uniformly 0 to bound - 1
         */
        int nextInt(int bound);
    }
}
