package io.chainkeeper.transport.link;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.transport.TransportLimits;
import io.chainkeeper.transport.TransportSettings;
import io.chainkeeper.transport.handshake.HandshakeMessage;
import io.chainkeeper.transport.io.FrameReader;
import io.chainkeeper.transport.netty.Await;
import io.chainkeeper.transport.netty.RawPeer;
import io.chainkeeper.transport.netty.TestReplica;
import java.io.DataInputStream;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.junit.After;
import org.junit.Test;

/** Links over which nothing comes, for good or bad reasons. */
public class SilentLinkTest {
    private static final int PING_MILLIS = 50;
    private static final int IDLE_MILLIS = 500;

    private TestReplica one;
    private TestReplica two;

    @After
    public void closeReplicas() {
        if (two != null) {
            two.close();
        }
        if (one != null) {
            one.close();
        }
    }

    private static UnaryOperator<TransportSettings.Builder> silence(int pingMillis, int idleMillis) {
        return settings -> settings.limits(TestReplica.LIMITS.withSilence(pingMillis, idleMillis));
    }

    @Test(timeout = 120_000)
    public void peerFallsSilent_linkIsClosed() throws Exception {
        one = TestReplica.start(1, TestReplica.expecting(2), silence(PING_MILLIS, IDLE_MILLIS));
        try (RawPeer silent = new RawPeer(one.address())) {
            // Before the link is up: this thread may be the last to learn that it was.
            long start = System.nanoTime();
            silent.join(2, 1);
            Await.until("up and closed", () -> one.listener.events(2).equals(List.of("up", "down")));
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
            assertTrue("closed after only " + millis + " ms", millis >= IDLE_MILLIS);
            silent.awaitClosed();
        }
    }

    @Test(timeout = 120_000)
    public void idleLink_carriesPings() throws Exception {
        one = TestReplica.start(1, TestReplica.expecting(2), silence(PING_MILLIS, 60_000));
        try (RawPeer peer = new RawPeer(one.address())) {
            peer.join(2, 1);
            DataInputStream in = new DataInputStream(peer.socket.getInputStream());
            for (int i = 0; i < 5; i++) {
                assertEquals(FrameReader.PING, in.readInt());
            }
        }
    }

    @Test(timeout = 120_000)
    public void peersHaveNothingToSay_pingsKeepTheLinkUp() throws Exception {
        TransportLimits limits = TestReplica.LIMITS.withSilence(50, 2_000).withHandshakes(4_000, 4);
        one = TestReplica.start(1, TestReplica.expecting(2), settings -> settings.limits(limits));
        two = TestReplica.start(2, one.asPeer(1), settings -> settings.limits(limits));
        one.awaitUp(2);
        two.awaitUp(1);
        try (RawPeer stranger = new RawPeer(two.address())) {
            // Cut off for its silence after twice the time that a silent link would be given.
            stranger.awaitClosed();
        }
        assertEquals(List.of("up"), one.listener.events(2));
        assertEquals(List.of("up"), two.listener.events(1));
        assertEquals(0, one.statistics(2).framesIn());
    }

    @Test(timeout = 120_000)
    public void readingIsPausedForLong_silenceDoesNotCount() throws Exception {
        one = TestReplica.start(1, TestReplica.expecting(2), silence(PING_MILLIS, IDLE_MILLIS));
        AtomicBoolean full = new AtomicBoolean(true);
        one.listener.answerFrames((peer, frame) -> !full.get());
        try (RawPeer peer = new RawPeer(one.address())) {
            peer.say(RawPeer.hello(2, 1)).hear();
            // In one piece: between the two the peer would be silent, and that would count.
            peer.sayAtOnce(RawPeer.encode(new HandshakeMessage.Accepted()), RawPeer.frame("stop"));
            DataInputStream in = new DataInputStream(peer.socket.getInputStream());
            for (int i = 0; i < 3 * IDLE_MILLIS / PING_MILLIS; i++) {
                assertEquals(FrameReader.PING, in.readInt());
            }
            assertEquals(List.of("up"), one.listener.events(2));

            full.set(false);
            one.transport.resumeReading(2);
            Await.until("silence counts again", () -> !one.listener.isUp(2));
        }
    }
}
