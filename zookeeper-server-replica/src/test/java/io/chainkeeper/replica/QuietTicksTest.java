package io.chainkeeper.replica;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.MessageCodec;
import io.chainkeeper.ordering.OrderingProtocol;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.transport.PeerTransport;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.After;
import org.junit.Test;

/** The protocol host sleeps through ticks that the protocol calls quiet, and gives them when it wakes up. */
public final class QuietTicksTest {
    private static final int TICK_MILLIS = 10;
    private static final int QUIET_TICKS = 5;
    private static final int SLEEPS = 3;
    private static final int DEADLINE_SECONDS = 60;
    private static final ReplicaLimits LIMITS =
            new ReplicaLimits(1 << 20, 1_000, 2_000, 1 << 20, 100, 1 << 20, 10, TICK_MILLIS);

    private final CountDownLatch sleeps = new CountDownLatch(SLEEPS);

    /** What each thread was last told the time is: for ticks, when the host found that they are due. */
    private final ThreadLocal<Long> toldNanos = new ThreadLocal<>();

    private Replica replica;

    // The host's thread only, until the latch is down.
    private int ticks;
    private int ticksAtBatchEnd;
    private int mostTicksInABatch;
    private long lastTickNanos;
    private long begunNanos;
    private long endedNanos;

    @After
    public void close() throws IOException {
        replica.close();
    }

    private static <T> T stub(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private long now() {
        long now = System.nanoTime();
        toldNanos.set(now);
        return now;
    }

    private Object onInput(String name) {
        if (name.equals("onTick")) {
            lastTickNanos = toldNanos.get();
            begunNanos = ticks == 0 ? lastTickNanos : begunNanos;
            ticks++;
        } else if (name.equals("onBatchEnd")) {
            int inBatch = ticks - ticksAtBatchEnd;
            ticksAtBatchEnd = ticks;
            mostTicksInABatch = Math.max(mostTicksInABatch, inBatch);
            if (inBatch > QUIET_TICKS && sleeps.getCount() > 0) {
                endedNanos = lastTickNanos;
                sleeps.countDown();
            }
        } else if (name.equals("quietTicks")) {
            return sleeps.getCount() > 0 ? QUIET_TICKS : 0;
        }
        return name.equals("gauges") ? Map.of() : null;
    }

    @Test
    public void quietTicks_areGivenTogetherAndNotBeforeTheirTime() throws Exception {
        OrderingProtocol protocol =
                stub(OrderingProtocol.class, (proxy, method, arguments) -> onInput(method.getName()));
        MessageCodec codec = stub(MessageCodec.class, (proxy, method, arguments) -> null);
        OrderingProtocolFactory factory = stub(OrderingProtocolFactory.class, (proxy, method, arguments) -> {
            return switch (method.getName()) {
                case "create" -> protocol;
                case "codec" -> codec;
                case "name" -> "quiet";
                default -> method.getReturnType() == int.class ? 1 : null;
            };
        });
        replica = new Replica(
                1,
                1,
                Ensemble.of(List.of(1)),
                factory,
                Map.of(),
                ProtocolContext.Start.ORDINARY,
                new ScriptedAcceptorLog().log(),
                stub(
                        PeerTransport.class,
                        (proxy, method, arguments) -> method.getName().equals("execute") ? false : null),
                new RecordingApplication(),
                LIMITS,
                (message, cause) -> {},
                new ThreadsInOwnTime(this::now));
        replica.start();
        assertTrue("no sleep", sleeps.await(DEADLINE_SECONDS, TimeUnit.SECONDS));
        assertEquals("ticks given together", QUIET_TICKS + 1, mostTicksInABatch);
        long least = TimeUnit.MILLISECONDS.toNanos((long) SLEEPS * (QUIET_TICKS + 1) * TICK_MILLIS);
        assertTrue("ticks came before their time", endedNanos - begunNanos >= least);
    }
}
