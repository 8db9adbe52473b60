package io.chainkeeper.simulation.host;

import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.replica.Application;
import io.chainkeeper.replica.Proposal;
import io.chainkeeper.replica.TotalOrder;
import java.util.Collection;

/** The application of one incarnation of a replica, with what the simulator needs to know of it. */
public interface StateMachine extends Application {
    /** A digest that cannot be told at the moment. */
    long NO_DIGEST = Long.MIN_VALUE;

    /** The host is ready: the application may propose from now on. */
    void started(ReplicaHost host);

    /** Who votes after {@link #position()}; null while the order has not changed the initial membership. */
    Membership membership();

    /** Highest position executed. */
    long position();

    /** Digest of everything that must be equal on all replicas at {@link #position()}, or {@link #NO_DIGEST}. */
    long digest();

    /**
     * Whether its checkpoints, and the states that it fetches, are files of its own: then the simulator takes none of
     * it, and brings it none.
     */
    default boolean keepsFiles() {
        return false;
    }

    /**
     * Looks after the log before it is read.
     *
     * @param disk where the log is
     */
    default void prepare(SimulatedReplica disk) {
        disk.beginStart();
    }

    /** What the start may rely on, when the log has been looked after. */
    default ProtocolContext.Start startKind() {
        return ProtocolContext.Start.ORDINARY;
    }

    /**
     * Its server has to stop because its release does not know what is ordered.
     *
     * @param message that it stops with
     * @param cause of that, or null
     */
    default boolean needsOtherRelease(String message, Throwable cause) {
        return false;
    }

    /** The feature level in force here; {@link FeatureLevel#NONE} as long as it is not known. */
    default FeatureLevel featureLevel() {
        return FeatureLevel.NONE;
    }

    /** The operator asks this server for the newest feature level. */
    default void askForLevel() {}

    /** An operator stops the server: the order is told, and no new client is accepted. */
    default void leave(ReplicaHost host) {
        host.order().leave();
    }

    /** Between {@link #leave} and {@link #close}: the clients are let go. */
    default void letClientsGo() {}

    /**
     * The process ends in an orderly way.
     *
     * @param host of the order, which it closes
     */
    default void close(ReplicaHost host) {
        host.closeOrder();
    }

    /** Whether a part of it waits in the middle of a piece of work. */
    default boolean isWaiting() {
        return false;
    }

    /** It writes the next piece of a checkpoint of its own, if one is due. */
    default void writes() {}

    /** Captures what belongs to {@link #position()}, between two positions. One that keeps files writes it itself. */
    Checkpoint beginCheckpoint();

    /** The checkpoint is written; what may be of a later position is captured now. */
    Checkpoint completeCheckpoint(Checkpoint begun);

    /**
     * The process is gone.
     *
     * @param proposals that have not been applied, in their order
     * @param waiters of barriers that have not been reached, in their order
     */
    void crashed(Collection<Proposal> proposals, Collection<TotalOrder.ReadWaiter> waiters);
}
