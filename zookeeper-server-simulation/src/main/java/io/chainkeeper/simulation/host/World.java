package io.chainkeeper.simulation.host;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.simulation.host.DrivenScheduler.Part;
import io.chainkeeper.simulation.host.DrivenScheduler.Reason;
import io.chainkeeper.transport.PeerTransport;
import java.io.IOException;
import java.util.function.Supplier;

/** What a replica's host leaves to its surroundings: everything that takes time or may fail. */
public interface World {
    /** Length of a tick of an exact clock. */
    int TICK_MILLIS = 10;

    /** A replica's monotonic clock. */
    long clockNanos(int id);

    /**
     * A part of a replica has something to do: see {@link DrivenScheduler.Plan}.
     *
     * @param host the replica
     * @param part of it
     * @param reason why
     * @param nanos on the replica's clock
     * @param piece does the work
     */
    void workWaiting(ReplicaHost host, Part part, Reason reason, long nanos, Runnable piece);

    /** See {@link DrivenScheduler.Plan#isHeldUp}. */
    default boolean isHeldUp(ReplicaHost host, Part part, int disk) {
        return false;
    }

    /** See {@link DrivenScheduler.Plan#whenAnswered}. */
    default void whenAnswered(ReplicaHost host, int disk, Runnable piece) {
        throw new IllegalStateException("disks do not hang");
    }

    /** See {@link DrivenScheduler.Plan#meanwhile}; a thread that waits for ever is {@link NeverAnswered}. */
    default boolean meanwhile(ReplicaHost host) {
        return false;
    }

    /**
     * Threads of a replica wait for the order to do something.
     *
     * @param host the replica
     * @param now whether one waits that has not been woken since; told when that changes
     */
    default void standsStill(ReplicaHost host, boolean now) {}

    /**
     * A thread of a replica has begun to wait for what several wait for.
     *
     * @param host the replica
     * @param task its turn has come; before that others may go on in front of it
     */
    default void overlooks(ReplicaHost host, Runnable task) {
        linksWork(host, task);
    }

    /** The thread of a replica's links has something to do. */
    void linksWork(ReplicaHost host, Runnable task);

    /**
     * A replica is about to start.
     *
     * @param id of the replica
     * @param incarnation number of this start
     * @param level the feature level in force there
     * @return the product's links, or null if those of the simulator are used
     */
    PeerTransport realLinks(int id, long incarnation, Supplier<FeatureLevel> level);

    /**
     * A message leaves.
     *
     * @param from the sender
     * @param to replica id
     * @param linkEpoch the link that the sender knew to be up when it sent
     * @param frame the message's bytes
     */
    void send(ReplicaHost from, int to, long linkEpoch, byte[] frame);

    /** A link is read again after {@link ReplicaHost#frameArrived} has said no. */
    void readAgain(ReplicaHost host, int peer);

    /** Sees that nothing grows beyond its bound. */
    BoundsChecker bounds();

    /** The log cannot be read or written: the replica has stopped. */
    void logFailed(ReplicaHost host, IOException failure);

    /** The release of a server does not know what is ordered: the replica has stopped. */
    default void releaseNeeded(ReplicaHost host, String message) {
        throw new InvariantViolated("replica " + host.id() + " needs another release: " + message);
    }

    /** One of the disks that all share is another one than when the replica started: it has stopped. */
    default void diskReplaced(ReplicaHost host) {
        throw new InvariantViolated("replica " + host.id() + " says that a shared disk was replaced");
    }

    /**
     * A replica has stopped because most of the others refuse it.
     *
     * @param host the replica
     * @param message that it has stopped with
     * @return whether that had to be expected; a defect if not
     */
    default boolean refused(ReplicaHost host, String message) {
        return false;
    }

    /** A replica has a link to another one, of the product's links. */
    default void linked(ReplicaHost host, int peer) {}

    /** The application began to write a checkpoint. */
    void checkpointBegun(ReplicaHost host, Checkpoint checkpoint);

    /** The protocol cannot go on without another replica's state. */
    void stateWanted(ReplicaHost host, int fromPeer, long position);

    /** What a replica proposes has no effect: the order holds a later start of it. */
    void superseded(ReplicaHost host, long incarnation);

    /** A replica's view of the leader changed. */
    void statusChanged(ReplicaHost host, OrderingStatus status);
}
