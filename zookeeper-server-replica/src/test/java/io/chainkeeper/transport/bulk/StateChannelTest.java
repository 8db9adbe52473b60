package io.chainkeeper.transport.bulk;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.transport.PeerAddress;
import io.chainkeeper.transport.StateChannel;
import io.chainkeeper.transport.StateResponder;
import io.chainkeeper.transport.TransportSettings;
import io.chainkeeper.transport.handshake.HandshakeMessage;
import io.chainkeeper.transport.handshake.HandshakeMessage.Purpose;
import io.chainkeeper.transport.netty.Await;
import io.chainkeeper.transport.netty.RawPeer;
import io.chainkeeper.transport.netty.TestReplica;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.Test;

/** Bulk requests and answers between two replicas. */
public class StateChannelTest extends StateChannelPair {
    private static final int IDLE_LIMIT_MILLIS = 1_000;

    private final AtomicReference<StateResponder> responder =
            new AtomicReference<>((peer, request) -> text(peer + " asked " + text(request)));

    private void startPair() throws IOException {
        startPair(UnaryOperator.identity());
    }

    private void startPair(UnaryOperator<TransportSettings.Builder> changes) throws IOException {
        startPair((peer, request) -> responder.get().answer(peer, request), changes);
    }

    private static UnaryOperator<TransportSettings.Builder> limits(int connections, int idle, int answer) {
        return settings -> settings.limits(TestReplica.LIMITS.withStateConnections(connections, idle, answer));
    }

    /** Joins and asks in one piece, as between the two a connection is idle; the answer shows that it has its place. */
    private static String joinAndAsk(RawPeer peer, String text) throws Exception {
        peer.say(RawPeer.hello(2, 1, Purpose.STATE)).hear();
        peer.sayAtOnce(RawPeer.encode(new HandshakeMessage.Accepted()), RawPeer.frame(text));
        DataInputStream in = new DataInputStream(peer.socket.getInputStream());
        return new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
    }

