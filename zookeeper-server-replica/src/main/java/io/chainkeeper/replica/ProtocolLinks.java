package io.chainkeeper.replica;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.MessageCodec;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.transport.PeerTransport;

/**
 * The links as the protocol host uses them: messages instead of frames, and which links are not read at the moment.
 * {@link #send} and {@link #flush} are for the thread that runs the protocol.
 */
final class ProtocolLinks {
    private final PeerTransport transport;
    private final MessageCodec codec;
    private final InboundBytes inbound;

    /**
     * @param transport carries the frames
     * @param codec of the protocol's messages
     * @param limits bounds of what waits
     */
    ProtocolLinks(PeerTransport transport, MessageCodec codec, ReplicaLimits limits) {
        this.transport = transport;
        this.codec = codec;
        this.inbound = new InboundBytes(limits);
    }

    /** Queues a message; {@link #flush} writes it. */
    void send(int to, Message message) {
        transport.send(to, codec.encode(message));
    }

    void flush() {
        transport.flush();
    }

    /** Closes the link to a peer because of what came over it. */
    void disconnect(int peer, String reason) {
        transport.disconnect(peer, reason);
    }

    /** Runs a task on the I/O thread of the links; returns false if that thread is not there. */
    boolean execute(Runnable task) {
        return transport.execute(task);
    }

    /** Lets messages be sent over a link that has come up: see {@link PeerTransport#acknowledgeUp}. */
    void acknowledgeUp(int peer) {
        transport.acknowledgeUp(peer);
    }

    Message decode(ByteSlice frame) throws MalformedMessageException {
        return codec.decode(frame);
    }

    /** I/O thread: a message is about to wait for the host; returns whether its link may be read on. */
    boolean arrived(int peer, int frameBytes, long backlogBytes) {
        return inbound.arrived(peer, frameBytes, backlogBytes);
    }

    /** The host has taken a message that waited. */
    void dequeued(int peer, int frameBytes) {
        inbound.dequeued(peer, frameBytes);
    }

    /** Returns how many bytes may wait that came over all links together. */
    long maxInboundBytes() {
        return inbound.maxBytes();
    }

    /** Tells how much waits that came over the links. */
    void tellOccupancy(Occupancy occupancy) {
        inbound.tellOccupancy(occupancy);
        transport.tellOccupancy(occupancy);
    }

    /** Returns whether some link is not read at the moment. */
    boolean somePaused() {
        return inbound.somePaused();
    }

    /** Reads those links again whose queue, and the apply thread's, have run half empty. */
    void resumeWhereDrained(long backlogBytes) {
        inbound.resumeWhereDrained(transport, backlogBytes);
    }
}
