package io.chainkeeper.transport.netty;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.FreePorts;
import io.chainkeeper.transport.HostResolver;
import io.chainkeeper.transport.PeerAddress;
import io.chainkeeper.transport.TransportSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.After;
import org.junit.Test;

/** Names that have no address yet, another one now, or several. */
public class PeerNamesTest {
    private final AtomicReference<List<InetAddress>> addresses = new AtomicReference<>(List.of());
    private final AtomicInteger lookUps = new AtomicInteger();
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

    private List<InetAddress> resolve(String host) throws UnknownHostException {
        if (!host.equals("one.test")) {
            return HostResolver.PLATFORM.resolve(host);
        }
        lookUps.incrementAndGet();
        if (addresses.get().isEmpty()) {
            throw new UnknownHostException(host);
        }
        return addresses.get();
    }

    private static InetAddress address(int last) throws UnknownHostException {
        return InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) last});
    }

    private void startOne(String host, int port) throws IOException {
        one = TestReplica.start(
                1,
                Map.of(1, new PeerAddress(host, port), 2, new PeerAddress("127.0.0.1", 1)),
                UnaryOperator.identity());
    }

    private void startTwo(int port) throws IOException {
        two = TestReplica.start(
                2, Map.of(1, new PeerAddress("one.test", port)), settings -> settings.resolver(this::resolve));
    }

    @Test(timeout = 120_000)
    public void nameUnresolvableAtStart_linkComesUpWhenItResolves() throws Exception {
        startOne("127.0.0.1", 0);
        startTwo(one.port());
        Await.until("several attempts", () -> lookUps.get() >= 3);
        assertEquals(List.of(), two.listener.events(1));

        addresses.set(List.of(address(1)));

        two.awaitUp(1);
    }

    @Test(timeout = 120_000)
    public void peerMovesToAnotherAddress_isFoundThere() throws Exception {
        // The system gives this port to nobody else while nobody listens there.
        int port = FreePorts.next();
        startOne("127.0.0.1", port);
        addresses.set(List.of(address(1)));
        startTwo(port);
        two.awaitUp(1);
        one.close();

        startOne("127.0.0.2", port);
        addresses.set(List.of(address(2)));

        one.awaitUp(2);
        Await.until("up again", () -> two.listener.timesUp(1) == 2);
    }

    @Test(timeout = 120_000)
    public void nameHasSeveralAddresses_theyAreTriedInTurn() throws Exception {
        startOne("127.0.0.1", 0);
        addresses.set(List.of(address(4), address(3), address(1)));

        startTwo(one.port());

        two.awaitUp(1);
        assertEquals(1, lookUps.get());
    }

    @Test(timeout = 120_000)
    public void resolverFails_isTriedAgain() throws Exception {
        startOne("127.0.0.1", 0);
        two = TestReplica.start(
                2,
                Map.of(1, new PeerAddress("one.test", one.port())),
                settings -> settings.resolver(host -> {
                    if (host.equals("one.test") && lookUps.incrementAndGet() < 3) {
                        throw new IllegalStateException("resolver is broken");
                    }
                    return List.of(address(1));
                }));

        two.awaitUp(1);
    }

    @Test(timeout = 120_000)
    public void ownNameUnresolvable_startNamesTheRemedy() {
        IOException refused = assertThrows(
                IOException.class,
                () -> TestReplica.start(
                        1, Map.of(1, new PeerAddress("one.test", 1)), settings -> settings.resolver(this::resolve)));

        assertTrue(refused.getMessage(), refused.getMessage().contains("quorumListenOnAllIPs"));
    }

    @Test(timeout = 120_000)
    public void ownNameUnresolvableButListeningEverywhere_isNotAsked() throws Exception {
        TransportSettings settings = TransportSettings.builder(1, "chain", Map.of(1, new PeerAddress("one.test", 2181)))
                .resolver(this::resolve)
                .listenOnAllAddresses(true)
                .build();

        InetSocketAddress address = NettyPeerTransport.bindAddress(settings);

        assertTrue(address.getAddress().isAnyLocalAddress());
        assertEquals(2181, address.getPort());
    }
}
