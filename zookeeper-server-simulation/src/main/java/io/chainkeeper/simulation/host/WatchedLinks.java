package io.chainkeeper.simulation.host;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.ordering.Occupancy.Slack;
import io.chainkeeper.simulation.time.Trace;
import io.chainkeeper.transport.PeerAddress;
import io.chainkeeper.transport.PeerTransport;
import io.chainkeeper.transport.RefusalKind;
import io.chainkeeper.transport.StateChannel;
import io.chainkeeper.transport.StateResponder;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;

/** The product's links of one start of a replica; the trace is told of what is sent. */
final class WatchedLinks implements PeerTransport {
    private final PeerTransport links;
    private final ReplicaHost host;
    private final Frames frames;
    private final Trace trace;

    /** Ids of those that it is linked with; null while these are all. */
    private Set<Integer> peers;

    /**
     * @param links of the product
     * @param host whose they are
     * @param frames know the message that leaves
     * @param trace told of it
     */
    WatchedLinks(PeerTransport links, ReplicaHost host, Frames frames, Trace trace) {
        this.links = links;
        this.host = host;
        this.frames = frames;
        this.trace = trace;
    }

    @Override
    public void start(Listener listener) throws IOException {
        links.start(new CheckedListener(listener));
    }

    @Override
    public void send(int to, ByteSlice[] parts) {
        trace.mix(Arrays.hashCode(Frames.bytes(parts)));
        trace.record(host.id(), "sends to", to, frames.leaving());
        links.send(to, parts);
    }

    @Override
    public void acknowledgeUp(int peer) {
        links.acknowledgeUp(peer);
    }

    @Override
    public void flush() {
        links.flush();
    }

    @Override
    public boolean execute(Runnable task) {
        return links.execute(() -> host.runChecked(task));
    }

    @Override
    public void resumeReading(int peer) {
        links.resumeReading(peer);
    }

    @Override
    public void disconnect(int peer, String reason) {
        throw new InvariantViolated("replica " + host.id() + " ends its link to " + peer + ": " + reason);
    }

    /** Where no server has a configuration with addresses, all replicas that there may ever be are linked. */
    @Override
    public void setPeers(Map<Integer, PeerAddress> peers) {
        if (!peers.isEmpty()) {
            this.peers = Set.copyOf(peers.keySet());
            links.setPeers(peers);
        }
    }

    /** Whether a replica may connect to this one, and the other way round. */
    boolean knows(int peer) {
        return peers == null || peers.contains(peer);
    }

    @Override
    public void answerStateRequests(StateResponder responder) {
        links.answerStateRequests(responder);
    }

    @Override
    public StateChannel openStateChannel(int peer) throws IOException {
        return links.openStateChannel(peer);
    }

    @Override
    public boolean hasTriedPeers() {
        return links.hasTriedPeers();
    }

    @Override
    public boolean admitsUnauthenticated() {
        return links.admitsUnauthenticated();
    }

    @Override
    public void tellOccupancy(Occupancy occupancy) {
        links.tellOccupancy(occupancy);
    }

    @Override
    public void close() {
        links.close();
    }

    /** When frames have arrived, nothing may be above its bound. */
    private final class CheckedListener implements Listener {
        private final Listener listener;
        private long readBytes;

        private CheckedListener(Listener listener) {
            this.listener = listener;
        }

        @Override
        public void onPeerUp(int peer) {
            host.linked(peer);
            listener.onPeerUp(peer);
        }

        @Override
        public void onPeerDown(int peer) {
            listener.onPeerDown(peer);
        }

        @Override
        public boolean onFrame(int peer, ByteSlice frame) {
            readBytes += frame.length();
            return host.isReadOn(listener.onFrame(peer, frame));
        }

        @Override
        public void onFramesRead() {
            host.sees(Slack.ONE_READ, readBytes);
            readBytes = 0;
            listener.onFramesRead();
            host.checkBounds();
        }

        @Override
        public void onPeerRefused(int peer, RefusalKind kind, String reason) {
            listener.onPeerRefused(peer, kind, reason);
        }
    }
}
