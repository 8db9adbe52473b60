package io.chainkeeper.transport.link;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.transport.PeerAddress;
import io.chainkeeper.transport.StateChannel;
import io.chainkeeper.transport.TransportLimits;
import io.chainkeeper.transport.handshake.HandshakeMessage.Purpose;
import io.chainkeeper.transport.netty.RawPeer;
import io.chainkeeper.transport.netty.TestReplica;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

/** Somebody who has got through the handshake goes on with anything at all. The links of others do not notice. */
public class HostilePeerTest {
    private static final long SEED = 20261121;
    private static final int ROUNDS = 100;

    private final AtomicReference<Throwable> defect = new AtomicReference<>();
    private Thread.UncaughtExceptionHandler handlerBefore;
    private TestReplica one;
    private TestReplica two;

    @Before
    public void startPair() throws Exception {
        handlerBefore = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> defect.set(failure));
        Map<Integer, PeerAddress> others = new HashMap<>(TestReplica.expecting(2));
        others.putAll(TestReplica.expecting(3));
        // A place is free again when the thread that answers is done, which may be after the connection was closed.
        TransportLimits limits = TestReplica.LIMITS.withStateConnections(
                ROUNDS + 1, TestReplica.LIMITS.stateIdleLimitMillis(), TestReplica.LIMITS.stateAnswerLimitMillis());
        one = TestReplica.start(1, others, settings -> settings.limits(limits), HostilePeerTest::answer);
        two = TestReplica.start(2, one.asPeer(1), UnaryOperator.identity());
        one.awaitUp(2);
        two.awaitUp(1);
    }

    private static ByteSlice answer(int peer, ByteSlice request) throws IOException {
        if (request.length() % 2 == 1) {
            throw new IOException("odd");
        }
        return request;
    }

    @After
    public void linkOfTheOtherIsUndisturbed() {
        two.sendNow(1, "still here");
        one.awaitText(2, "still here");
        assertEquals(List.of("up"), one.listener.events(2));
        two.close();
        one.close();
        Thread.setDefaultUncaughtExceptionHandler(handlerBefore);
        assertEquals(null, defect.get());
    }

    /** Noise, or frames of right and wrong lengths, whole or cut off. */
    private static byte[] anything(Random random) {
        byte[] noise = new byte[random.nextInt(300)];
        random.nextBytes(noise);
        if (random.nextBoolean() && noise.length >= Integer.BYTES) {
            ByteBuffer.wrap(noise).putInt(random.nextInt(noise.length));
        }
        return noise;
    }

    private void attack(Purpose purpose) throws Exception {
        Random random = new Random(SEED);
        for (int round = 0; round < ROUNDS; round++) {
            try (RawPeer hostile = new RawPeer(one.address())) {
                hostile.join(3, 1, purpose);
                hostile.sayAtOnce(anything(random), anything(random)).finish().awaitClosed();
            }
        }
    }

    @Test(timeout = 120_000)
    public void anythingOnALink_closesThatLinkOnly() throws Exception {
        attack(Purpose.LINK);
    }

    @Test(timeout = 120_000)
    public void anythingOnAStateConnection_closesThatConnectionOnly() throws Exception {
        attack(Purpose.STATE);
        try (StateChannel channel = two.transport.openStateChannel(1)) {
            assertEquals(2, channel.call(ByteSlice.of(new byte[2])).length());
        }
    }
}
