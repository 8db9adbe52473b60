package io.chainkeeper.transport.handshake;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.transport.TransportSettings;
import io.chainkeeper.transport.netty.RawPeer;
import io.chainkeeper.transport.netty.TestReplica;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** Anything may reach the port. Nothing of it may disturb a link that is up. */
public class StrangersTest {
    private TestReplica one;
    private TestReplica two;

    private final AtomicReference<Throwable> defect = new AtomicReference<>();
    private Thread.UncaughtExceptionHandler handlerBefore;

    @Before
    public void startPair() throws Exception {
        handlerBefore = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> defect.set(failure));
        // Too long to be the reason why anybody is cut off.
        UnaryOperator<TransportSettings.Builder> limits =
                settings -> settings.limits(TestReplica.LIMITS.withHandshakes(600_000, 4));
        one = TestReplica.start(1, TestReplica.expecting(2), limits);
        two = TestReplica.start(2, one.asPeer(1), limits);
        one.awaitUp(2);
        two.awaitUp(1);
    }

    @After
    public void linkIsUndisturbed() {
        two.sendNow(1, "still here");
        one.awaitText(2, "still here");
        assertEquals(List.of("up"), one.listener.events(2));
        two.close();
        one.close();
        Thread.setDefaultUncaughtExceptionHandler(handlerBefore);
        assertEquals(null, defect.get());
    }

    @Test(timeout = 120_000)
    public void garbage_isCutOff() throws Exception {
        for (String text : List.of("ruok", "GET / HTTP/1.1\r\n\r\n", "\0\0\0\0\0\0\0\0", "x")) {
            try (RawPeer stranger = new RawPeer(one.address())) {
                stranger.say(text.getBytes()).awaitClosed();
            }
        }
    }

    @Test(timeout = 120_000)
    public void frameInsteadOfHello_isCutOff() throws Exception {
        try (RawPeer stranger = new RawPeer(one.address())) {
            stranger.sayFrame("let me in").awaitClosed();
        }
        assertTrue(one.texts(2).isEmpty());
    }

    @Test(timeout = 120_000)
    public void framesBeforeAcceptance_areNotDelivered() throws Exception {
        try (RawPeer stranger = new RawPeer(one.address())) {
            stranger.sayAtOnce(RawPeer.encode(RawPeer.hello(2, 1)), RawPeer.frame("too early"))
                    .awaitClosed();
        }
        assertTrue(one.texts(2).isEmpty());
    }

    @Test(timeout = 120_000)
    public void acceptanceWithoutHello_isCutOff() throws Exception {
        try (RawPeer stranger = new RawPeer(one.address())) {
            stranger.say(new HandshakeMessage.Accepted()).awaitClosed();
        }
    }

    @Test(timeout = 120_000)
    public void everyTruncatedHello_isForgottenWhenItsConnectionCloses() throws Exception {
        byte[] hello = RawPeer.encode(RawPeer.hello(2, 1));
        for (int length = 0; length <= hello.length; length++) {
            try (RawPeer stranger = new RawPeer(one.address())) {
                stranger.say(java.util.Arrays.copyOf(hello, length));
            }
        }
    }

    @Test(timeout = 120_000)
    public void oversizedHello_isCutOff() throws Exception {
        ByteBuffer envelope = ByteBuffer.allocate(9).putInt(HandshakeMessage.MAGIC);
        envelope.putShort((short) 1).put((byte) 1).putShort((short) 0xffff);
        try (RawPeer stranger = new RawPeer(one.address())) {
            stranger.say(envelope.array()).awaitClosed();
        }
    }

    @Test(timeout = 120_000)
    public void moreSilentConnectionsThanAllowed_oldestAreClosed() throws Exception {
        List<RawPeer> silent = new ArrayList<>();
        try {
            for (int i = 0; i < 10; i++) {
                silent.add(new RawPeer(one.address()));
            }
            for (int i = 0; i < 6; i++) {
                silent.get(i).awaitClosed();
            }
        } finally {
            for (RawPeer peer : silent) {
                peer.close();
            }
        }
    }

    @Test(timeout = 120_000)
    public void randomBytes_changeNothing() throws Exception {
        Random random = new Random(11);
        byte[] hello = RawPeer.encode(RawPeer.hello(2, 1));
        for (int round = 0; round < 300; round++) {
            byte[] bytes = new byte[random.nextInt(200)];
            random.nextBytes(bytes);
            int honest = random.nextInt(hello.length);
            System.arraycopy(hello, 0, bytes, 0, Math.min(honest, bytes.length));
            try (RawPeer stranger = new RawPeer(one.address())) {
                stranger.say(bytes).finish().awaitClosed();
            }
        }
    }
}
