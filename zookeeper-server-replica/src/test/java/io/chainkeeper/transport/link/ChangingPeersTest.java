package io.chainkeeper.transport.link;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.FreePorts;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.transport.LinkStatistics;
import io.chainkeeper.transport.PeerAddress;
import io.chainkeeper.transport.RefusalKind;
import io.chainkeeper.transport.TransportSettings;
import io.chainkeeper.transport.netty.Await;
import io.chainkeeper.transport.netty.NettyPeerTransport;
import io.chainkeeper.transport.netty.RecordingListener;
import io.chainkeeper.transport.netty.TestReplica;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.After;
import org.junit.Test;

/** Members that come, go and move while the others talk. */
public class ChangingPeersTest {
    private static final PeerAddress NOWHERE = new PeerAddress("127.0.0.1", 1);

    private final List<TestReplica> replicas = new ArrayList<>();

    @After
    public void closeReplicas() {
        replicas.forEach(TestReplica::close);
    }

    private TestReplica start(int id, Map<Integer, PeerAddress> others) throws IOException {
        TestReplica replica = TestReplica.start(id, others, UnaryOperator.identity());
        replicas.add(replica);
        return replica;
    }

    private static Map<Integer, PeerAddress> peers(TestReplica... named) {
        Map<Integer, PeerAddress> peers = new TreeMap<>();
        for (TestReplica replica : named) {
            peers.putAll(replica.asPeer(replica.id));
        }
        return peers;
    }

    private static void awaitLinked(TestReplica smaller, TestReplica larger) {
        smaller.awaitUp(larger.id);
        larger.awaitUp(smaller.id);
    }

    private static void assertFlows(TestReplica from, TestReplica to, String text) {
        from.sendNow(to.id, text);
        to.awaitText(from.id, text);
    }

    @Test(timeout = 120_000)
    public void peersAdded_linksComeUpWithWhoeverDials() throws Exception {
        TestReplica two = start(2, Map.of());
        TestReplica one = start(1, Map.of());
        TestReplica three = start(3, Map.of());

        // Of one's own id and address nothing is made.
        one.transport.setPeers(peers(one, two, three));
        two.transport.setPeers(peers(one, two, three));
        three.transport.setPeers(peers(one, two));

        awaitLinked(one, two);
        awaitLinked(one, three);
        awaitLinked(two, three);
        assertFlows(one, two, "from one");
        assertFlows(three, one, "from three");
        assertEquals(List.of(1, 3), List.copyOf(two.transport.statistics().keySet()));
    }

    @Test(timeout = 120_000)
    public void ownAddressChanges_listensThereAndLinksStay() throws Exception {
        TestReplica one = start(1, Map.of(2, NOWHERE, 3, NOWHERE));
        TestReplica two = start(2, one.asPeer(1));
        awaitLinked(one, two);
        int before = one.port();
        int after = FreePorts.next();
        one.transport.setPeers(Map.of(1, new PeerAddress("127.0.0.1", after), 2, NOWHERE, 3, NOWHERE));
        Await.until(() -> "listens at " + after, () -> one.port() == after);
        TestReplica three = start(3, one.asPeer(1));
        awaitLinked(one, three);
        assertEquals("the link that was up stays", 1, two.listener.timesUp(1));
        assertFlows(two, one, "over the old port");
        assertFlows(three, one, "over the new one");
        Await.until(() -> "the old port is closed", () -> !isOpen(before));
        two.transport.setPeers(one.asPeer(1));
        Await.until(() -> "links to the new one", () -> two.listener.timesUp(1) == 2);
    }

