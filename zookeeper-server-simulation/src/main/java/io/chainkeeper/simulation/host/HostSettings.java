package io.chainkeeper.simulation.host;

import io.chainkeeper.replica.ReplicaLimits;

/**
 * Liberties that a host has.
 *
 * @param checkpointEveryPositions how often the application takes a checkpoint; 0 for never
 * @param linkChoice over which link a message leaves
 * @param replicas ids 1 to this can be sent to
 * @param limits of its queues
 */
public record HostSettings(int checkpointEveryPositions, LinkChoice linkChoice, int replicas, ReplicaLimits limits) {
    /** Over which link a message leaves, when links have changed since the protocol asked for it or was last told. */
    public enum LinkChoice {
        /** Only over the link that the protocol knew when it asked: what the contract promises. */
        KNOWN_WHEN_ASKED,
        /** A message that waited for its record leaves over the link that the protocol knows by then. */
        KNOWN_WHEN_LEAVING,
        /** Over the link that is up, though the protocol may not have been told of it yet. */
        NEWEST
    }
}
