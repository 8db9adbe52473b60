package io.chainkeeper.transport.handshake;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.transport.HostResolver;
import io.chainkeeper.transport.PeerAddress;
import io.chainkeeper.transport.RefusalKind;
import io.chainkeeper.transport.StateChannel;
import io.chainkeeper.transport.TransportLimits;
import io.chainkeeper.transport.TransportSettings;
import io.chainkeeper.transport.handshake.HandshakeMessage.Accepted;
import io.chainkeeper.transport.handshake.HandshakeMessage.Hello;
import io.chainkeeper.transport.handshake.HandshakeMessage.Purpose;
import io.chainkeeper.transport.handshake.HandshakeMessage.Refused;
import io.chainkeeper.transport.netty.Await;
import io.chainkeeper.transport.netty.RawPeer;
import io.chainkeeper.transport.netty.TestReplica;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.After;
import org.junit.Test;

/** What a process gets that speaks the protocol, claims to be a member and proves nothing. */
public class StrangerClaimsTest {
    private static final long CLUSTER = 0x1234_5678_9abc_def0L;
    private static final long PROFILE = 0x0fed_cba9_8765_4321L;
    private static final String CLUSTER_TEXT = Long.toHexString(CLUSTER);
    private static final String PROFILE_TEXT = Long.toHexString(PROFILE);

    private final AtomicInteger asked = new AtomicInteger();
    private final CountDownLatch lookUpEnds = new CountDownLatch(1);
    private TestReplica one;
    private TestReplica two;

    @After
    public void stop() {
        lookUpEnds.countDown();
        for (TestReplica replica : new TestReplica[] {two, one}) {
            if (replica != null) {
                replica.close();
            }
        }
    }

    private TransportSettings.Builder settled(TransportSettings.Builder settings) {
        return settings.clusterId(() -> CLUSTER).executionProfile(PROFILE);
    }

    /** Replica 1 knows its cluster; replica 2 is configured at an address that nobody here has. */
    private void startWithTwoElsewhere(UnaryOperator<TransportSettings.Builder> changes) throws IOException {
        Map<Integer, PeerAddress> others = Map.of(2, new PeerAddress("elsewhere.example", 1));
        HostResolver resolver =
                host -> List.of(InetAddress.getByName(host.equals("elsewhere.example") ? "192.0.2.7" : host));
        one = TestReplica.start(1, others, s -> changes.apply(settled(s).resolver(resolver)), (peer, request) -> {
            asked.incrementAndGet();
            return request;
        });
    }

    private static Hello hello(long incarnation, long clusterId, long profile, Purpose purpose) {
        return new Hello(2, 1, incarnation, clusterId, profile, purpose, "chain");
    }

    private static void assertDiscloses(boolean disclosed, String text) {
        assertEquals(text, disclosed, text.contains(CLUSTER_TEXT) || text.contains(PROFILE_TEXT));
    }

    private Refused refusalOf(Hello hello) throws Exception {
        try (RawPeer stranger = new RawPeer(one.address())) {
            HandshakeMessage answer = stranger.say(hello).hear();
            assertTrue("let in: " + answer, answer instanceof Refused);
            stranger.awaitClosed();
            return (Refused) answer;
        }
    }

    @Test(timeout = 120_000)
    public void stateOfAKnownCluster_isNotGivenToAStranger() throws Exception {
        startWithTwoElsewhere(UnaryOperator.identity());
        for (long claimed : new long[] {0, CLUSTER}) {
            Refused refused = refusalOf(hello(Long.MAX_VALUE, claimed, PROFILE, Purpose.STATE));
            assertTrue(refused.reason(), refused.reason().contains("ordering.secretFile"));
            assertDiscloses(false, refused.reason());
        }
        assertEquals(0, asked.get());
    }

    @Test(timeout = 120_000)
    public void linkWithoutTheClusterId_isRefusedToAStranger() throws Exception {
        startWithTwoElsewhere(UnaryOperator.identity());
        refusalOf(hello(Long.MAX_VALUE, 0, PROFILE, Purpose.LINK));
        one.awaitRefusal(2, "elsewhere.example");
        assertFalse(one.listener.isUp(2));
    }

    /** A new server, while the name service fails: neither of the two is shown to belong elsewhere. */
    @Test(timeout = 120_000)
    public void newMemberWhoseNameIsNotFoundAtFirst_countsAsRefusedOnNeitherSide() throws Exception {
        Map<Integer, PeerAddress> others = Map.of(2, new PeerAddress("two.example", 1));
        HostResolver resolver = host -> {
            if (host.equals("two.example")) {
                return asked.incrementAndGet() == 1 ? List.of() : List.of(InetAddress.getLoopbackAddress());
            }
            return HostResolver.PLATFORM.resolve(host);
        };
        one = TestReplica.start(1, others, s -> settled(s).resolver(resolver));
        assertEquals(
                RefusalKind.UNPROVED,
                refusalOf(hello(1, 0, PROFILE, Purpose.LINK)).kind());
        one.awaitRefusal(2, "two.example");
        assertEquals(RefusalKind.CLAIMED, one.listener.refusalKind(2));
    }

