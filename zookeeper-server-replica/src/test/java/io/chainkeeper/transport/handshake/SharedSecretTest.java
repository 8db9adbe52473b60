package io.chainkeeper.transport.handshake;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.transport.PeerAddress;
import io.chainkeeper.transport.PeerSecret;
import io.chainkeeper.transport.RefusalKind;
import io.chainkeeper.transport.StateChannel;
import io.chainkeeper.transport.TransportSettings;
import io.chainkeeper.transport.handshake.HandshakeMessage.Accepted;
import io.chainkeeper.transport.handshake.HandshakeMessage.Hello;
import io.chainkeeper.transport.handshake.HandshakeMessage.ProvedRefusal;
import io.chainkeeper.transport.handshake.HandshakeMessage.Purpose;
import io.chainkeeper.transport.handshake.HandshakeMessage.Refused;
import io.chainkeeper.transport.handshake.SecretProof.Side;
import io.chainkeeper.transport.netty.Await;
import io.chainkeeper.transport.netty.RawPeer;
import io.chainkeeper.transport.netty.TestReplica;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.After;
import org.junit.Test;

/** Servers that share a secret let in a peer that proves that it knows the secret, and no other. */
public class SharedSecretTest {
    private static final ByteSlice NONCE = ByteSlice.of("sixteen bytes...".getBytes(StandardCharsets.UTF_8));

    private final Source ofOne = new Source(true, "the secret of the ensemble");
    private TestReplica one;
    private TestReplica two;

    /** What a file would hold. */
    private static final class Source implements PeerSecret {
        private final boolean required;
        private volatile List<ByteSlice> secrets;

        Source(boolean required, String... secrets) {
            this.required = required;
            set(secrets);
        }

        void set(String... next) {
            secrets = Stream.of(next)
                    .map(secret -> ByteSlice.of(secret.getBytes(StandardCharsets.UTF_8)))
                    .toList();
        }

        @Override
        public List<ByteSlice> current() {
            return secrets;
        }

        @Override
        public boolean isRequired() {
            return required;
        }
    }

    private void start(PeerSecret first, PeerSecret second) throws IOException {
        one = TestReplica.start(1, TestReplica.expecting(2), s -> s.secret(first), (peer, request) -> request);
        two = TestReplica.start(2, one.asPeer(1), s -> s.secret(second), (peer, request) -> request);
    }

    @After
    public void stop() {
        for (TestReplica replica : new TestReplica[] {two, one}) {
            if (replica != null) {
                replica.close();
            }
        }
    }

    private void assertLinked() throws Exception {
        one.awaitUp(2);
        two.awaitUp(1);
        one.sendNow(2, "a");
        two.awaitText(1, "a");
        try (StateChannel channel = two.transport.openStateChannel(1)) {
            assertEquals(2, channel.call(ByteSlice.of(new byte[2])).length());
        }
    }

    @Test(timeout = 120_000)
    public void bothKnowIt_linksAndStateAreOpen() throws Exception {
        start(ofOne, new Source(true, "the secret of the ensemble"));
        assertLinked();
    }

    @Test(timeout = 120_000)
    public void otherSecret_isRefusedByBoth() throws Exception {
        start(ofOne, new Source(true, "another secret, as long"));
        two.awaitRefusal(1, "ordering.secretFile");
        one.awaitRefusal(2, "ordering.secretFile");
        assertFalse(one.listener.isUp(2) || two.listener.isUp(1));
        assertEquals("whoever has connected", RefusalKind.CLAIMED, one.listener.refusalKind(2));
        assertEquals("whoever was connected to", RefusalKind.CLAIMED, two.listener.refusalKind(1));
    }

    @Test(timeout = 120_000)
    public void otherSecretWhereNoneIsRequired_isRefusedAllTheSame() throws Exception {
        start(new Source(false, "the secret of the ensemble"), new Source(false, "another secret, as long"));
        two.awaitRefusal(1, "ordering.secretFile");
        assertFalse(one.listener.isUp(2) || two.listener.isUp(1));
    }

    @Test(timeout = 120_000)
    public void noSecretThere_isRefusedOnBothSidesOfALink() throws Exception {
        start(ofOne, null);
        one.awaitRefusal(2, "ordering.secretRequired=false");
        two.awaitRefusal(1, "ordering.secretRequired=false");
        stop();
        start(null, ofOne);
        two.awaitRefusal(1, "ordering.secretRequired=false");
        assertFalse(one.listener.isUp(2) || two.listener.isUp(1));
    }

    /** How it is turned on: servers that have it and servers that do not link up until all have it. */
    @Test(timeout = 120_000)
    public void secretThatIsNotRequired_letsOthersIn() throws Exception {
        start(new Source(false, "the secret of the ensemble"), null);
        assertLinked();
        stop();
        start(null, new Source(false, "the secret of the ensemble"));
        assertLinked();
        stop();
        start(new Source(false, "the secret of the ensemble"), ofOne);
        assertLinked();
    }

