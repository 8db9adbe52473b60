package io.chainkeeper.simulation.link;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.transport.PeerTransport;
import io.chainkeeper.transport.RefusalKind;
import io.chainkeeper.transport.StateChannel;
import io.chainkeeper.transport.StateResponder;
import io.chainkeeper.transport.netty.NettyPeerTransport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;

/**
 * A process that sends numbered frames over its links and checks those that come: what a protocol's host does, without
 * the protocol. Its sending thread learns of the links some time after the I/O thread has.
 */
final class LinkedHost implements PeerTransport.Listener, StateResponder {
    static final String LISTENER_FAILS = "the listener fails";

    private static final int HEADER_BYTES = 3 * Long.BYTES;
    private static final int MAX_UNWANTED_BYTES = 1 << 17;

    /** What arrives from one peer, as long as one connection is up. */
    private static final class Incoming {
        private boolean up;
        private boolean unwanted;
        private long unwantedBytes;
        private long session = -1;
        private long frames;
        private long lastIncarnation = -1;
        private long lastSession = -1;
        private ByteSlice kept;
    }

    /** A connection as the sending thread knows it. */
    private static final class Outgoing {
        private final long session;
        private long next;

        Outgoing(long session) {
            this.session = session;
        }
    }

    private final LinkRun run;
    private final int id;
    private final long incarnation;
    private final VirtualProcess process;
    private final Map<Integer, Incoming> incoming = new TreeMap<>();
    private final Map<Integer, Outgoing> outgoing = new TreeMap<>();
    private final Deque<Runnable> inbox = new ArrayDeque<>();
    private NettyPeerTransport transport;
    private long lastSession;
    private boolean asking;

    LinkedHost(LinkRun run, int id, long incarnation, VirtualProcess process) {
        this.run = run;
        this.id = id;
        this.incarnation = incarnation;
        this.process = process;
    }

    void start(NettyPeerTransport own) throws IOException {
        transport = own;
        transport.answerStateRequests(this);
        transport.start(this);
    }

    int id() {
        return id;
    }

    long incarnation() {
        return incarnation;
    }

    VirtualProcess process() {
        return process;
    }

    NettyPeerTransport transport() {
        return transport;
    }

    // ---------------------------------------------------------------- the listener, on the I/O thread

    private Incoming from(int peer) {
        InvariantViolated.check(!process.isDead(), "a process tells something that is dead");
        return incoming.computeIfAbsent(peer, none -> new Incoming());
    }

    private void fail() {
        if (run.mutates(LinkMutant.LISTENER_FAILS)) {
            throw new InvariantViolated(LISTENER_FAILS);
        }
    }

    @Override
    public void onPeerUp(int peer) {
        Incoming in = from(peer);
        InvariantViolated.check(!in.up, "replica %d is told twice that the link to %d is up", id, peer);
        in.up = true;
        in.session = -1;
        in.frames = 0;
        run.count("up");
        if (run.mutant() == LinkMutant.ACKNOWLEDGED_TOO_SOON) {
            transport.acknowledgeUp(peer);
        }
        if (run.mutant() == LinkMutant.BUFFERS_LEAK) {
            process.memory().heapBuffer(1 << 12);
        }
        hand(() -> {
            if (run.mutant() != LinkMutant.ACKNOWLEDGED_TOO_SOON) {
                transport.acknowledgeUp(peer);
            }
            outgoing.put(peer, new Outgoing(++lastSession));
        });
        fail();
    }

    @Override
    public void onPeerDown(int peer) {
        Incoming in = from(peer);
        InvariantViolated.check(in.up, "replica %d is told twice that the link to %d is down", id, peer);
        run.count("down");
        if (run.mutant() != LinkMutant.DOWN_NOT_TOLD) {
            in.up = false;
        }
        if (in.kept != null && run.mutant() == LinkMutant.FRAME_AFTER_DOWN) {
            ByteSlice late = in.kept;
            in.kept = null;
            check(peer, in, late);
        }
        hand(() -> outgoing.remove(peer));
        fail();
    }

    @Override
    public boolean onFrame(int peer, ByteSlice frame) {
        Incoming in = from(peer);
        run.count("frames");
        if (run.mutates(LinkMutant.FRAME_LOST)) {
            return true;
        }
        if (run.mutates(LinkMutant.FRAME_AFTER_DOWN) || run.mutates(LinkMutant.FRAMES_SWAPPED)) {
            if (in.kept == null) {
                in.kept = frame;
                return true;
            }
        }
        if (run.mutates(LinkMutant.BYTE_CHANGED) && frame.length() > HEADER_BYTES) {
            byte[] other = frame.toByteArray();
            other[HEADER_BYTES]++;
            check(peer, in, ByteSlice.of(other));
            return true;
        }
        check(peer, in, frame);
        if (in.kept != null && run.mutant() == LinkMutant.FRAMES_SWAPPED) {
            check(peer, in, in.kept);
            in.kept = null;
        }
        return !stopsReading(peer, in, frame);
    }

    /** Whether no more frames are wanted for a while. */
    private boolean stopsReading(int peer, Incoming in, ByteSlice frame) {
        if (in.unwanted) {
            in.unwantedBytes += frame.length();
            InvariantViolated.check(
                    in.unwantedBytes <= MAX_UNWANTED_BYTES,
                    "replica %d gets %d bytes of %d though it wants none",
                    id,
                    in.unwantedBytes,
                    peer);
            return run.mutant() != LinkMutant.PAUSE_IGNORED;
        }
        if (!run.pausesReading()) {
            return false;
        }
        run.count("pauses of reading");
        in.unwanted = true;
        in.unwantedBytes = 0;
        run.later(run.pauseMicros(), () -> {
            if (!process.isDead() && in.unwanted) {
                in.unwanted = false;
                transport.resumeReading(peer);
            }
        });
        return run.mutant() != LinkMutant.PAUSE_IGNORED;
    }

