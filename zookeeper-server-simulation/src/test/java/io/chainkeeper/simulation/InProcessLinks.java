package io.chainkeeper.simulation;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.transport.PeerAddress;
import io.chainkeeper.transport.PeerTransport;
import io.chainkeeper.transport.StateChannel;
import io.chainkeeper.transport.StateResponder;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Links between replicas of one process: a frame is handed over by the thread that sends it. */
final class InProcessLinks {
    private final Map<Integer, PeerTransport.Listener> listeners = new ConcurrentHashMap<>();

    PeerTransport transport(int self) {
        return new Links(self);
    }

    private final class Links implements PeerTransport {
        private final int self;

        private Links(int self) {
            this.self = self;
        }

        @Override
        public void start(Listener listener) {
            synchronized (listeners) {
                listeners.forEach((peer, other) -> {
                    listener.onPeerUp(peer);
                    other.onPeerUp(self);
                });
                listeners.put(self, listener);
            }
        }

        @Override
        public void setPeers(Map<Integer, PeerAddress> peers) {}

        @Override
        public void acknowledgeUp(int peer) {}

        @Override
        public void send(int peer, ByteSlice[] parts) {
            Listener listener = listeners.get(peer);
            if (listener != null) {
                listener.onFrame(self, join(parts));
                listener.onFramesRead();
            }
        }

        @Override
        public void flush() {}

        @Override
        public boolean execute(Runnable task) {
            return false; // there is no thread
        }

        @Override
        public void resumeReading(int peer) {}

        @Override
        public void disconnect(int peer, String reason) {
            throw new AssertionError("link to " + peer + " closed: " + reason);
        }

        @Override
        public void answerStateRequests(StateResponder responder) {}

        @Override
        public StateChannel openStateChannel(int peer) throws IOException {
            throw new IOException("no bulk connection to replica " + peer + ": there are only links here");
        }

        @Override
        public void tellOccupancy(Occupancy occupancy) {
            // Nobody asks.
        }

        @Override
        public void close() {
            synchronized (listeners) {
                listeners.remove(self);
                listeners.forEach((peer, other) -> other.onPeerDown(self));
            }
        }
    }

    private static ByteSlice join(ByteSlice[] parts) {
        int length = 0;
        for (ByteSlice part : parts) {
            length += part.length();
        }
        byte[] frame = new byte[length];
        int offset = 0;
        for (ByteSlice part : parts) {
            System.arraycopy(part.array(), part.offset(), frame, offset, part.length());
            offset += part.length();
        }
        return ByteSlice.of(frame);
    }
}
