package io.chainkeeper.transport.bulk;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.transport.PeerAddress;
import io.chainkeeper.transport.StateChannel;
import io.chainkeeper.transport.handshake.HandshakeMessage;
import io.chainkeeper.transport.handshake.HandshakeMessage.Purpose;
import io.chainkeeper.transport.handshake.HandshakeMessage.Refused;
import io.chainkeeper.transport.netty.RawPeer;
import io.chainkeeper.transport.netty.TestReplica;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.Test;

/** Peers that do not keep to the rules of bulk requests. */
public class StateChannelMisuseTest extends StateChannelPair {
    private final AtomicReference<String> failureToOpen = new AtomicReference<>();

    @Test(timeout = 120_000)
    public void announcedRequestTooLong_connectionIsClosedAndOthersAreNot() throws Exception {
        startPair((peer, request) -> request, UnaryOperator.identity());
        try (StateChannel channel = two.transport.openStateChannel(1);
                RawPeer raw = new RawPeer(one.address())) {
            raw.join(2, 1, Purpose.STATE);
            raw.say(ByteBuffer.allocate(4)
                    .putInt(StateChannel.MAX_REQUEST_BYTES + 1)
                    .array());
            raw.awaitClosed();
            assertEquals(0, channel.call(ByteSlice.EMPTY).length());
        }
        assertEquals(List.of("up"), one.listener.events(2));
    }

    @Test(timeout = 120_000)
    public void askedAgainBeforeTheAnswer_connectionIsClosed() throws Exception {
        startPair(this::hold, UnaryOperator.identity());
        try (RawPeer raw = new RawPeer(one.address())) {
            raw.join(2, 1, Purpose.STATE);
            raw.sayAtOnce(RawPeer.frame("first"), RawPeer.frame("second"));
            raw.awaitClosed();
        }
    }

    @Test(timeout = 120_000)
    public void otherCluster_isRefusedWithTheReason() throws Exception {
        one = TestReplica.start(1, TestReplica.expecting(2), settings -> settings.clusterId(() -> 5));
        try (RawPeer raw = new RawPeer(one.address())) {
            raw.say(new HandshakeMessage.Hello(2, 1, 0, 6, 0, Purpose.STATE, "chain"));
            Refused refused = (Refused) raw.hear();
            assertContains(refused.reason(), "another cluster");
        }
    }

    /** What replica 2 does once replica 1 has said its hello on a bulk connection. */
    private interface Script {
        void play(RawPeer accepted, Thread opening) throws Exception;
    }

    /** The larger id opens the links: what replica 1 opens to replica 2 is a bulk connection. */
    private void playReplicaTwo(AtomicReference<StateChannel> opened, Script script) throws Exception {
        try (ServerSocket fake = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            one = TestReplica.start(
                    1, Map.of(2, new PeerAddress("127.0.0.1", fake.getLocalPort())), UnaryOperator.identity());
            Thread opening = new Thread(() -> {
                try {
                    opened.set(one.transport.openStateChannel(2));
                } catch (IOException e) {
                    failureToOpen.set(e.getMessage());
                }
            });
            opening.start();
            try (RawPeer accepted = new RawPeer(fake.accept())) {
                assertEquals(Purpose.STATE, ((HandshakeMessage.Hello) accepted.hear()).purpose());
                script.play(accepted, opening);
            }
            opening.join();
        }
    }

    private static void accept(RawPeer accepted, Thread opening) throws Exception {
        accepted.say(RawPeer.hello(2, 1, Purpose.STATE));
        assertTrue(accepted.hear() instanceof HandshakeMessage.Accepted);
        opening.join();
    }

    @Test(timeout = 120_000)
    public void answerTooLong_callerIsTold() throws Exception {
        AtomicReference<StateChannel> channel = new AtomicReference<>();
        playReplicaTwo(channel, (accepted, opening) -> {
            accept(accepted, opening);
            accepted.say(ByteBuffer.allocate(4)
                    .putInt(StateChannel.MAX_ANSWER_BYTES + 1)
                    .array());
            assertContains(failure(channel.get()), "replica 2", "announced a frame of");
        });
    }

    @Test(timeout = 120_000)
    public void answerToNothing_channelIsOfNoMoreUse() throws Exception {
        AtomicReference<StateChannel> channel = new AtomicReference<>();
        playReplicaTwo(channel, (accepted, opening) -> {
            accept(accepted, opening);
            accepted.sayFrame("unasked").awaitClosed();
            assertContains(failure(channel.get()), "replica 2", "an answer to nothing");
        });
    }

    @Test(timeout = 120_000)
    public void answersForAnotherPurpose_isRefused() throws Exception {
        playReplicaTwo(new AtomicReference<>(), (accepted, opening) -> {
            accepted.say(RawPeer.hello(2, 1, Purpose.LINK));
            assertTrue(accepted.hear() instanceof Refused);
        });
        assertContains(failureToOpen.get(), "replica 2", "for LINK instead");
    }
}