    private void check(int peer, Incoming in, ByteSlice frame) {
        InvariantViolated.check(in.up, "replica %d gets a frame of %d while the link is down", id, peer);
        ByteBuffer bytes = ByteBuffer.wrap(frame.toByteArray());
        long sender = bytes.getLong();
        long session = bytes.getLong();
        long number = bytes.getLong();
        InvariantViolated.check(
                number == in.frames && (in.frames == 0 || session == in.session && sender == in.lastIncarnation),
                "replica %d gets frame %d of connection %d of start %d of %d, expected frame %d of %d of %d",
                id,
                number,
                session,
                sender,
                peer,
                in.frames,
                in.session,
                in.lastIncarnation);
        InvariantViolated.check(
                in.frames > 0 || sender != in.lastIncarnation || session > in.lastSession,
                "replica %d gets frames of connection %d of %d over the one after",
                id,
                session,
                peer);
        while (bytes.hasRemaining()) {
            InvariantViolated.check(
                    bytes.get() == (byte) (number + bytes.remaining()), "a frame of %d has other bytes", peer);
        }
        in.frames++;
        in.session = session;
        in.lastSession = session;
        in.lastIncarnation = sender;
    }

    @Override
    public void onFramesRead() {
        // The I/O thread usually runs the protocol.
        if (run.sendsOnLinksThread()) {
            work();
        }
    }

    @Override
    public void onPeerRefused(int peer, RefusalKind kind, String reason) {
        fail();
        from(peer);
        run.count("refusals");
    }

    // ---------------------------------------------------------------- the sending thread

    private void hand(Runnable news) {
        inbox.add(news);
        run.later(run.handOverMicros(), this::work);
    }

    /** Takes notice of some of what it was told of the links, and sends something, unless the process stands still. */
    void work() {
        if (process.isDead() || process.isPaused()) {
            return;
        }
        while (!inbox.isEmpty() && run.noticesOneMore()) {
            inbox.remove().run();
        }
        if (!inbox.isEmpty()) {
            run.later(run.handOverMicros(), this::work);
        }
        outgoing.forEach((peer, link) -> {
            for (int left = run.framesAtOnce(); left > 0; left--) {
                transport.send(peer, frame(link.session, link.next++, run.frameBytes()));
            }
        });
        transport.flush();
        transport.statistics().forEach((peer, link) -> {
            long bound = run.mutant() == LinkMutant.OUTBOUND_UNBOUNDED
                    ? 0
                    : run.limits().maxOutboundBytesPerLink() + LinkLimits.MAX_FRAME_BYTES + Integer.BYTES;
            InvariantViolated.check(
                    link.outboundQueueBytes() <= bound,
                    "%d bytes wait for %d at replica %d",
                    link.outboundQueueBytes(),
                    peer,
                    id);
        });
    }

    private ByteSlice[] frame(long session, long number, int size) {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
        header.putLong(incarnation).putLong(session).putLong(number);
        byte[] body = new byte[size];
        for (int i = 0; i < size; i++) {
            body[i] = (byte) (number + size - 1 - i);
        }
        return new ByteSlice[] {ByteSlice.of(header.array()), ByteSlice.of(body)};
    }

    /** Whether a link is up at both its ends' sending threads. */
    boolean isLinkedTo(int peer) {
        Incoming in = incoming.get(peer);
        return in != null && in.up && outgoing.containsKey(peer);
    }

    long framesOver(int peer) {
        Incoming in = incoming.get(peer);
        return in == null || !in.up ? 0 : in.frames;
    }

    // ---------------------------------------------------------------- bulk requests

    @Override
    public ByteSlice answer(int peer, ByteSlice request) throws IOException {
        InvariantViolated.check(!process.isDead(), "a process answers that is dead");
        if (run.refusesToAnswer()) {
            throw new IOException("this replica does not feel like it");
        }
        int from = run.mutates(LinkMutant.ANSWER_OF_ANOTHER) ? id + 1 : id;
        return answerOf(from, request);
    }

    private static ByteSlice answerOf(int replica, ByteSlice request) {
        byte[] bytes = new byte[request.length() * (1 + replica)];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (replica ^ request.array()[request.offset() + i % request.length()]);
        }
        return ByteSlice.of(bytes);
    }

    /** Asks another process a few times; returns whether all was answered. */
    boolean ask(int peer, int times) {
        if (asking || process.isDead() || process.isPaused()) {
            return false;
        }
        asking = true;
        boolean[] answered = new boolean[1];
        process.runBlocking(() -> answered[0] = askOver(peer, times));
        asking = false;
        return answered[0];
    }

    private boolean askOver(int peer, int times) {
        try (StateChannel channel = transport.openStateChannel(peer)) {
            for (int i = 0; i < times; i++) {
                ByteSlice request = frame(peer, i, run.frameBytes())[1];
                if (request.length() > 0) {
                    ByteSlice answer = channel.call(request);
                    InvariantViolated.check(answer.equals(answerOf(peer, request)), "another answer of %d", peer);
                    run.count("answers");
                }
            }
            return true;
        } catch (IOException e) {
            run.count("requests that failed");
            return false;
        }
    }
}