    private static ByteSlice text(String text) {
        return ByteSlice.of(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(ByteSlice bytes) {
        return new String(bytes.toByteArray(), StandardCharsets.UTF_8);
    }

    @Test(timeout = 120_000)
    public void eitherAsks_isAnsweredByTheOther() throws Exception {
        startPair();
        try (StateChannel fromOne = one.transport.openStateChannel(2);
                StateChannel fromTwo = two.transport.openStateChannel(1)) {
            for (int i = 0; i < 100; i++) {
                assertEquals("1 asked " + i, text(fromOne.call(text("" + i))));
                assertEquals("2 asked " + i, text(fromTwo.call(text("" + i))));
            }
        }
    }

    @Test(timeout = 120_000)
    public void requestsAndAnswersAsLongAsAllowed_arriveWhileLinkFramesFlow() throws Exception {
        startPair();
        byte[] longest = new byte[StateChannel.MAX_ANSWER_BYTES];
        new Random(7).nextBytes(longest);
        ByteSlice request = ByteSlice.of(longest, 3, StateChannel.MAX_REQUEST_BYTES);
        List<Boolean> arrivedWhole = new ArrayList<>();
        responder.set((peer, asked) -> {
            arrivedWhole.add(asked.equals(request));
            return ByteSlice.of(longest);
        });
        try (StateChannel channel = two.transport.openStateChannel(1)) {
            for (int i = 0; i < 20; i++) {
                one.sendNow(2, "frame " + i);
                assertEquals(ByteSlice.of(longest), channel.call(request));
            }
        }
        two.awaitText(1, "frame 19");
        assertEquals(20, two.texts(1).size());
        assertFalse(arrivedWhole.contains(false));
        assertEquals(List.of("up"), two.listener.events(1));
    }

    @Test(timeout = 120_000)
    public void emptyRequestAndAnswer_arrive() throws Exception {
        startPair();
        responder.set((peer, request) -> request);
        try (StateChannel channel = one.transport.openStateChannel(2)) {
            assertEquals(0, channel.call(ByteSlice.EMPTY).length());
            assertEquals(0, channel.call(ByteSlice.EMPTY).length());
        }
    }

    @Test(timeout = 120_000)
    public void requestTooLong_isADefectOfTheCaller() throws Exception {
        startPair();
        try (StateChannel channel = one.transport.openStateChannel(2)) {
            ByteSlice tooLong = ByteSlice.of(new byte[StateChannel.MAX_REQUEST_BYTES + 1]);
            assertThrows(InvariantViolated.class, () -> channel.call(tooLong));
        }
    }

    @Test(timeout = 120_000)
    public void responderRefuses_connectionIsClosedAndTheNextOneWorks() throws Exception {
        startPair();
        StateResponder polite = responder.get();
        responder.set((peer, request) -> {
            throw new IOException("that file is gone");
        });
        try (StateChannel channel = one.transport.openStateChannel(2)) {
            assertContains(failure(channel), "replica 2", "closed by the other side");
            assertContains(failure(channel), "replica 2", "closed by the other side");
        }
        responder.set(polite);
        try (StateChannel channel = one.transport.openStateChannel(2)) {
            assertEquals("1 asked again", text(channel.call(text("again"))));
        }
    }

    @Test(timeout = 120_000)
    public void responderFails_connectionIsClosedAndTheDefectIsNotSwallowed() throws Exception {
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        AtomicReference<Throwable> uncaught = new AtomicReference<>();
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> uncaught.set(thrown));
        try {
            startPair();
            responder.set((peer, request) -> ByteSlice.of(new byte[StateChannel.MAX_ANSWER_BYTES + 1]));
            try (StateChannel channel = one.transport.openStateChannel(2)) {
                assertContains(failure(channel), "closed by the other side");
            }
            Await.until("the handler is told", () -> uncaught.get() instanceof InvariantViolated);
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
    }

    @Test(timeout = 120_000)
    public void moreThanAllowed_areRefusedUntilOneIsFree() throws Exception {
        startPair();
        List<StateChannel> open = new ArrayList<>();
        List<RawPeer> raw = new ArrayList<>();
        try {
            for (int i = 0; i < 4; i++) {
                RawPeer peer = new RawPeer(one.address());
                raw.add(peer);
                assertEquals("2 asked x", joinAndAsk(peer, "x"));
            }
            String refused = assertThrows(IOException.class, () -> two.transport.openStateChannel(1))
                    .getMessage();
            assertContains(refused, "replica 1", "at most 4", "try again later");

            raw.get(2).close();
            Await.until("a place is free", () -> {
                try {
                    return open.add(two.transport.openStateChannel(1));
                } catch (IOException e) {
                    return false;
                }
            });
            assertEquals("2 asked x", text(open.get(0).call(text("x"))));
        } finally {
            for (RawPeer peer : raw) {
                peer.close();
            }
            for (StateChannel channel : open) {
                channel.close();
            }
        }
        assertEquals(List.of(), two.listener.refusals(1));
        assertEquals(List.of(), one.listener.refusals(2));
    }

    @Test(timeout = 120_000)
    public void closedWhileTheResponderWorks_placeIsFreeOnlyWhenItReturns() throws Exception {
        startPair(limits(1, 60_000, 60_000));
        responder.set(this::hold);
        try (RawPeer raw = new RawPeer(one.address())) {
            raw.join(2, 1, Purpose.STATE).sayFrame("first").finish().awaitClosed();
        }
        assertThrows(IOException.class, () -> two.transport.openStateChannel(1));

        letGo.countDown();

        Await.until("a place is free", () -> {
            try (StateChannel channel = two.transport.openStateChannel(1)) {
                return text(channel.call(text("x"))).equals("x");
            } catch (IOException e) {
                return false;
            }
        });
    }

    @Test(timeout = 120_000)
    public void moreOpenedThanAllowed_callerIsTold() throws Exception {
        startPair();
        try (TestReplica three = TestReplica.start(3, two.asPeer(2), limits(1, 60_000, 60_000))) {
            two.transport.setPeers(
                    Map.of(1, one.asPeer(1).get(1), 3, three.asPeer(3).get(3)));
            three.awaitUp(2);
            try (StateChannel open = three.transport.openStateChannel(2)) {
                String refused = assertThrows(IOException.class, () -> three.transport.openStateChannel(2))
                        .getMessage();
                assertContains(refused, "replica 2", "as many open as it may");
                assertEquals("3 asked x", text(open.call(text("x"))));
            }
        }
    }

    @Test(timeout = 120_000)
    public void nothingIsAsked_acceptedConnectionIsClosed() throws Exception {
        startPair(limits(4, IDLE_LIMIT_MILLIS, 60_000));
        try (StateChannel channel = two.transport.openStateChannel(1);
                RawPeer asked = new RawPeer(one.address())) {
            assertEquals("2 asked x", joinAndAsk(asked, "x"));
            // Begun later and closed before: by then the first have been idle for too long, too.
            for (int i = 0; i < 2; i++) {
                try (RawPeer idle = new RawPeer(one.address())) {
                    idle.join(2, 1, Purpose.STATE).awaitClosed();
                }
            }
            asked.awaitClosed();
            assertContains(failure(channel), "closed by the other side");
        }
        assertEquals(List.of("up"), one.listener.events(2));
    }

    @Test(timeout = 120_000)
    public void responderIsSlow_connectionIsNotIdle() throws Exception {
        startPair(limits(4, IDLE_LIMIT_MILLIS, 60_000));
        responder.set((peer, request) -> {
            // Longer than the limit of idleness: connections that are idle come and go meanwhile.
            for (int i = 0; i < 3; i++) {
                try (RawPeer idle = new RawPeer(one.address())) {
                    idle.join(2, 1, Purpose.STATE).awaitClosed();
                } catch (Exception e) {
                    throw new IOException(e);
                }
            }
            return text("at last");
        });
        try (RawPeer asked = new RawPeer(one.address())) {
            assertEquals("at last", joinAndAsk(asked, "x"));
        }
    }

    @Test(timeout = 120_000)
    public void noAnswerComes_callerIsTold() throws Exception {
        startPair(limits(4, 60_000, 100));
        responder.set(this::hold);
        try (StateChannel channel = one.transport.openStateChannel(2)) {
            assertContains(failure(channel), "replica 2", "nothing arrived for 100 ms");
            assertContains(failure(channel), "replica 2", "nothing arrived for 100 ms");
        }
    }

    @Test(timeout = 120_000)
    public void callerIsInterrupted_callEnds() throws Exception {
        startPair();
        responder.set(this::hold);
        try (StateChannel channel = one.transport.openStateChannel(2)) {
            Thread.currentThread().interrupt();
            assertThrows(InterruptedIOException.class, () -> channel.call(text("?")));
            assertTrue(Thread.interrupted());
            Thread.currentThread().interrupt();
            assertThrows(InterruptedIOException.class, () -> one.transport.openStateChannel(2));
            assertTrue(Thread.interrupted());
        }
    }

    @Test(timeout = 120_000)
    public void channelIsClosedByAnotherThread_callEnds() throws Exception {
        startPair();
        CountDownLatch asked = new CountDownLatch(1);
        responder.set((peer, request) -> {
            asked.countDown();
            return hold(peer, request);
        });
        StateChannel channel = one.transport.openStateChannel(2);
        Thread closing = new Thread(() -> {
            try {
                asked.await();
                channel.close();
            } catch (InterruptedException | IOException e) {
                throw new IllegalStateException(e);
            }
        });
        closing.start();
        assertContains(failure(channel), "this replica closed it");
        closing.join();
    }

    @Test(timeout = 120_000)
    public void peerStops_callEndsAndNothingCanBeOpened() throws Exception {
        startPair();
        CountDownLatch asked = new CountDownLatch(1);
        responder.set((peer, request) -> {
            asked.countDown();
            return hold(peer, request);
        });
        StateChannel channel = one.transport.openStateChannel(2);
        Thread stopping = new Thread(() -> {
            try {
                asked.await();
                two.close();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        stopping.start();
        assertContains(failure(channel), "replica 2");
        stopping.join();
        assertContains(
                assertThrows(IOException.class, () -> one.transport.openStateChannel(2))
                        .getMessage(),
                "replica 2",
                "refused");
    }

    @Test(timeout = 120_000)
    public void transportIsClosed_channelsAreToo() throws Exception {
        startPair();
        StateChannel channel = one.transport.openStateChannel(2);
        one.close();
        assertContains(failure(channel), "this replica stops");
        assertThrows(IOException.class, () -> one.transport.openStateChannel(2));
    }

    @Test(timeout = 120_000)
    public void peerIsRemoved_itsConnectionsEnd() throws Exception {
        startPair();
        try (StateChannel fromOne = one.transport.openStateChannel(2);
                StateChannel fromTwo = two.transport.openStateChannel(1)) {
            assertEquals("2 asked x", text(fromTwo.call(text("x"))));
            one.transport.setPeers(Map.of());
            Await.until("one drops it", () -> !one.listener.isUp(2));
            assertContains(failure(fromOne), "no member any more");
            assertContains(failure(fromTwo), "replica 1");
            assertContains(
                    assertThrows(IOException.class, () -> two.transport.openStateChannel(1))
                            .getMessage(),
                    "replica 1",
                    "not a member");
        }
    }

    @Test(timeout = 120_000)
    public void nobodyAnswers_isRefusedWithTheReason() throws Exception {
        one = TestReplica.start(1, TestReplica.expecting(2), UnaryOperator.identity());
        two = TestReplica.start(2, one.asPeer(1), UnaryOperator.identity());
        String refused = assertThrows(IOException.class, () -> two.transport.openStateChannel(1))
                .getMessage();
        assertContains(refused, "replica 1", "does not answer bulk requests");
    }

    @Test(timeout = 120_000)
    public void nameCannotBeResolved_callerIsTold() throws Exception {
        one = TestReplica.start(1, Map.of(2, new PeerAddress("two.invalid", 1)), UnaryOperator.identity());
        String reason = assertThrows(IOException.class, () -> one.transport.openStateChannel(2))
                .getMessage();
        assertContains(reason, "replica 2 at two.invalid:1", "cannot be resolved");
    }
}
