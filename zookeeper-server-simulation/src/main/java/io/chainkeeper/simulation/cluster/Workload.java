package io.chainkeeper.simulation.cluster;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.simulation.host.Checkpoint;
import io.chainkeeper.simulation.host.StateMachine;
import io.chainkeeper.simulation.swarm.Decisions;
import io.chainkeeper.simulation.time.EventQueue;
import io.chainkeeper.simulation.time.Trace;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/** What runs above the order in a run: the application of each replica, its clients, and what they must see. */
public interface Workload {
    /** Lets a run go on until something is so, within the bound of the liveness phase. */
    @FunctionalInterface
    interface Awaiter {
        /**
         * @param what for the failure
         * @param condition looked at after every step
         */
        void await(String what, BooleanSupplier condition);
    }

    /** What every replica starts from. */
    Checkpoint nothing();

    /** The application of a replica that starts. */
    StateMachine recover(Cluster cluster, int replica, Checkpoint checkpoint);

    /**
     * The application of a server that starts in another cluster with its directory of this one, which has ended there.
     *
     * @param elsewhere where it starts
     * @param replica whose directory it has
     */
    StateMachine recoverElsewhere(Cluster elsewhere, int replica);

    /**
     * The same kind of clients for another cluster.
     *
     * @param time of that cluster
     * @param random what they draw
     * @param decisions which requests they make
     * @param trace told of them
     */
    Workload ofAnotherCluster(EventQueue time, SplittableRandom random, Decisions decisions, Trace trace);

    /** Whether the applications keep files of their own. */
    default boolean keepsFiles() {
        return false;
    }

    /** Whether the release of a server does not know the feature level that the order has put in force. */
    default boolean isOtherRelease(int replica) {
        return false;
    }

    /** A command in words. */
    String describe(ByteSlice command);

    /** A command takes effect in the one order that all replicas share; called once for each. */
    void ordered(ProposedCommand command);

    /** The clients of these replicas begin. */
    void start(Cluster cluster);

    /** Whether clients ask for another ensemble and replicas learn of it from the order; if not, they are told. */
    default boolean asksForEnsembles() {
        return false;
    }

    /**
     * An operator wants another ensemble: a client asks for it.
     *
     * @param next the ensemble
     * @param random who asks, and how
     * @return whether one could
     */
    default boolean askFor(Ensemble next, SplittableRandom random) {
        return false;
    }

    /**
     * A server, or its disk, is about to be gone for good; machines of some of its clients are gone with it.
     *
     * @param replica the server
     * @param random which of them
     */
    default void goneForGood(int replica, SplittableRandom random) {}

    /** Whether the cluster is there that servers may be gone from: of two both must have been up once. */
    default boolean isFormed() {
        return true;
    }

    /** Faults have stopped; clients ask for nothing new by themselves. */
    void stop();

    /** Everything that was asked before has ended: what clients can demand of a healthy ensemble. */
    void demand(Awaiter awaiter);

    /** Checks what clients have seen, and that replicas are equal. */
    void checkEnd();

    /** How many operations clients have asked for. */
    long operations();

    /** How many of them were answered. */
    long answered();
}
