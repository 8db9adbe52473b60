package io.chainkeeper.simulation.host;

import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.OrderingStatus;
import java.io.IOException;

/** What a replica's host leaves to its surroundings: everything that takes time or may fail. */
public interface World {
    /** Length of a tick of an exact clock. */
    int TICK_MILLIS = 10;

    /**
     * A message leaves.
     *
     * @param from the sender
     * @param to replica id
     * @param linkEpoch the link that the sender knew to be up when it sent
     * @param message for the trace
     * @param frame the message's bytes
     */
    void send(ReplicaHost from, int to, long linkEpoch, Message message, byte[] frame);

    /** {@link ReplicaHost#drain} has something to do. */
    void inputWaiting(ReplicaHost host);

    /** The log holds records that are not stable. */
    void recordsWaiting(ReplicaHost host);

    /** {@link ReplicaHost#execute} has something to do. */
    void executionWaiting(ReplicaHost host);

    /** The log cannot be read or written: the replica must stop. */
    void logFailed(ReplicaHost host, IOException failure);

    /** The protocol asked for records of the log. */
    void logReadWanted(ReplicaHost host, long fromPosition, int maxBytes);

    /** The application began to write a checkpoint. */
    void checkpointBegun(ReplicaHost host, Checkpoint checkpoint);

    /** The protocol cannot go on without another replica's state. */
    void stateWanted(ReplicaHost host, int fromPeer, long position);

    /** What a replica proposes has no effect: the order holds a later start of it. */
    void superseded(ReplicaHost host, long incarnation);

    /** A replica's view of the leader changed. */
    void statusChanged(ReplicaHost host, OrderingStatus status);
}
