package io.chainkeeper.replica;

import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.ordering.Occupancy.Slack;
import io.chainkeeper.ordering.OrderingProtocol;
import io.chainkeeper.ordering.SizeLimits;

/**
 * The parts of a replica in which something waits, to be asked how full they are.
 *
 * @param host for whose protocol inputs wait
 * @param own commands that are not applied
 * @param links whose frames wait for the protocol
 * @param disks that are shared, for which requests wait
 * @param log whose records wait to be written
 * @param applyThread for which decided values wait
 * @param protocol with its own windows and buffers
 * @param limits the bounds
 */
record HostQueues(
        ProtocolHost host,
        OwnCommands own,
        ProtocolLinks links,
        HostedDisks disks,
        ReplicaLog log,
        ApplyThread applyThread,
        OrderingProtocol protocol,
        ReplicaLimits limits) {
    /** Tells how full all of them are. For one caller that drives all parts, between pieces of their work. */
    void tellOccupancy(Occupancy occupancy) {
        host.tellOccupancy(occupancy);
        own.tellOccupancy(occupancy);
        links.tellOccupancy(occupancy);
        disks.tellOccupancy(occupancy);
        log.tellOccupancy(occupancy);
        // When links are not read any more, what has been read and what is under way may still be decided.
        long ownBytes = limits.maxOutstandingBytes() + limits.maxOfferedBytes();
        long decidedMeanwhile = ownBytes + SizeLimits.MAX_UNDER_WAY_BYTES + links.maxInboundBytes();
        occupancy.holds(
                "executor_backlog_bytes",
                applyThread.backlogBytes(),
                limits.maxBacklogBytes() + decidedMeanwhile,
                Slack.ONE_VALUE);
        protocol.tellOccupancy(occupancy);
    }
}