    private List<InetAddress> waitForTheEnd() {
        try {
            lookUpEnds.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return List.of();
    }

    /** Who looks up names for strangers must not be kept busy by them. */
    @Test(timeout = 120_000)
    public void strangersWaitForANameThatIsLookedUp_theyAreBoundedAndOthersAreLetIn() throws Exception {
        startWithTwoElsewhere(settings -> settings.resolver(
                host -> host.equals("elsewhere.example") ? waitForTheEnd() : HostResolver.PLATFORM.resolve(host)));
        List<RawPeer> strangers = new ArrayList<>();
        for (int i = 0; i < TestReplica.LIMITS.maxPendingHandshakesPerAddress(); i++) {
            strangers.add(new RawPeer(one.address()).say(hello(i, 0, PROFILE, Purpose.LINK)));
        }
        // With the next connection of their address the oldest ends, so it must have been heard before.
        InetSocketAddress target = one.address();
        InetAddress elsewhere = InetAddress.getByName("127.0.0.2");
        try (RawPeer later = new RawPeer(new Socket(target.getAddress(), target.getPort(), elsewhere, 0))) {
            assertTrue(later.say(hello(1, CLUSTER, PROFILE, Purpose.LINK)).hear() instanceof Hello);
        }
        refusalOf(hello(1, 0, PROFILE, Purpose.LINK));
        try (RawPeer member = new RawPeer(one.address())) {
            assertTrue(member.say(hello(1, CLUSTER, PROFILE, Purpose.LINK)).hear() instanceof Hello);
            member.say(new Accepted());
            one.awaitUp(2);
        }
        for (RawPeer stranger : strangers) {
            stranger.close();
        }
    }

    @Test(timeout = 120_000)
    public void newMemberAtItsConfiguredAddress_isLetInAndGivenState() throws Exception {
        one = TestReplica.start(1, TestReplica.expecting(2), this::settled, (peer, request) -> request);
        two = TestReplica.start(2, one.asPeer(1), settings -> settings.executionProfile(PROFILE));
        one.awaitUp(2);
        two.awaitUp(1);
        try (StateChannel channel = two.transport.openStateChannel(1)) {
            assertEquals(2, channel.call(ByteSlice.of(new byte[2])).length());
        }
    }

    /** Then the system may name an IPv4 peer by an IPv6 address. */
    @Test(timeout = 120_000)
    public void listensOnAllAddresses_newMemberAtItsConfiguredAddressIsLetIn() throws Exception {
        one = TestReplica.start(
                1, TestReplica.expecting(2), s -> settled(s).listenOnAllAddresses(true), (peer, request) -> request);
        two = TestReplica.start(2, one.asPeer(1), settings -> settings.executionProfile(PROFILE));
        one.awaitUp(2);
        two.transport.openStateChannel(1).close();
    }

    @Test(timeout = 120_000)
    public void refusals_discloseNeitherClusterNorProfile() throws Exception {
        startWithTwoElsewhere(UnaryOperator.identity());
        assertDiscloses(
                false, refusalOf(hello(1, CLUSTER + 1, PROFILE, Purpose.LINK)).reason());
        one.awaitRefusal(2, CLUSTER_TEXT);
        assertDiscloses(
                false, refusalOf(hello(1, CLUSTER, PROFILE + 1, Purpose.LINK)).reason());
        assertDiscloses(
                false, refusalOf(new Hello(2, 1, 1, 7, 7, Purpose.LINK, "iss")).reason());
        assertDiscloses(
                false,
                refusalOf(new Hello(9, 1, 1, CLUSTER, PROFILE, Purpose.LINK, "chain"))
                        .reason());
    }

    @Test(timeout = 120_000)
    public void whoDoesNotNameTheCluster_isNotToldIt() throws Exception {
        one = TestReplica.start(1, TestReplica.expecting(2), this::settled);
        try (RawPeer blank = new RawPeer(one.address())) {
            Hello answer = (Hello) blank.say(hello(1, 0, PROFILE, Purpose.LINK)).hear();
            assertEquals(0, answer.clusterId());
            assertEquals(
                    "an answer tells no disk",
                    Credentials.NO_DISK,
                    answer.credentials().disk());
        }
    }

    @Test(timeout = 120_000)
    public void claimedIdWithTheHighestIncarnation_pushesNoLivingLinkAway() throws Exception {
        one = TestReplica.start(1, TestReplica.expecting(2), this::settled);
        byte[] disk = new byte[Credentials.DISK_BYTES];
        new Random(7).nextBytes(disk);
        two = TestReplica.start(2, one.asPeer(1), s -> settled(s).diskIdentity(ByteSlice.of(disk)));
        one.awaitUp(2);
        two.awaitUp(1);
        for (long claimed : new long[] {0, CLUSTER}) {
            Refused refused = refusalOf(hello(Long.MAX_VALUE, claimed, PROFILE, Purpose.LINK));
            assertTrue(refused.reason(), refused.reason().contains("same data directory"));
            assertEquals("it may be a new directory", RefusalKind.LINKED_ALREADY, refused.kind());
        }
        two.sendNow(1, "still here");
        one.awaitText(2, "still here");
        assertEquals(List.of("up"), one.listener.events(2));

        // The same server, of which this one has not noticed yet that its connection broke.
        try (RawPeer again = new RawPeer(one.address())) {
            Credentials same = new Credentials(false, Credentials.NONE.nonce(), ByteSlice.of(disk), ByteSlice.EMPTY);
            Hello hello = new Hello(2, 1, Long.MAX_VALUE, CLUSTER, PROFILE, Purpose.LINK, "chain", same);
            assertTrue(again.say(hello).hear() instanceof Hello);
            again.say(new Accepted());
            Await.until("replaced", () -> one.listener.timesUp(2) == 2);
        }
    }

    /** Whether it may come in was asked before there was a link. */
    @Test(timeout = 120_000)
    public void helloFromBeforeTheLinkCameUp_pushesItNotAway() throws Exception {
        TransportLimits patient = TestReplica.LIMITS.withHandshakes(600_000, 16);
        one = TestReplica.start(1, TestReplica.expecting(2), s -> settled(s).limits(patient));
        try (RawPeer stranger = new RawPeer(one.address())) {
            assertTrue(
                    stranger.say(hello(Long.MAX_VALUE, CLUSTER, PROFILE, Purpose.LINK))
                                    .hear()
                            instanceof Hello);
            byte[] disk = new byte[Credentials.DISK_BYTES];
            new Random(7).nextBytes(disk);
            two = TestReplica.start(2, one.asPeer(1), s -> settled(s).diskIdentity(ByteSlice.of(disk)));
            one.awaitUp(2);
            two.awaitUp(1);
            stranger.say(new Accepted()).awaitClosed();
        }
        two.sendNow(1, "still here");
        one.awaitText(2, "still here");
        assertEquals(List.of("up"), one.listener.events(2));
    }

    /** A replica that a majority refuses stops: strangers must not be able to speak for it. */
    @Test(timeout = 120_000)
    public void refusalOfAStranger_isNotOneOfThePeer() throws Exception {
        startWithTwoElsewhere(UnaryOperator.identity());
        refusalOf(new Hello(2, 1, 1, CLUSTER, PROFILE, Purpose.LINK, "iss"));
        one.awaitRefusal(2, "ordering.protocol");
        assertEquals(RefusalKind.CLAIMED, one.listener.refusalKind(2));
        one.close();
        one = TestReplica.start(1, TestReplica.expecting(2), this::settled);
        refusalOf(new Hello(2, 1, 1, CLUSTER, PROFILE, Purpose.LINK, "iss"));
        one.awaitRefusal(2, "ordering.protocol");
        assertEquals("at its address", RefusalKind.ELSEWHERE, one.listener.refusalKind(2));
    }

    @Test(timeout = 120_000)
    public void strangersWaitForANameThatIsLookedUp_ownLinksAreDialledAllTheSame() throws Exception {
        one = TestReplica.start(1, TestReplica.expecting(2), this::settled);
        Map<Integer, PeerAddress> others = Map.of(1, one.asPeer(1).get(1), 3, new PeerAddress("elsewhere.example", 1));
        HostResolver stuck = host -> {
            if (host.equals("elsewhere.example")) {
                asked.incrementAndGet();
                return waitForTheEnd();
            }
            return HostResolver.PLATFORM.resolve(host);
        };
        two = TestReplica.start(2, others, s -> settled(s).resolver(stuck));
        one.awaitUp(2);
        List<RawPeer> strangers = new ArrayList<>();
        for (int i = 0; i < TestReplica.LIMITS.maxPendingHandshakesPerAddress(); i++) {
            strangers.add(new RawPeer(two.address()).say(new Hello(3, 2, 1, 0, PROFILE, Purpose.LINK, "chain")));
        }
        Await.until("a name is looked up for strangers", () -> asked.get() > 0);
        one.transport.disconnect(2, "is asked to connect again");
        Await.until("linked again", () -> one.listener.timesUp(2) == 2);
        assertEquals("looked up at a time", 1, asked.get());
        for (RawPeer stranger : strangers) {
            stranger.close();
        }
    }

    @Test(timeout = 120_000)
    public void manySilentConnectionsOfOneAddress_leaveThoseOfOthersAlone() throws Exception {
        one = TestReplica.start(
                1, TestReplica.expecting(2), s -> s.limits(TestReplica.LIMITS.withHandshakes(600_000, 8)));
        List<RawPeer> flood = new ArrayList<>();
        InetSocketAddress target = one.address();
        Socket socket = new Socket(target.getAddress(), target.getPort(), InetAddress.getByName("127.0.0.2"), 0);
        try (RawPeer other = new RawPeer(socket)) {
            for (int i = 0; i < 30; i++) {
                flood.add(new RawPeer(target));
            }
            for (RawPeer peer : flood.subList(0, 28)) {
                peer.awaitClosed();
            }
            assertTrue(other.say(RawPeer.hello(2, 1)).hear() instanceof Hello);
        }
        for (RawPeer peer : flood) {
            peer.close();
        }
    }
}
