package io.chainkeeper.transport.handshake;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.transport.PeerAddress;
import io.chainkeeper.transport.RefusalKind;
import io.chainkeeper.transport.TransportSettings;
import io.chainkeeper.transport.handshake.HandshakeMessage.Accepted;
import io.chainkeeper.transport.handshake.HandshakeMessage.Hello;
import io.chainkeeper.transport.handshake.HandshakeMessage.Refused;
import io.chainkeeper.transport.netty.Await;
import io.chainkeeper.transport.netty.NettyPeerTransport;
import io.chainkeeper.transport.netty.RawPeer;
import io.chainkeeper.transport.netty.RecordingListener;
import io.chainkeeper.transport.netty.TestReplica;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.junit.After;
import org.junit.Test;

/** Two replicas that must not talk: both say so, with the reason, and neither sees a link. */
public class PeerRefusalTest {
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

    private void start(UnaryOperator<TransportSettings.Builder> ofOne, UnaryOperator<TransportSettings.Builder> ofTwo)
            throws Exception {
        one = TestReplica.start(1, TestReplica.expecting(2), ofOne);
        two = TestReplica.start(2, one.asPeer(1), ofTwo);
    }

    private void assertBothReport(String part) {
        one.awaitRefusal(2, part);
        two.awaitRefusal(1, part);
        assertEquals(List.of(), one.listener.events(2));
        assertEquals(List.of(), two.listener.events(1));
        assertEquals(RefusalKind.ELSEWHERE, one.listener.refusalKind(2));
        assertEquals(RefusalKind.ELSEWHERE, two.listener.refusalKind(1));
    }

    @Test(timeout = 120_000)
    public void otherCluster_bothReport() throws Exception {
        start(settings -> settings.clusterId(() -> 10), settings -> settings.clusterId(() -> 11));
        one.awaitRefusal(2, "cluster 000000000000000b");
        assertBothReport("cluster");
    }

    @Test(timeout = 120_000)
    public void clusterBecomesKnownAndEqual_linkComesUp() throws Exception {
        AtomicLong cluster = new AtomicLong(11);
        start(settings -> settings.clusterId(() -> 10), settings -> settings.clusterId(cluster::get));
        assertBothReport("cluster");

        cluster.set(10);

        one.awaitUp(2);
        two.awaitUp(1);
    }

    @Test(timeout = 120_000)
    public void otherExecutionProfile_bothReport() throws Exception {
        start(settings -> settings.executionProfile(1), settings -> settings.executionProfile(2));
        assertBothReport("execution profile");
    }

    @Test(timeout = 120_000)
    public void otherProtocol_bothReport() throws Exception {
        one = TestReplica.start(1, TestReplica.expecting(2), UnaryOperator.identity());
        TransportSettings other = TransportSettings.builder(
                        2, "iss", Map.of(1, one.asPeer(1).get(1), 2, new PeerAddress("127.0.0.1", 0)))
                .limits(TestReplica.LIMITS)
                .build();
        RecordingListener listener = new RecordingListener();
        try (NettyPeerTransport transport = new NettyPeerTransport(other)) {
            transport.start(listener);
            one.awaitRefusal(2, "'iss'");
            Await.until(
                    "the other reports too",
                    () -> listener.refusals(1).stream().anyMatch(reason -> reason.contains("'iss'")));
        }
    }

    @Test(timeout = 120_000)
    public void notAMember_isToldThatItMayBeAdded() throws Exception {
        one = TestReplica.start(1, Map.of(), UnaryOperator.identity());
        two = TestReplica.start(2, one.asPeer(1), UnaryOperator.identity());
        two.awaitRefusal(1, "not a member");
        assertEquals(RefusalKind.NOT_A_MEMBER, two.listener.refusalKind(1));
        // The one that refuses tells the log alone: it has no such peer.
        assertEquals(List.of(), one.listener.refusals(2));
    }