    /** Old, old and new, new: at every moment any two servers have one in common. */
    @Test(timeout = 120_000)
    public void secretIsReplacedServerByServer_linksComeUpAtEveryStep() throws Exception {
        Source ofTwo = new Source(true, "the secret of the ensemble");
        start(ofOne, ofTwo);
        assertLinked();
        String[][] steps = {{"the secret of the ensemble", "the secret from now on"}, {"the secret from now on"}};
        for (String[] step : steps) {
            for (Source source : List.of(ofOne, ofTwo)) {
                source.set(step);
                int before = one.listener.timesUp(2);
                one.transport.disconnect(2, "is asked to connect again");
                Await.until("linked again", () -> one.listener.timesUp(2) > before);
                two.awaitUp(1);
            }
        }
        two.transport.openStateChannel(1).close();
    }

    private static Hello hello(int sender, Purpose purpose) {
        return new Hello(sender, 1, Long.MAX_VALUE, 0, 0, purpose, "chain", unproved());
    }

    private void assertNotLetIn(Hello hello, Proof proof) throws Exception {
        try (RawPeer stranger = new RawPeer(one.address())) {
            Hello answer = (Hello) stranger.say(hello).hear();
            stranger.say(new Accepted(proof.of(answer)));
            assertTrue(stranger.hear() instanceof Refused);
            stranger.awaitClosed();
        }
    }

    private interface Proof {
        ByteSlice of(Hello answer);
    }

    @Test(timeout = 120_000)
    public void hostileProofs_areRefusedAndTheLivingLinkStays() throws Exception {
        start(ofOne, new Source(true, "the secret of the ensemble"));
        one.awaitUp(2);
        Hello mine = hello(2, Purpose.LINK);
        Hello asState = hello(2, Purpose.STATE);
        List<ByteSlice> known = ofOne.current();
        for (Hello hello : List.of(mine, asState)) {
            assertNotLetIn(hello, answer -> ByteSlice.EMPTY);
            assertNotLetIn(hello, answer -> ByteSlice.of(new byte[SecretProof.BYTES]));
            assertNotLetIn(hello, answer -> answer.credentials().proofs());
        }
        // What the other side has proved for another nonce, id or purpose.
        assertNotLetIn(mine, answer -> SecretProof.of(known, Side.CONNECTING, asState, answer));
        assertNotLetIn(mine, answer -> SecretProof.of(known, Side.CONNECTING, hello(3, Purpose.LINK), answer));
        assertNotLetIn(mine, answer -> SecretProof.of(known, Side.CONNECTING, mine, mine));
        assertNotLetIn(mine, answer -> SecretProof.of(known, Side.ACCEPTING, mine, answer));
        assertEquals(List.of("up"), one.listener.events(2));
        assertLinked();
    }

    @Test(timeout = 120_000)
    public void frameInsteadOfAProof_isNotDelivered() throws Exception {
        one = TestReplica.start(1, TestReplica.expecting(2), s -> s.secret(ofOne), (peer, request) -> request);
        try (RawPeer stranger = new RawPeer(one.address())) {
            stranger.sayAtOnce(
                            RawPeer.encode(hello(2, Purpose.LINK)),
                            RawPeer.encode(new Accepted()),
                            RawPeer.frame("let me in"))
                    .awaitClosed();
        }
        assertTrue(one.texts(2).isEmpty());
    }

    private interface Answer {
        HandshakeMessage to(Hello asked) throws Exception;
    }

    /** Starts a replica; another process answers at the address of its peer. */
    private void assertAnswer(RefusalKind kind, String part, Answer answer) throws Exception {
        try (ServerSocket fake = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            Map<Integer, PeerAddress> there = Map.of(1, new PeerAddress("127.0.0.1", fake.getLocalPort()));
            two = TestReplica.start(2, there, s -> s.secret(ofOne), null);
            try (RawPeer answering = new RawPeer(fake.accept())) {
                answering.say(answer.to((Hello) answering.hear()));
                two.awaitRefusal(1, part);
                assertEquals(kind, two.listener.refusalKind(1));
            }
        }
        two.close();
        two = null;
    }

    /** A replica that a majority refuses stops: a process that has taken the addresses must not bring that about. */
    @Test(timeout = 120_000)
    public void refusalOfWhoHasProvedNothing_isNotOneOfThePeer() throws Exception {
        assertAnswer(RefusalKind.CLAIMED, "go away", asked -> Refused.elsewhere("go away"));
        assertAnswer(RefusalKind.CLAIMED, "go away", asked -> new Refused(RefusalKind.NOT_A_MEMBER, "go away"));
        assertAnswer(RefusalKind.CLAIMED, "sent a handshake message out of turn", asked -> new Accepted());
        assertAnswer(
                RefusalKind.CLAIMED,
                "ordering.secretFile",
                asked -> new Hello(1, 2, 0, 0, 0, Purpose.LINK, "iss", unproved()));
    }

