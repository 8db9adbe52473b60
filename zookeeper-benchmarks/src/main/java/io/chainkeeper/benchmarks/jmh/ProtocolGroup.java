package io.chainkeeper.benchmarks.jmh;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.OrderingProtocol;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.ordering.RecoveredState;
import io.chainkeeper.replica.RecordedProtocol;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * The replicas of an ensemble reduced to their protocol objects, driven by one thread: messages wait in queues, a log
 * record is durable at the end of the batch of inputs that appended it, and delivered values are only counted. What is
 * left is the cost of ordering itself. Single-threaded.
 */
final class ProtocolGroup {
    private static final int TICK_MILLIS = 50;

    /** Far more than an election takes. */
    private static final int MAX_TICKS = 10_000;

    /** Like a server that checkpoints now and then, so that memory stays bounded. */
    private static final int CHECKPOINT_POSITIONS = 1_000;

    private final OrderingProtocolFactory factory;
    private final boolean throughCodec;
    private final List<Node> nodes = new ArrayList<>();
    private int leader;
    private Message largest;
    private int largestBytes;
    private long barriersAsked;
    private long barriersReached;

    private record Envelope(int from, Message message, ByteSlice frame) {}

    private record Held(long logSequence, int to, Message message) {}

    /**
     * Starts the replicas and waits until they follow a leader.
     *
     * @param factory the protocol
     * @param replicas how many
     * @param throughCodec whether each message is encoded by its sender and decoded by its receiver
     */
    ProtocolGroup(OrderingProtocolFactory factory, int replicas, boolean throughCodec) {
        this.factory = factory;
        this.throughCodec = throughCodec;
        List<Integer> ids = IntStream.rangeClosed(1, replicas).boxed().toList();
        for (int id : ids) {
            nodes.add(new Node(id, ids));
        }
        nodes.forEach(n -> n.protocol.onStart(new EmptyLog()));
        for (Node node : nodes) {
            ids.stream().filter(peer -> peer != node.id).forEach(node.protocol::onPeerUp);
        }
        electLeader();
    }

    private void electLeader() {
        for (int tick = 0; tick < MAX_TICKS; tick++) {
            nodes.forEach(n -> n.protocol.onTick());
            settle();
            for (Node node : nodes) {
                if (node.protocol.status().role() == Role.LEADER
                        && nodes.stream().allMatch(n -> n.protocol.status().leader() == node.id)) {
                    leader = node.id;
                    return;
                }
            }
        }
        throw new IllegalStateException("no leader after " + MAX_TICKS + " ticks");
    }

    /** @return replica id of the leader */
    int leader() {
        return leader;
    }

    int size() {
        return nodes.size();
    }

    /**
     * Gives a replica a command to order.
     *
     * @param replica its id
     * @param command the bytes
     */
    void propose(int replica, ByteSlice command) {
        Node node = nodes.get(replica - 1);
        node.protocol.onPropose(new ProposedCommand(replica, 1, 0, ++node.proposed, command));
    }

    /**
     * Asks when a replica may answer reads.
     *
     * @param replica its id
     */
    void readBarrier(int replica) {
        nodes.get(replica - 1).protocol.onReadBarrier(++barriersAsked);
    }

    /** @return read barriers that were reached, at all replicas together */
    long barriersReached() {
        return barriersReached;
    }

    /** Runs until no message waits anywhere. */
    void settle() {
        boolean worked = true;
        nodes.forEach(Node::endBatch);
        while (worked) {
            worked = false;
            for (Node node : nodes) {
                worked |= node.runBatch();
            }
        }
    }

    /**
     * @param replica its id
     * @return position of the last delivered value
     */
    long delivered(int replica) {
        return nodes.get(replica - 1).delivered;
    }

    /** @return the message with the longest encoding so far: the one that carries a batch down the chain */
    Message largestMessage() {
        return largest;
    }

    /** Joins an encoded message as a receiver sees it. */
    static ByteSlice join(ByteSlice[] parts) {
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

    private final class Node implements Effects {
        private final int id;
        private final OrderingProtocol protocol;
        private final Deque<Envelope> inbox = new ArrayDeque<>();
        private final Deque<Held> held = new ArrayDeque<>();
        private long proposed;
        private long appended;
        private long durable;
        private long delivered;
        private long checkpoint;

        Node(int id, List<Integer> members) {
            this.id = id;
            Random random = new Random(id);
            ProtocolContext context = new ProtocolContext(id, 1, members, Map.of(), random::nextInt, TICK_MILLIS);
            this.protocol = RecordedProtocol.create(this, effects -> factory.create(context, effects));
        }

        boolean runBatch() {
            if (inbox.isEmpty()) {
                return false;
            }
            while (!inbox.isEmpty()) {
                Envelope envelope = inbox.remove();
                protocol.onMessage(envelope.from(), decoded(envelope));
            }
            endBatch();
            return true;
        }

        private Message decoded(Envelope envelope) {
            if (!throughCodec) {
                return envelope.message();
            }
            try {
                return factory.codec().decode(envelope.frame());
            } catch (MalformedMessageException e) {
                throw new IllegalStateException("own encoding of " + envelope.message() + " is refused", e);
            }
        }

        void endBatch() {
            protocol.onBatchEnd();
            while (durable < appended) {
                durable = appended;
                while (!held.isEmpty() && held.peek().logSequence() <= durable) {
                    Held released = held.remove();
                    transmit(released.to(), released.message());
                }
                protocol.onDurable(durable);
                protocol.onBatchEnd();
            }
            if (delivered - checkpoint >= CHECKPOINT_POSITIONS) {
                checkpoint = delivered;
                protocol.onCheckpoint(checkpoint);
            }
        }

        private void transmit(int to, Message message) {
            ByteSlice frame = null;
            if (throughCodec) {
                frame = join(factory.codec().encode(message));
                if (frame.length() > largestBytes) {
                    largestBytes = frame.length();
                    largest = message;
                }
            }
            nodes.get(to - 1).inbox.add(new Envelope(id, message, frame));
        }

        @Override
        public void send(int to, Message message) {
            transmit(to, message);
        }

        @Override
        public void sendAfter(long logSequence, int to, Message message) {
            if (logSequence <= durable) {
                transmit(to, message);
            } else {
                held.add(new Held(logSequence, to, message));
            }
        }

        @Override
        public long append(LogRecord record) {
            return ++appended;
        }

        @Override
        public void deliver(long position, ByteSlice value, long prefixHash) {
            delivered = position;
        }

        @Override
        public void barrierReached(long token) {
            barriersReached++;
        }

        @Override
        public void truncate(long belowPosition) {}

        @Override
        public void readLog(long fromPosition, int maxBytes) {
            throw new IllegalStateException("replica " + id + " reads its log at position " + fromPosition);
        }

        @Override
        public void needState(int fromPeer, long position) {
            throw new IllegalStateException("replica " + id + " lacks position " + position);
        }

        @Override
        public void statusChanged(OrderingStatus status) {}

        @Override
        public void memberSilent(int member, boolean silent) {}
    }

    private static final class EmptyLog implements RecoveredState {
        @Override
        public long appliedPosition() {
            return 0;
        }

        @Override
        public LogRecord metadata(int kind) {
            return null;
        }

        @Override
        public long firstPosition() {
            return 0;
        }

        @Override
        public long lastPosition() {
            return 0;
        }

        @Override
        public void forEachPosition(long fromPosition, Consumer<LogRecord> visitor) {}
    }
}