    /** Somebody looks every few seconds whether the port is open, for example, before the peer comes. */
    @Test(timeout = 120_000)
    public void ownAddressChangesBehindManyConnections_linksComeUpAtTheFirstAttempt() throws Exception {
        TestReplica one = start(1, Map.of(2, NOWHERE));
        for (int i = 0; i < 200; i++) {
            assertTrue(isOpen(one.port()));
        }
        TestReplica two = start(2, one.asPeer(1));
        awaitLinked(one, two);
        int after = FreePorts.next();
        one.transport.setPeers(Map.of(1, new PeerAddress("127.0.0.1", after), 2, NOWHERE));
        Await.until(() -> "listens at " + after, () -> one.port() == after);
        two.transport.setPeers(one.asPeer(1));
        Await.until("linked at the new port", () -> one.listener.timesUp(2) == 2);
        // Who dials is told last.
        Await.until("linked there too", () -> two.listener.timesUp(1) == 2);
        assertEquals(List.of("up", "down", "up"), two.listener.events(1));
    }

    /** As long as somebody else has the new port, the replica stays where it is. */
    @Test(timeout = 120_000)
    public void newAddressIsTaken_listensAtTheOldOneUntilItIsFree() throws Exception {
        TestReplica one = start(1, Map.of(2, NOWHERE));
        int before = one.port();
        int after;
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            after = taken.getLocalPort();
            one.transport.setPeers(Map.of(1, new PeerAddress("127.0.0.1", after), 2, NOWHERE));
            TestReplica two = start(2, Map.of(1, new PeerAddress("127.0.0.1", before)));
            awaitLinked(one, two);
            assertEquals(before, one.port());
        }
        Await.until(() -> "listens at " + after, () -> one.port() == after);
    }

    private static boolean isOpen(int port) {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    @Test(timeout = 120_000)
    public void onlyOneSideHasAdded_otherIsToldUntilItIsAdded() throws Exception {
        TestReplica one = start(1, Map.of());
        TestReplica two = start(2, one.asPeer(1));
        two.awaitRefusal(1, "not a member");
        assertEquals(RefusalKind.NOT_A_MEMBER, two.listener.refusalKind(1));

        one.transport.setPeers(Map.of(2, NOWHERE));

        awaitLinked(one, two);
        assertFlows(two, one, "at last");
    }

    @Test(timeout = 120_000)
    public void peerRemoved_linkIsDownOnceAndNothingMoreReachesIt() throws Exception {
        TestReplica one = start(1, Map.of(2, NOWHERE, 3, NOWHERE));
        TestReplica two = start(2, Map.of(1, one.asPeer(1).get(1), 3, NOWHERE));
        TestReplica three = start(3, peers(one, two));
        awaitLinked(one, two);
        awaitLinked(one, three);
        awaitLinked(two, three);
        assertFlows(one, three, "before");

        Map<Integer, PeerAddress> rest = Map.of(1, one.asPeer(1).get(1), 2, NOWHERE);
        one.transport.setPeers(rest);
        one.transport.setPeers(rest);
        Await.until("one drops it", () -> !one.listener.isUp(3));
        one.sendNow(3, "after");
        one.transport.disconnect(3, "is gone");
        one.transport.resumeReading(3);
        three.awaitRefusal(1, "not a member");

        assertEquals(List.of("up", "down"), one.listener.events(3));
        assertEquals(List.of("before"), three.texts(1));
        assertEquals(List.of("up"), one.listener.events(2));
        assertEquals(List.of("up"), two.listener.events(3));
        assertEquals(List.of(2), List.copyOf(one.transport.statistics().keySet()));
        assertFlows(two, one, "undisturbed");
    }

    @Test(timeout = 120_000)
    public void peerRemoved_isDialledNoMore() throws Exception {
        try (ServerSocket removed = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            TestReplica two = start(2, Map.of(1, new PeerAddress("127.0.0.1", removed.getLocalPort())));
            TestReplica three = start(3, two.asPeer(2));
            removed.accept().close();
            two.transport.setPeers(Map.of(3, NOWHERE));
            awaitLinked(two, three);

            // Attempts that were under way have ended by now or are cut off; then the port stays quiet.
            removed.setSoTimeout(10 * TestReplica.LIMITS.reconnectMaxMillis());
            int late = 0;
            try {
                while (true) {
                    try (Socket attempt = removed.accept()) {
                        late++;
                    }
                    assertTrue("dialled on: " + late, late < 50);
                }
            } catch (SocketTimeoutException e) {
                assertTrue("still tried " + late + " times", late <= 2);
            }
        }
    }

    @Test(timeout = 120_000)
    public void peerRemovedAndAddedAgain_acknowledgementsStayInStep() throws Exception {
        TestReplica one = start(1, Map.of(2, NOWHERE));
        TestReplica two = start(2, one.asPeer(1));
        awaitLinked(one, two);

        for (int i = 1; i <= 5; i++) {
            int times = i + 1;
            one.transport.setPeers(Map.of());
            Await.until("down", () -> !one.listener.isUp(2));
            one.transport.setPeers(Map.of(2, NOWHERE));
            Await.until("up again", () -> one.listener.timesUp(2) >= times);
        }
        two.awaitUp(1);
        // The sender has seen none of it yet: not before it has caught up does anything leave.
        one.transport.send(2, new ByteSlice[] {ByteSlice.of("stale".getBytes())});
        one.sendNow(2, "caught up");

        two.awaitText(1, "caught up");
        assertEquals(List.of("caught up"), two.texts(1));
    }

    @Test(timeout = 120_000)
    public void peerMoves_isDialledAtItsNewAddressAndTheOldLinkIsClosed() throws Exception {
        TestReplica before = start(1, Map.of(2, NOWHERE));
        TestReplica two = start(2, before.asPeer(1));
        awaitLinked(before, two);
        TestReplica after = start(1, Map.of(2, NOWHERE));

        two.transport.setPeers(after.asPeer(1));

        after.awaitUp(2);
        Await.until("down and up", () -> two.listener.events(1).equals(List.of("up", "down", "up")));
        Await.until("closed", () -> !before.listener.isUp(2));
        assertFlows(two, after, "here now");
        assertEquals(List.of(), before.texts(2));
    }

    @Test(timeout = 120_000)
    public void peerThatDialsUsMoves_itsLinkIsReopened() throws Exception {
        TestReplica one = start(1, Map.of(2, NOWHERE));
        TestReplica two = start(2, one.asPeer(1));
        awaitLinked(one, two);

        one.transport.setPeers(Map.of(2, new PeerAddress("127.0.0.1", 2)));

        Await.until("reopened", () -> one.listener.timesUp(2) == 2);
        Await.until("reopened there too", () -> two.listener.timesUp(1) == 2);
        assertFlows(one, two, "again");
    }

    @Test(timeout = 120_000)
    public void sameSetAgain_disturbsNoLink() throws Exception {
        TestReplica one = start(1, Map.of(2, NOWHERE));
        TestReplica two = start(2, one.asPeer(1));
        awaitLinked(one, two);
        for (int i = 0; i < 100; i++) {
            one.transport.setPeers(Map.of(2, NOWHERE));
            two.transport.setPeers(one.asPeer(1));
        }
        assertFlows(two, one, "same link");
        assertFlows(one, two, "both ways");
        assertEquals(List.of("up"), one.listener.events(2));
        assertEquals(List.of("up"), two.listener.events(1));
    }

    @Test(timeout = 120_000)
    public void membershipChangesWhileFramesFlow_eachLinkEpochIsWithoutGaps() throws Exception {
        TestReplica one = start(1, Map.of(2, NOWHERE));
        Epochs epochs = new Epochs();
        one.listener.answerFrames(epochs::take);
        TestReplica two = start(2, one.asPeer(1));
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread sender = new Thread(() -> {
            try {
                sendEpochs(two, one);
            } catch (Throwable e) {
                failure.set(e);
            }
        });
        sender.start();
        for (int i = 0; i < 30; i++) {
            int before = epochs.total();
            Await.until(() -> "more than " + before + " frames; " + failure, () -> epochs.total() > before + 20);
            int times = one.listener.timesUp(2);
            if (i % 3 == 0) {
                one.transport.setPeers(Map.of());
            } else if (i % 3 == 1) {
                two.transport.setPeers(Map.of());
            } else {
                two.transport.setPeers(Map.of(1, new PeerAddress("localhost", one.port())));
            }
            Await.until("closed", () -> !one.listener.isUp(2) || one.listener.timesUp(2) > times);
            one.transport.setPeers(Map.of(2, NOWHERE));
            two.transport.setPeers(one.asPeer(1));
        }
        two.close();
        sender.join();
        replicas.remove(two);
        assertEquals(null, failure.get());
        assertEquals("", epochs.violation());
        assertTrue("epochs: " + epochs.count(), epochs.count() >= 30);
    }

    /** Numbers the frames from 0 in each epoch of the link, as the sending thread knows it, until it is closed. */
    private static void sendEpochs(TestReplica from, TestReplica to) {
        int epoch = 0;
        int number = 0;
        while (!from.isClosed()) {
            int times = from.listener.timesUp(1);
            if (times != epoch) {
                from.acknowledge(1);
                epoch = times;
                number = 0;
            }
            from.transport.send(1, new ByteSlice[] {
                ByteSlice.of(
                        ByteBuffer.allocate(8).putInt(epoch).putInt(number++).array())
            });
            from.transport.flush();
            Await.until("queue shrinks", () -> from.isClosed() || queued(from) < 1 << 16);
        }
    }

    private static long queued(TestReplica from) {
        LinkStatistics statistics = from.statistics(1);
        return statistics == null ? 0 : statistics.outboundQueueBytes();
    }

    /** What the receiver saw of each of the sender's epochs. */
    private static final class Epochs {
        private final Map<Integer, Integer> next = new TreeMap<>();
        private final AtomicInteger total = new AtomicInteger();
        private String violation = "";

        synchronized boolean take(int peer, ByteSlice frame) {
            ByteBuffer bytes = frame.asByteBuffer();
            int epoch = bytes.getInt();
            int number = bytes.getInt();
            if (number != next.getOrDefault(epoch, 0)) {
                violation = "epoch " + epoch + ": frame " + number + " after " + next;
            }
            next.put(epoch, number + 1);
            total.incrementAndGet();
            return true;
        }

        int total() {
            return total.get();
        }

        synchronized int count() {
            return next.size();
        }

        synchronized String violation() {
            return violation;
        }
    }

    @Test(timeout = 120_000)
    public void peersSetBeforeTheStart_takeThePlaceOfTheFirstOnes() throws Exception {
        TestReplica one = start(1, Map.of(2, NOWHERE));
        Map<Integer, PeerAddress> members = Map.of(1, NOWHERE, 2, new PeerAddress("127.0.0.1", 0));
        RecordingListener listener = new RecordingListener();
        try (NettyPeerTransport transport = new NettyPeerTransport(TransportSettings.builder(2, "chain", members)
                .limits(TestReplica.LIMITS)
                .build())) {
            transport.setPeers(one.asPeer(1));
            transport.start(listener);
            one.awaitUp(2);
            Await.until("up", () -> listener.isUp(1));
        }
    }

    @Test(timeout = 120_000)
    public void whatIsAskedForStrangers_isNotDone() throws Exception {
        TestReplica one = start(1, Map.of());
        for (int stranger : List.of(-1, 0, 1, 7, 255, 256, Integer.MAX_VALUE)) {
            one.transport.acknowledgeUp(stranger);
            one.transport.send(stranger, new ByteSlice[] {ByteSlice.EMPTY});
            one.transport.resumeReading(stranger);
            one.transport.disconnect(stranger, "is a stranger");
            assertThrows(IOException.class, () -> one.transport.openStateChannel(stranger));
        }
        one.transport.flush();
        assertFalse(one.listener.isUp(7));
    }

    @Test(timeout = 120_000)
    public void idsOutOfRange_areADefect() throws Exception {
        TestReplica one = start(1, Map.of());
        for (int id : List.of(-1, 0, 256)) {
            assertThrows(InvariantViolated.class, () -> one.transport.setPeers(Map.of(id, NOWHERE)));
        }
    }

    @Test(timeout = 120_000)
    public void setAfterTheClose_doesNothing() throws Exception {
        TestReplica one = start(1, Map.of());
        one.close();
        one.transport.setPeers(Map.of(2, NOWHERE));
        assertEquals(List.of(), one.listener.events(2));
    }
}
