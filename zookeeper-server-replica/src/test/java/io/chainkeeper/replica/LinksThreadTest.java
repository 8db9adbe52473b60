package io.chainkeeper.replica;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
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
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.After;
import org.junit.Test;

/** The thread of the links orders; where it does not, the host's own thread does. */
public final class LinksThreadTest {
    private static final String LINKS = "links";
    private static final ReplicaLimits LIMITS = new ReplicaLimits(1 << 20, 1_000, 2_000, 1 << 20, 100, 1 << 20, 10, 10);

    /** Longer than a test takes. */
    private static final int LONG_TICK_MILLIS = 3_600_000;

    private final ExecutorService linksThread = Executors.newSingleThreadExecutor(task -> new Thread(task, LINKS));
    private final BlockingQueue<String> proposedBy = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> failedBy = new LinkedBlockingQueue<>();
    private ReplicaLimits limits = LIMITS;
    private Replica replica;

    @After
    public void close() throws IOException {
        replica.close();
        linksThread.shutdownNow();
    }

    private static <T> T stub(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private void start(Predicate<Runnable> execute, Runnable onPropose) throws IOException {
        OrderingProtocol protocol = stub(OrderingProtocol.class, (proxy, method, arguments) -> {
            if (method.getName().equals("onPropose")) {
                proposedBy.add(Thread.currentThread().getName());
                onPropose.run();
            }
            return method.getName().equals("gauges") ? Map.of() : method.getReturnType() == int.class ? 0 : null;
        });
        MessageCodec codec = stub(MessageCodec.class, (proxy, method, arguments) -> null);
        OrderingProtocolFactory factory = stub(OrderingProtocolFactory.class, (proxy, method, arguments) -> {
            if (method.getName().equals("create")) {
                return protocol;
            }
            return method.getName().equals("codec") ? codec : method.getReturnType() == int.class ? 1 : null;
        });
        replica = new Replica(
                1,
                1,
                Ensemble.of(List.of(1, 2, 3)),
                factory,
                Map.of(),
                ProtocolContext.Start.ORDINARY,
                new ScriptedAcceptorLog().log(),
                stub(
                        PeerTransport.class,
                        (proxy, method, arguments) ->
                                method.getName().equals("execute") ? execute.test((Runnable) arguments[0]) : null),
                new RecordingApplication(),
                limits,
                (message, cause) -> failedBy.add(Thread.currentThread().getName()),
                ThreadScheduler.INSTANCE);
        replica.start();
    }

    private void propose() {
        replica.propose(new Proposal(0, ByteSlice.EMPTY) {});
    }

    private String await(BlockingQueue<String> threads) throws InterruptedException {
        String thread = threads.poll(Failures.DEADLINE_SECONDS, TimeUnit.SECONDS);
        assertTrue("nothing happened", thread != null);
        return thread;
    }

    private boolean toLinks(Runnable task) {
        linksThread.execute(task);
        return true;
    }

    @Test
    public void linksHaveAThread_itOrders() throws Exception {
        // A tick is given by the host's own thread, and takes along what waits.
        limits = LIMITS.withTickMillis(LONG_TICK_MILLIS);
        start(this::toLinks, () -> {});
        int byLinks = 0;
        for (int i = 0; i < 100; i++) {
            propose();
            byLinks += await(proposedBy).equals(LINKS) ? 1 : 0;
        }
        assertTrue(byLinks + " of 100 were ordered by the links' thread", byLinks > 50);
    }

    @Test
    public void linksHaveNoThread_theHostsOwnOrders() throws Exception {
        start(task -> false, () -> {});
        propose();
        assertEquals("ordering-1", await(proposedBy));
    }

    @Test
    public void linksForgetWhatTheyWereAsked_theNextTickOrders() throws Exception {
        start(task -> true, () -> {});
        propose();
        assertEquals("ordering-1", await(proposedBy));
        propose();
        assertEquals("ordering-1", await(proposedBy));
    }

    /** Who is told of a failure may close the replica, and with it the links, on the spot. */
    @Test
    public void protocolFailsOnTheLinksThread_anotherThreadTells() throws Exception {
        start(this::toLinks, () -> {
            throw new IllegalStateException("two and two are five");
        });
        propose();
        assertNotEquals(LINKS, await(failedBy));
    }
}
