package io.chainkeeper.server.reconfig;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.FreePorts;
import io.chainkeeper.server.connection.ClientConnections;
import io.chainkeeper.server.connection.NettyConnections;
import io.chainkeeper.server.connection.ReplyBatch;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.zookeeper.server.NettyServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameter;
import org.junit.runners.Parameterized.Parameters;

/** Both connection factories, listening for real. */
@RunWith(Parameterized.class)
public class ClientPortTest {
    @Parameters(name = "{0}")
    public static List<Class<? extends ServerCnxnFactory>> factories() {
        return List.of(NettyServerCnxnFactory.class, ClientConnections.class);
    }

    @Parameter
    public Class<? extends ServerCnxnFactory> factoryClass;

    private ServerCnxnFactory factory;
    private ClientPort port;
    private int number;
    private long nowMillis;

    @Before
    public void listen() throws Exception {
        number = FreePorts.next();
        var constructor = factoryClass.getDeclaredConstructor();
        constructor.setAccessible(true);
        factory = constructor.newInstance();
        factory.configure(address("127.0.0.1"), 10);
        NettyConnections.install(factory, new ReplyBatch());
        factory.start();
        port = new ClientPort(() -> factory, () -> nowMillis, Aside.AT_ONCE);
        assertTrue(answers("127.0.0.1"));
    }

    @After
    public void shutDown() {
        factory.shutdown();
    }

    private InetSocketAddress address(String host) {
        return new InetSocketAddress(host, number);
    }

    private boolean answers(String host) {
        try (Socket socket = new Socket()) {
            socket.connect(address(host), 5_000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private long unbound() {
        return port.gauges().get("client_port_unbound").getAsLong();
    }

    @Test
    public void sameNumberAtAllAddressesAndBack_isServedThere() {
        port.moveTo(address("0.0.0.0"));
        assertTrue(answers("127.0.0.1") && answers("127.0.0.2"));
        port.moveTo(address("127.0.0.1"));
        assertTrue(answers("127.0.0.1"));
        assertFalse(answers("127.0.0.2"));
        assertNull(port.problem());
        assertEquals(address("127.0.0.1"), factory.getLocalAddress());
    }

    @Test
    public void addressIsTaken_isSaidAndTriedUntilItIsFree() throws Exception {
        try (ServerSocket other = new ServerSocket()) {
            other.bind(address("127.0.0.2"));
            port.moveTo(address("127.0.0.2"));
            assertTrue(port.problem(), port.problem().contains("127.0.0.2:" + number));
            assertTrue(port.problem(), port.problem().contains("Address already in use"));
            assertEquals(1, unbound());
            nowMillis += ClientPort.RETRY_MILLIS;
            port.tick();
            assertEquals(1, unbound());
        }
        port.tick();
        assertEquals("not before its time", 1, unbound());
        nowMillis += ClientPort.RETRY_MILLIS;
        port.tick();
        assertNull(port.problem());
        assertEquals(0, unbound());
        assertTrue(answers("127.0.0.2"));
    }

    /** Nothing listens there any more, although nothing else has been bound since. */
    @Test
    public void addressIsTaken_theOneBeforeCanBeHadAgain() throws Exception {
        try (ServerSocket other = new ServerSocket()) {
            other.bind(address("127.0.0.2"));
            port.moveTo(address("127.0.0.2"));
            assertEquals(1, unbound());
            port.moveTo(address("127.0.0.1"));
            assertNull(port.problem());
            assertTrue(answers("127.0.0.1"));
        }
    }

    @Test
    public void nameThatDoesNotResolve_isSaidAndTheOldAddressStays() {
        port.moveTo(InetSocketAddress.createUnresolved("no-such-host.invalid", number));
        assertTrue(port.problem(), port.problem().contains("no-such-host.invalid:" + number));
        assertTrue(answers("127.0.0.1"));
        port.moveTo(address("127.0.0.1"));
        assertNull(port.problem());
        assertTrue(answers("127.0.0.1"));
    }

    /** Look-ups that end when the test says so. */
    private static final class SlowNameService implements Aside {
        private final Deque<Runnable> waiting = new ArrayDeque<>();

        @Override
        public <T> void run(Supplier<T> work, Consumer<T> outcome) {
            waiting.add(() -> outcome.accept(work.get()));
        }

        void answer() {
            waiting.remove().run();
        }
    }

    @Test
    public void nameServiceIsSlow_nobodyWaitsForItAndItIsSaid() {
        SlowNameService slow = new SlowNameService();
        port = new ClientPort(() -> factory, () -> nowMillis, slow);
        port.moveTo(InetSocketAddress.createUnresolved("127.0.0.2", number));
        assertNull(port.problem());
        for (int i = 0; i < 3; i++) {
            nowMillis += ClientPort.RETRY_MILLIS;
            port.tick();
            assertTrue(port.problem(), port.problem().contains("is still being looked up"));
        }
        assertTrue(answers("127.0.0.1"));
        assertEquals("one look-up at a time", 1, slow.waiting.size());
        slow.answer();
        assertNull(port.problem());
        assertTrue(answers("127.0.0.2"));
        assertFalse(answers("127.0.0.1"));
    }

    @Test
    public void anotherAddressIsWantedMeanwhile_whatIsFoundLateChangesNothing() {
        SlowNameService slow = new SlowNameService();
        port = new ClientPort(() -> factory, () -> nowMillis, slow);
        port.moveTo(InetSocketAddress.createUnresolved("127.0.0.2", number));
        port.moveTo(address("127.0.0.3"));
        assertTrue(answers("127.0.0.3"));
        nowMillis += ClientPort.RETRY_MILLIS;
        port.tick();
        assertNull(port.problem());
        slow.answer();
        assertTrue(answers("127.0.0.3"));
        port.moveTo(InetSocketAddress.createUnresolved("no-such-host.invalid", number));
        port.moveTo(InetSocketAddress.createUnresolved("127.0.0.4", number));
        slow.answer();
        assertNull(port.problem());
        slow.answer();
        assertTrue(answers("127.0.0.4"));
        assertTrue(slow.waiting.isEmpty());
    }
}