    @Test(timeout = 120_000)
    public void addressLeadsToAnotherMember_bothReport() throws Exception {
        one = TestReplica.start(1, Map.of(3, new PeerAddress("127.0.0.1", 1)), UnaryOperator.identity());
        // Replica 3 believes that replica 2 listens where replica 1 does.
        two = TestReplica.start(3, Map.of(2, one.asPeer(1).get(1)), UnaryOperator.identity());
        one.awaitRefusal(3, "wanted to reach replica 2");
        two.awaitRefusal(2, "wanted to reach replica 2");
    }

    @Test(timeout = 120_000)
    public void senderClaimsReceiversId_isRefused() throws Exception {
        one = TestReplica.start(1, TestReplica.expecting(2), UnaryOperator.identity());
        try (RawPeer twin = new RawPeer(one.address())) {
            Refused answer = (Refused) twin.say(RawPeer.hello(1, 1)).hear();
            assertTrue(answer.reason(), answer.reason().contains("same myid"));
            twin.awaitClosed();
        }
        one.awaitRefusal(1, "same myid");
    }

    @Test(timeout = 120_000)
    public void otherVersionConnects_isToldAndReported() throws Exception {
        one = TestReplica.start(1, TestReplica.expecting(2), UnaryOperator.identity());
        byte[] hello = RawPeer.encode(RawPeer.hello(2, 1));
        int version = HandshakeMessage.VERSION + 1;
        hello[5] = (byte) version;
        try (RawPeer newer = new RawPeer(one.address())) {
            Refused answer = (Refused) newer.say(hello).hear();
            assertTrue(answer.reason(), answer.reason().contains("version " + version));
            newer.awaitClosed();
        }
        one.awaitRefusal(2, "version " + version);
    }

    @Test(timeout = 120_000)
    public void somethingElseAnswersAtThePeersAddress_isReportedAndTriedAgain() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            two = TestReplica.start(
                    2, Map.of(1, new PeerAddress("127.0.0.1", other.getLocalPort())), UnaryOperator.identity());
            try (RawPeer answering = new RawPeer(other.accept())) {
                assertTrue(answering.hear() instanceof Hello);
                answering.say("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes());
                two.awaitRefusal(1, "does not speak the replica protocol");
            }
            try (RawPeer again = new RawPeer(other.accept())) {
                assertTrue(again.hear() instanceof Hello);
                again.say(RawPeer.hello(1, 2));
                assertTrue(again.hear() instanceof Accepted);
                two.awaitUp(1);
            }
        }
    }

    @Test(timeout = 120_000)
    public void acceptorOfTheDialedAddressHasAnotherId_isToldAndReported() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            two = TestReplica.start(
                    3, Map.of(1, new PeerAddress("127.0.0.1", other.getLocalPort())), UnaryOperator.identity());
            try (RawPeer answering = new RawPeer(other.accept())) {
                assertTrue(answering.hear() instanceof Hello);
                answering.say(RawPeer.hello(2, 3));
                Refused answer = (Refused) answering.hear();
                assertTrue(answer.reason(), answer.reason().contains("answers as replica 2"));
                answering.awaitClosed();
            }
            two.awaitRefusal(1, "answers as replica 2");
            assertFalse(two.listener.isUp(1));
        }
    }

    @Test(timeout = 120_000)
    public void peerRefusesAfterOurHello_isReportedUnderItsId() throws Exception {
        one = TestReplica.start(1, TestReplica.expecting(2), UnaryOperator.identity());
        try (RawPeer picky = new RawPeer(one.address())) {
            assertTrue(picky.say(RawPeer.hello(2, 1)).hear() instanceof Hello);
            picky.say(Refused.elsewhere("I do not like\nyou"));
            picky.awaitClosed();
        }
        one.awaitRefusal(2, "refused this replica: I do not like you");
        assertEquals(List.of(), one.listener.events(2));
    }
}
