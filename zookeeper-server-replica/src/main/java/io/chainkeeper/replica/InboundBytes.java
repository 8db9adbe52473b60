package io.chainkeeper.replica;

import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.ordering.Occupancy.Slack;
import io.chainkeeper.transport.PeerTransport;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts the bytes of each peer that wait for the protocol host, and decides when a link is not to be read: the
 * back-pressure between replicas.
 */
final class InboundBytes {
    private static final int MAX_REPLICA_ID = 255;

    private final AtomicLongArray waiting = new AtomicLongArray(MAX_REPLICA_ID + 1);
    private final boolean[] paused = new boolean[MAX_REPLICA_ID + 1];

    private final long maxInboundBytes;
    private final long maxBacklogBytes;
    private volatile boolean somePaused;

    /** Of those from whom a frame has ever arrived. */
    private volatile int highestPeer;

    InboundBytes(ReplicaLimits limits) {
        this.maxInboundBytes = limits.maxInboundBytes();
        this.maxBacklogBytes = limits.maxBacklogBytes();
    }

    /** I/O thread: a frame arrived; returns whether the link may be read on. */
    boolean arrived(int peer, int bytes, long backlogBytes) {
        if (peer > highestPeer) {
            highestPeer = peer; // one thread reads all links
        }
        long total = waiting.addAndGet(peer, bytes);
        if (total <= maxInboundBytes && backlogBytes <= maxBacklogBytes) {
            return true;
        }
        synchronized (paused) {
            paused[peer] = true;
            somePaused = true;
        }
        return false;
    }

    /** Returns how many bytes may wait of all peers together that have ever sent anything. */
    long maxBytes() {
        return highestPeer * maxInboundBytes;
    }

    /** Tells how many bytes wait of the peer that has the most. */
    void tellOccupancy(Occupancy occupancy) {
        long most = 0;
        for (int peer = 0; peer <= highestPeer; peer++) {
            most = Math.max(most, waiting.get(peer));
        }
        occupancy.holds("inbound_bytes", most, maxInboundBytes, Slack.ONE_READ);
    }

    boolean somePaused() {
        return somePaused;
    }

    /** Protocol host: a frame was taken from the queue. */
    void dequeued(int peer, int bytes) {
        waiting.addAndGet(peer, -bytes);
    }

    /** Protocol host: reads those links again whose queue, and the apply thread's, have run half empty. */
    void resumeWhereDrained(PeerTransport transport, long backlogBytes) {
        if (!somePaused || backlogBytes > maxBacklogBytes / 2) {
            return;
        }
        synchronized (paused) {
            somePaused = false;
            for (int peer = 0; peer <= highestPeer; peer++) {
                if (paused[peer] && waiting.get(peer) <= maxInboundBytes / 2) {
                    paused[peer] = false;
                    transport.resumeReading(peer);
                }
                somePaused |= paused[peer];
            }
        }
    }
}
