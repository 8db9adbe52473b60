package io.chainkeeper.simulation.host;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.simulation.host.HostSettings.LinkChoice;
import io.chainkeeper.simulation.time.Trace;
import io.chainkeeper.transport.PeerAddress;
import io.chainkeeper.transport.PeerTransport;
import io.chainkeeper.transport.StateChannel;
import io.chainkeeper.transport.StateResponder;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The links of one start of a replica. What happens on them the world says; over which link a message leaves, when that
 * is not certain, is the host's {@link LinkChoice}.
 */
public final class SimulatedLinks implements PeerTransport {
    /** Link epoch of a message that leaves over whatever link is up. */
    public static final long NEWEST_LINK = -1;

    private final ReplicaHost host;
    private final Frames frames;
    private final LinkChoice choice;
    private final World world;
    private final Trace trace;
    private final Map<Integer, Deque<Long>> unacknowledged = new TreeMap<>();
    private final Map<Integer, Long> known = new TreeMap<>();

    /** Of messages that wait for their records: the links that were known when they were asked for. */
    private final Map<Message, Map<Integer, Deque<Long>>> asked = new IdentityHashMap<>();

    private Listener listener;

    SimulatedLinks(ReplicaHost host, Frames frames, LinkChoice choice, World world, Trace trace) {
        this.host = host;
        this.frames = frames;
        this.choice = choice;
        this.world = world;
        this.trace = trace;
    }

    // ---------------------------------------------------------------- what happens on them

    /** A link is up. */
    void up(int peer, long linkEpoch) {
        unacknowledged.computeIfAbsent(peer, none -> new ArrayDeque<>()).addLast(linkEpoch);
        listener.onPeerUp(peer);
    }

    /** A link is down. */
    void down(int peer) {
        listener.onPeerDown(peer);
    }

    /** A frame arrives; returns whether the link is read on. */
    boolean arrived(int from, byte[] frame) {
        boolean isReadOn = listener.onFrame(from, ByteSlice.of(frame));
        listener.onFramesRead();
        return host.isReadOn(isReadOn);
    }

    // ---------------------------------------------------------------- the replica's side

    @Override
    public void start(Listener toBeTold) {
        listener = toBeTold;
    }

    @Override
    public void acknowledgeUp(int peer) {
        known.put(peer, unacknowledged.get(peer).removeFirst());
    }

    /** The protocol asks for a message that may have to wait. */
    void asked(int to, Message message) {
        if (choice == LinkChoice.KNOWN_WHEN_ASKED) {
            asked.computeIfAbsent(message, none -> new TreeMap<>())
                    .computeIfAbsent(to, none -> new ArrayDeque<>())
                    .addLast(linkTo(to));
        }
    }

    private long linkTo(int to) {
        return choice == LinkChoice.NEWEST ? NEWEST_LINK : known.getOrDefault(to, 0L);
    }

    private long linkOf(int to, Message message) {
        Map<Integer, Deque<Long>> links = asked.get(message);
        if (links == null || !links.containsKey(to)) {
            return linkTo(to);
        }
        long link = links.get(to).removeFirst();
        if (links.get(to).isEmpty()) {
            links.remove(to);
        }
        if (links.isEmpty()) {
            asked.remove(message);
        }
        return link;
    }

    @Override
    public void send(int to, ByteSlice[] parts) {
        Message message = frames.leaving();
        byte[] frame = Frames.bytes(parts);
        trace.mix(Arrays.hashCode(frame));
        trace.record(host.id(), "sends to", to, message);
        world.send(host, to, linkOf(to, message), frame);
    }

    @Override
    public void flush() {
        // Frames leave at once.
    }

    @Override
    public boolean execute(Runnable task) {
        if (listener == null) {
            return false;
        }
        world.linksWork(host, () -> host.workOfLinks(task));
        return true;
    }

    @Override
    public void resumeReading(int peer) {
        world.readAgain(host, peer);
    }

    @Override
    public void disconnect(int peer, String reason) {
        throw new InvariantViolated("replica " + host.id() + " ends its link to " + peer + ": " + reason);
    }

    @Override
    public void setPeers(Map<Integer, PeerAddress> peers) {
        // All links are there.
    }

    @Override
    public void answerStateRequests(StateResponder responder) {
        throw new InvariantViolated("states are the simulator's business");
    }

    @Override
    public StateChannel openStateChannel(int peer) throws IOException {
        throw new IOException("states are the simulator's business");
    }

    @Override
    public void tellOccupancy(Occupancy occupancy) {
        // Frames leave at once.
    }

    @Override
    public void close() {
        // Nothing is open.
    }
}
