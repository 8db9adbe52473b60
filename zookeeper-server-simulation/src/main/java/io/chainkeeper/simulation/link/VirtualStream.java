package io.chainkeeper.simulation.link;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * One direction of a connection: bytes in the order in which they were written, in pieces, after a while. At most a
 * window of them is on the way or unread: whoever writes learns only by what comes back that there is room again.
 */
final class VirtualStream {
    private enum Kind {
        DATA,
        END,
        RESET
    }

    private record Segment(long atMicros, Kind kind, byte[] bytes) {}

    private record Acknowledgement(long atMicros, long upTo) {}

    private final VirtualNetwork network;
    private final Path path;
    private final Path back;
    private final Endpoint sender;
    private final Endpoint receiver;
    private final Deque<Segment> inFlight = new ArrayDeque<>();
    private final Deque<Acknowledgement> acknowledgements = new ArrayDeque<>();
    private final Deque<byte[]> received = new ArrayDeque<>();
    private int headOffset;
    private long written;
    private long read;
    private long acknowledged;
    private long lastArrivalMicros;
    private boolean held;
    private boolean full;
    private boolean roomPlanned;
    private boolean torn;
    private boolean ended;
    private boolean resetArrived;

    /**
     * @param network that carries it
     * @param path that its bytes take
     * @param back that the news takes of their having been read
     * @param sender writes
     * @param receiver reads
     */
    VirtualStream(VirtualNetwork network, Path path, Path back, Endpoint sender, Endpoint receiver) {
        this.network = network;
        this.path = path;
        this.back = back;
        this.sender = sender;
        this.receiver = receiver;
    }

    // ---------------------------------------------------------------- the sender's side

    /** Nothing arrives before that. */
    void beginsAt(long atMicros) {
        lastArrivalMicros = atMicros;
    }

    /**
     * @param in loses what is taken
     * @return bytes taken; if 0, the sender is told when there is room again
     */
    int write(ByteBuf in) {
        takeAcknowledgements();
        int size = (int) Math.min(in.readableBytes(), network.habits().windowBytes() - (written - acknowledged));
        if (size <= 0) {
            full = true;
            planRoom();
            return 0;
        }
        byte[] bytes = new byte[size];
        in.readBytes(bytes);
        written += size;
        if (size > 1 && network.splits()) {
            int at = 1 + network.random().nextInt(size - 1);
            send(Kind.DATA, Arrays.copyOf(bytes, at));
            send(Kind.DATA, Arrays.copyOfRange(bytes, at, size));
        } else {
            send(Kind.DATA, bytes);
        }
        return size;
    }

    /** Behind everything that was written, the receiver learns that nothing follows. */
    void end() {
        send(Kind.END, null);
    }

    /** Behind everything that was written, the receiver learns that there is no connection. */
    void reset() {
        send(Kind.RESET, null);
    }

    /**
     * The connection breaks: of what is on its way some arrives, cut at any byte, and then a reset. What is written
     * later is lost.
     */
    void tear(long noticeMicros) {
        if (torn) {
            return;
        }
        torn = true;
        int bytes = 0;
        for (Segment segment : inFlight) {
            bytes += segment.kind() == Kind.DATA ? segment.bytes().length : 0;
        }
        int left = network.random().nextInt(bytes + 1);
        Deque<Segment> arriving = new ArrayDeque<>();
        for (Segment segment : inFlight) {
            if (segment.kind() == Kind.DATA && left > 0) {
                int size = Math.min(left, segment.bytes().length);
                arriving.add(new Segment(segment.atMicros(), Kind.DATA, Arrays.copyOf(segment.bytes(), size)));
                left -= size;
            }
        }
        inFlight.clear();
        inFlight.addAll(arriving);
        plan(new Segment(Math.max(lastArrivalMicros, network.nowMicros() + noticeMicros), Kind.RESET, null));
    }

    private void send(Kind kind, byte[] bytes) {
        if (torn) {
            return;
        }
        long arrival = network.nowMicros() + network.delayMicros(path);
        plan(new Segment(Math.max(lastArrivalMicros, arrival), kind, bytes));
    }

    private void plan(Segment segment) {
        lastArrivalMicros = segment.atMicros();
        inFlight.addLast(segment);
        network.after(segment.atMicros() - network.nowMicros(), this::arrive);
    }

    private void takeAcknowledgements() {
        while (!acknowledgements.isEmpty() && acknowledgements.peekFirst().atMicros() <= back.openUntilMicros()) {
            acknowledged = acknowledgements.removeFirst().upTo();
        }
    }

    private void planRoom() {
        if (!roomPlanned && !acknowledgements.isEmpty()) {
            roomPlanned = true;
            long delay = acknowledgements.peekFirst().atMicros() - network.nowMicros();
            network.after(delay, () -> back.arrive(this::lookForRoom));
        }
    }

    private void lookForRoom() {
        roomPlanned = false;
        takeAcknowledgements();
        if (full && written - acknowledged < network.habits().windowBytes()) {
            full = false;
            sender.hasRoom();
        } else if (full) {
            planRoom();
        }
    }

    // ---------------------------------------------------------------- on the way

    private void arrive() {
        if (held) {
            return;
        }
        if (path.isCut()) {
            held = true;
            path.arrive(() -> {
                held = false;
                arrive();
            });
            return;
        }
        boolean news = false;
        while (!inFlight.isEmpty() && inFlight.peekFirst().atMicros() <= network.nowMicros()) {
            news |= take(inFlight.removeFirst());
        }
        if (news) {
            receiver.hasNews();
        }
    }

    /** Whether the receiving process has something to notice. */
    private boolean take(Segment segment) {
        if (!receiver.isHostUp()) {
            return false;
        }
        if (receiver.isGone()) {
            if (segment.kind() != Kind.RESET) {
                receiver.answerReset();
            }
            return false;
        }
        switch (segment.kind()) {
            case DATA -> {
                network.arrived(segment.bytes().length);
                received.addLast(segment.bytes());
            }
            case END -> ended = true;
            case RESET -> resetArrived = true;
        }
        return true;
    }

    // ---------------------------------------------------------------- the receiver's side

    /** Whether a read would return bytes, the end or a failure. */
    boolean isReadable() {
        return !received.isEmpty() || ended || resetArrived;
    }

    boolean hasBytes() {
        return !received.isEmpty();
    }

    /** Whether the receiver knows that there is no connection any more. */
    boolean isReset() {
        return resetArrived;
    }

    /**
     * @param maxBytes positive
     * @return bytes, or null at the end
     * @throws IOException if the connection was reset
     */
    ByteBuf read(int maxBytes) throws IOException {
        byte[] head = received.peekFirst();
        if (head == null) {
            if (resetArrived) {
                throw new IOException("Connection reset by peer");
            }
            return null;
        }
        int size = Math.min(head.length - headOffset, maxBytes);
        ByteBuf bytes = Unpooled.wrappedBuffer(head, headOffset, size);
        headOffset += size;
        if (headOffset == head.length) {
            received.removeFirst();
            headOffset = 0;
        }
        read += size;
        acknowledgements.addLast(new Acknowledgement(network.nowMicros() + network.delayMicros(back), read));
        if (acknowledgements.size() > 1) {
            takeAcknowledgements();
        }
        if (full) {
            planRoom();
        }
        return bytes;
    }

    /** Bytes on the way and unread. */
    long bytes() {
        return written - read;
    }
}