    private static Credentials unproved() {
        return new Credentials(true, NONCE, Credentials.NO_DISK, ByteSlice.EMPTY);
    }

    private Answer proved(int sender, String said, String sent, List<ByteSlice> secrets) {
        return asked -> {
            ProvedRefusal refusal = new ProvedRefusal(sender, Refused.elsewhere(said), ByteSlice.EMPTY);
            return new ProvedRefusal(sender, Refused.elsewhere(sent), SecretProof.ofRefusal(secrets, asked, refusal));
        };
    }

    @Test(timeout = 120_000)
    public void hostileProofsOfARefusal_areWorthNothing() throws Exception {
        List<ByteSlice> known = ofOne.current();
        List<ByteSlice> other = new Source(true, "another secret, as long").current();
        assertAnswer(RefusalKind.ELSEWHERE, "go away", proved(1, "go away", "go away", known));
        assertAnswer(RefusalKind.CLAIMED, "go away", proved(1, "go away", "go away", other));
        assertAnswer(RefusalKind.CLAIMED, "go away", proved(1, "another reason", "go away", known));
        // Of another server, handed on.
        assertAnswer(RefusalKind.CLAIMED, "go away", proved(3, "go away", "go away", known));
        Hello earlier = hello(2, Purpose.LINK);
        assertAnswer(
                RefusalKind.CLAIMED,
                "go away",
                asked -> proved(1, "go away", "go away", known).to(earlier));
        assertAnswer(
                RefusalKind.CLAIMED,
                "go away",
                asked -> new ProvedRefusal(
                        1, Refused.elsewhere("go away"), SecretProof.of(known, Side.ACCEPTING, asked, asked)));
        one = TestReplica.start(1, TestReplica.expecting(2), s -> s.secret(ofOne), null);
        assertAnswer(RefusalKind.CLAIMED, "out of turn", asked -> broughtAbout(asked, asked));
        assertAnswer(RefusalKind.CLAIMED, "ordering.secretFile", asked -> broughtAbout(asked, new Accepted()));
    }

    /** What the real one refuses is not the hello, which it has accepted, but what a stranger says behind that. */
    private HandshakeMessage broughtAbout(Hello handedOn, HandshakeMessage behind) throws Exception {
        try (RawPeer stranger = new RawPeer(one.address())) {
            assertTrue(stranger.say(handedOn).hear() instanceof Hello);
            return stranger.say(behind).hear();
        }
    }

    /** A server that is misplaced is told so by those that it was to belong to. */
    @Test(timeout = 120_000)
    public void refusalOfWhoKnowsTheSecret_isOneOfThePeer() throws Exception {
        one = TestReplica.start(
                1, TestReplica.expecting(2), s -> s.secret(ofOne).clusterId(() -> 10), null);
        two = TestReplica.start(2, one.asPeer(1), s -> s.secret(ofOne).clusterId(() -> 11), null);
        two.awaitRefusal(1, "belongs to another cluster");
        assertEquals("refused there", RefusalKind.ELSEWHERE, two.listener.refusalKind(1));
        one.awaitRefusal(2, "belongs to cluster 000000000000000b");
        assertEquals("said before anything is proved", RefusalKind.CLAIMED, one.listener.refusalKind(2));
        stop();
        one = TestReplica.start(1, Map.of(), s -> s.secret(ofOne), null);
        two = TestReplica.start(2, one.asPeer(1), s -> s.secret(ofOne), null);
        two.awaitRefusal(1, "is not a member");
        assertEquals(RefusalKind.NOT_A_MEMBER, two.listener.refusalKind(1));
    }

    /** A process that answers at a peer's address without knowing the secret gets no proof to work on. */
    @Test(timeout = 120_000)
    public void sideThatConnects_provesNothingToWhoHasNotProved() throws Exception {
        try (ServerSocket fake = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            two = TestReplica.start(2, Map.of(1, new PeerAddress("127.0.0.1", fake.getLocalPort())), (UnaryOperator<
                            TransportSettings.Builder>)
                    s -> s.secret(ofOne));
            try (RawPeer answering = new RawPeer(fake.accept())) {
                Hello asked = (Hello) answering.hear();
                answering.say(new Hello(1, 2, 0, 0, 0, Purpose.LINK, "chain", unproved()));
                assertEquals(ByteSlice.EMPTY, asked.credentials().proofs());
                assertTrue(answering.hear() instanceof Refused);
            }
        }
    }
}
