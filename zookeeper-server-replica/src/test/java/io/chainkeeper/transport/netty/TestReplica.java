package io.chainkeeper.transport.netty;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.transport.LinkStatistics;
import io.chainkeeper.transport.PeerAddress;
import io.chainkeeper.transport.StateResponder;
import io.chainkeeper.transport.TransportLimits;
import io.chainkeeper.transport.TransportSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * A transport with a listener that records, sending as a protocol host does: from one thread, after it saw the link
 * up.
 */
public final class TestReplica implements AutoCloseable {
    /** Quick enough for tests, generous enough for a busy machine. */
    public static final TransportLimits LIMITS =
            new TransportLimits(1 << 20, 8 << 20, 5_000, 20_000, 5, 50, 500, 20_000, 16, 4, 60_000, 30_000);

    public final int id;
    public final RecordingListener listener = new RecordingListener();
    public final NettyPeerTransport transport;
    private final Map<Integer, Integer> acknowledged = new HashMap<>();
    private volatile boolean closed;

    private TestReplica(TransportSettings settings, StateResponder responder) throws IOException {
        id = settings.replicaId();
        transport = new NettyPeerTransport(settings);
        if (responder != null) {
            transport.answerStateRequests(responder);
        }
        transport.start(listener);
    }

    /**
     * Starts a replica on a port that the system chooses.
     *
     * @param id its id
     * @param others addresses of the other members; those with larger ids are never used
     * @param changes to the settings
     */
    public static TestReplica start(
            int id, Map<Integer, PeerAddress> others, UnaryOperator<TransportSettings.Builder> changes)
            throws IOException {
        return start(id, others, changes, null);
    }

    /** The same with something that answers bulk requests. */
    public static TestReplica start(
            int id,
            Map<Integer, PeerAddress> others,
            UnaryOperator<TransportSettings.Builder> changes,
            StateResponder responder)
            throws IOException {
        Map<Integer, PeerAddress> members = new TreeMap<>(others);
        members.putIfAbsent(id, new PeerAddress("127.0.0.1", 0));
        TransportSettings.Builder builder =
                TransportSettings.builder(id, "chain", members).limits(LIMITS);
        return new TestReplica(changes.apply(builder).build(), responder);
    }

    /** An address for a member that this replica waits for. */
    public static Map<Integer, PeerAddress> expecting(int peer) {
        return Map.of(peer, new PeerAddress("127.0.0.1", 1));
    }

    public Map<Integer, PeerAddress> asPeer(int id) {
        return Map.of(id, new PeerAddress("127.0.0.1", port()));
    }

    public int port() {
        return address().getPort();
    }

    public InetSocketAddress address() {
        return transport.localAddress();
    }

    public void awaitUp(int peer) {
        Await.until(() -> "link to " + peer + " up; refused: " + listener.refusals(peer), () -> listener.isUp(peer));
    }

    public void awaitRefusal(int peer, String part) {
        Await.until(
                () -> "refusal of " + peer + " with '" + part + "' but " + listener.refusals(peer),
                () -> listener.refusals(peer).stream().anyMatch(reason -> reason.contains(part)));
    }

    public void send(int peer, byte[] frame) {
        acknowledge(peer);
        transport.send(peer, new ByteSlice[] {ByteSlice.of(frame)});
    }

    public void sendNow(int peer, String text) {
        send(peer, text.getBytes(StandardCharsets.UTF_8));
        transport.flush();
    }

    public void acknowledge(int peer) {
        int times = listener.timesUp(peer);
        while (acknowledged.getOrDefault(peer, 0) < times) {
            acknowledged.merge(peer, 1, Integer::sum);
            transport.acknowledgeUp(peer);
        }
    }

    public List<String> texts(int peer) {
        return listener.frames(peer).stream()
                .map(frame -> new String(frame.toByteArray(), StandardCharsets.UTF_8))
                .toList();
    }

    public void awaitText(int peer, String text) {
        Await.until(
                () -> "frame '" + text + "' from " + peer + " but " + texts(peer),
                () -> texts(peer).contains(text));
    }

    public LinkStatistics statistics(int peer) {
        return transport.statistics().get(peer);
    }

    public boolean isClosed() {
        return closed;
    }

    /** Also checks that the listener's contract was kept. */
    @Override
    public void close() {
        closed = true;
        transport.close();
        assertEquals(List.of(), listener.violations());
    }
}
