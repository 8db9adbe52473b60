package io.chainkeeper.transport.netty;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.FreePorts;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.transport.PeerAddress;
import io.chainkeeper.transport.RefusalKind;
import io.chainkeeper.transport.TransportLimits;
import io.chainkeeper.transport.TransportSettings;
import io.chainkeeper.transport.handshake.HandshakeMessage;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.After;
import org.junit.Test;

public class NettyPeerTransportTest {
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

    private void startPair(UnaryOperator<TransportSettings.Builder> changes) throws IOException {
        one = TestReplica.start(1, TestReplica.expecting(2), changes);
        two = TestReplica.start(2, one.asPeer(1), changes);
        one.awaitUp(2);
        two.awaitUp(1);
    }

    private static UnaryOperator<TransportSettings.Builder> limits(TransportLimits limits) {
        return settings -> settings.limits(limits);
    }

    /** Sends numbered frames of random length and content, each in two parts, from a thread of its own. */
    private static final class NumberedSender extends Thread {
        private static final int WINDOW_BYTES = 2 << 20;

        private final TestReplica from;
        private final int to;
        private final int count;
        private volatile Throwable failure;

        NumberedSender(TestReplica from, int to, int count) {
            this.from = from;
            this.to = to;
            this.count = count;
            from.acknowledge(to);
        }

        @Override
        public void run() {
            try {
                Random random = new Random(count);
                for (int i = 0; i < count; i++) {
                    byte[] number = ByteBuffer.allocate(4).putInt(i).array();
                    byte[] body = new byte[random.nextInt(random.nextInt(50) == 0 ? 300_000 : 600)];
                    java.util.Arrays.fill(body, (byte) i);
                    from.transport.send(to, new ByteSlice[] {ByteSlice.of(number), ByteSlice.of(body)});
                    if (random.nextInt(8) == 0 || from.statistics(to).outboundQueueBytes() > WINDOW_BYTES) {
                        from.transport.flush();
                        Await.until("queue shrinks", () -> from.statistics(to).outboundQueueBytes() <= WINDOW_BYTES);
                    }
                }
                from.transport.flush();
            } catch (Throwable e) {
                failure = e;
            }
        }
    }

    /** Checks number and content of frames as they come. */
    private static AtomicLong countInOrder(TestReplica replica) {
        AtomicLong next = new AtomicLong();
        AtomicBoolean broken = new AtomicBoolean();
        replica.listener.answerFrames((peer, frame) -> {
            long expected = next.get();
            boolean right = frame.asByteBuffer().getInt() == expected;
            for (int i = 4; right && i < frame.length(); i++) {
                right = frame.get(i) == (byte) expected;
            }
            if (!right) {
                broken.set(true);
            }
            if (!broken.get()) {
                next.incrementAndGet();
            }
            return true;
        });
        return next;
    }

    @Test(timeout = 120_000)
    public void bothSidesSendUnderLoad_framesArriveInOrderWithoutGaps() throws Exception {
        startPair(UnaryOperator.identity());
        int count = 30_000;
        AtomicLong atOne = countInOrder(one);
        AtomicLong atTwo = countInOrder(two);
        NumberedSender fromOne = new NumberedSender(one, 2, count);
        NumberedSender fromTwo = new NumberedSender(two, 1, count);
        fromOne.start();
        fromTwo.start();
        fromOne.join();
        fromTwo.join();

        assertEquals(null, fromOne.failure);
        assertEquals(null, fromTwo.failure);
        Await.until(
                () -> "all frames, but " + atOne + " and " + atTwo, () -> atOne.get() == count && atTwo.get() == count);
        assertEquals(count, one.statistics(2).framesIn());
        assertEquals(count, two.statistics(1).framesOut());
        assertEquals(two.statistics(1).bytesOut(), one.statistics(2).bytesIn());
        assertEquals(0, one.statistics(2).reconnects());
        Await.until("queues empty", () -> one.statistics(2).outboundQueueBytes() == 0);
    }

    /** The I/O thread writes at once; what another thread has handed over before must not be overtaken. */
    @Test(timeout = 120_000)
    public void ioThreadSendsAfterAnotherThread_framesArriveInThatOrder() throws Exception {
        startPair(UnaryOperator.identity());
        CountDownLatch handOver = new CountDownLatch(1);
        assertTrue(two.transport.execute(() -> {
            try {
                handOver.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            two.sendNow(1, "second");
        }));
        two.sendNow(1, "first");
        handOver.countDown();
        one.awaitText(2, "second");
        assertEquals(List.of("first", "second"), one.texts(2));
    }

    @Test(timeout = 120_000)
    public void frameAsLongAsAllowed_arrives() throws Exception {
        startPair(UnaryOperator.identity());
        byte[] largest = new byte[TestReplica.LIMITS.maxFrameBytes()];
        new Random(3).nextBytes(largest);

        two.send(1, largest);
        two.transport.flush();

        Await.until("the frame", () -> one.listener.frames(2).size() == 1);
        assertEquals(ByteSlice.of(largest), one.listener.frames(2).get(0));
    }

    @Test(timeout = 120_000)
    public void frameLongerThanAllowed_isADefectOfTheSender() throws Exception {
        startPair(UnaryOperator.identity());
        byte[] tooLong = new byte[TestReplica.LIMITS.maxFrameBytes() + 1];

        assertThrows(InvariantViolated.class, () -> two.send(1, tooLong));
    }

    @Test(timeout = 120_000)
    public void peerRestarts_linkComesBackAndEventsAreBracketed() throws Exception {
        startPair(UnaryOperator.identity());
        two.sendNow(1, "before");
        one.awaitText(2, "before");
        two.close();
        Await.until("one notices", () -> !one.listener.isUp(2));

        two = TestReplica.start(2, one.asPeer(1), UnaryOperator.identity());
        two.awaitUp(1);
        two.sendNow(1, "after");
        one.awaitText(2, "after");
        one.sendNow(2, "answer");
        two.awaitText(1, "answer");

        assertEquals(List.of("up", "down", "up"), one.listener.events(2));
        assertEquals(1, one.statistics(2).reconnects());
    }

    @Test(timeout = 120_000)
    public void smallerIdRestarts_largerIdFindsItAgain() throws Exception {
        // The system gives this port to nobody else while nobody listens there.
        Map<Integer, PeerAddress> members =
                Map.of(1, new PeerAddress("127.0.0.1", FreePorts.next()), 2, new PeerAddress("127.0.0.1", 1));
        one = TestReplica.start(1, members, UnaryOperator.identity());
        two = TestReplica.start(2, one.asPeer(1), UnaryOperator.identity());
        one.awaitUp(2);
        two.awaitUp(1);
        one.close();
        Await.until("two notices", () -> !two.listener.isUp(1));

        one = TestReplica.start(1, members, UnaryOperator.identity());
        one.awaitUp(2);
        two.awaitUp(1);
        two.sendNow(1, "again");
        one.awaitText(2, "again");
    }

    @Test(timeout = 120_000)
    public void sameMemberConnectsAgain_oldLinkIsDownBeforeNewIsUp() throws Exception {
        one = TestReplica.start(1, TestReplica.expecting(2), UnaryOperator.identity());
        try (RawPeer first = new RawPeer(one.address())) {
            first.join(2, 1).sayFrame("of the first");
            one.awaitText(2, "of the first");
            try (RawPeer second = new RawPeer(one.address())) {
                second.join(2, 1).sayFrame("of the second");
                one.awaitText(2, "of the second");
                first.awaitClosed();
                assertEquals(List.of("up", "down", "up"), one.listener.events(2));
            }
        }
    }

    @Test(timeout = 120_000)
    public void connectionThatPeerHasGivenUpFinishesItsHandshake_itsFramesDoNotComeBehindLaterOnes() throws Exception {
        one = TestReplica.start(1, TestReplica.expecting(2), UnaryOperator.identity());
        byte[][] late = {RawPeer.encode(new HandshakeMessage.Accepted()), RawPeer.frame("earlier")};
        try (RawPeer slow = new RawPeer(one.address());
                RawPeer slower = new RawPeer(one.address())) {
            assertTrue(slow.say(RawPeer.hello(2, 1)).hear() instanceof HandshakeMessage.Hello);
            assertTrue(slower.say(RawPeer.hello(2, 1)).hear() instanceof HandshakeMessage.Hello);
            try (RawPeer next = new RawPeer(one.address())) {
                next.join(2, 1).sayFrame("later");
                one.awaitText(2, "later");
                slow.sayAtOnce(late);
                slow.awaitClosed();
                next.sayFrame("last");
                one.awaitText(2, "last");
            }
            Await.until("down", () -> !one.listener.isUp(2));
            slower.sayAtOnce(late);
            slower.awaitClosed();
        }
        assertEquals(List.of("up", "down"), one.listener.events(2));
        assertEquals(List.of("later", "last"), one.texts(2));
    }

    @Test(timeout = 120_000)
    public void earlierStartOfSameMemberConnects_isRefusedAndLinkStays() throws Exception {
        one = TestReplica.start(1, TestReplica.expecting(2), UnaryOperator.identity());
        two = TestReplica.start(2, one.asPeer(1), settings -> settings.incarnation(5));
        one.awaitUp(2);
        try (RawPeer stale = new RawPeer(one.address())) {
            stale.say(new HandshakeMessage.Hello(2, 1, 4, 0, 0, HandshakeMessage.Purpose.LINK, "chain"));
            HandshakeMessage answer = stale.hear();
            assertTrue(answer instanceof HandshakeMessage.Refused);
            assertEquals(RefusalKind.LINKED_ALREADY, ((HandshakeMessage.Refused) answer).kind());
            stale.awaitClosed();
        }
        one.awaitRefusal(2, "same myid");
        assertEquals(List.of("up"), one.listener.events(2));
    }

    @Test(timeout = 120_000)
    public void linkBrokeSinceSenderLooked_frameDoesNotSlipIntoTheNextLink() throws Exception {
        one = TestReplica.start(1, TestReplica.expecting(2), UnaryOperator.identity());
        try (RawPeer first = new RawPeer(one.address())) {
            first.join(2, 1);
            one.awaitUp(2);
            one.acknowledge(2);
            two = TestReplica.start(2, one.asPeer(1), UnaryOperator.identity());
            Await.until("replaced", () -> one.listener.timesUp(2) == 2);
            two.awaitUp(1);

            one.transport.send(2, new ByteSlice[] {ByteSlice.of("for the first".getBytes())});
            one.transport.flush();
            one.sendNow(2, "for the second");

            two.awaitText(1, "for the second");
            assertEquals(List.of("for the second"), two.texts(1));
        }
    }

    @Test(timeout = 120_000)
    public void upAcknowledgedWithoutBeingTold_isADefect() throws Exception {
        one = TestReplica.start(1, TestReplica.expecting(2), UnaryOperator.identity());

        assertThrows(InvariantViolated.class, () -> one.transport.acknowledgeUp(2));
    }

    @Test(timeout = 120_000)
    public void peerDoesNotRead_linkIsClosedAtTheBoundNotThinnedOut() throws Exception {
        one = TestReplica.start(1, TestReplica.expecting(2), UnaryOperator.identity());
        try (RawPeer deaf = new RawPeer(one.address())) {
            deaf.join(2, 1);
            one.awaitUp(2);
            byte[] frame = new byte[256 << 10];
            long bound = TestReplica.LIMITS.maxOutboundBytesPerLink();
            one.acknowledge(2);
            // What is sent once the bound is reached is dropped at once: the I/O thread may be many such frames behind.
            Await.until("closed", () -> {
                one.transport.send(2, new ByteSlice[] {ByteSlice.of(frame)});
                one.transport.flush();
                assertTrue(one.statistics(2).outboundQueueBytes() <= bound + frame.length + 4);
                return !one.listener.isUp(2);
            });
            deaf.awaitClosed();
        }
        assertEquals(List.of("up", "down"), one.listener.events(2));

        two = TestReplica.start(2, one.asPeer(1), UnaryOperator.identity());
        one.awaitUp(2);
        two.awaitUp(1);
        one.sendNow(2, "fresh");
        two.awaitText(1, "fresh");
    }

    @Test(timeout = 120_000)
    public void listenerHasEnough_senderIsHeldUpNothingIsLostAndMemoryStaysBounded() throws Exception {
        startPair(limits(TestReplica.LIMITS.withSizes(1 << 20, 64 << 20)));
        AtomicLong taken = new AtomicLong();
        AtomicLong takenSinceResume = new AtomicLong();
        AtomicLong mostTakenAtOnce = new AtomicLong();
        one.listener.answerFrames((peer, frame) -> {
            taken.incrementAndGet();
            mostTakenAtOnce.accumulateAndGet(takenSinceResume.incrementAndGet(), Math::max);
            return false;
        });
        int count = 500;
        byte[] frame = new byte[32 << 10];
        two.acknowledge(1);
        for (int i = 0; i < count; i++) {
            two.transport.send(1, new ByteSlice[] {ByteSlice.of(frame)});
        }
        two.transport.flush();

        Await.until("the first frame", () -> taken.get() > 0);
        long before = 0;
        while (taken.get() < count) {
            long seen = before;
            Await.until(() -> "more than " + seen + " frames", () -> taken.get() > seen);
            before = taken.get();
            takenSinceResume.set(0);
            one.transport.resumeReading(2);
        }

        assertEquals(List.of("up"), one.listener.events(2));
        // What was in one buffer of the socket when the listener said stop, and no more.
        assertTrue("taken at once: " + mostTakenAtOnce, mostTakenAtOnce.get() <= 8);
    }

    @Test(timeout = 120_000)
    public void listenerFails_linkIsClosedAndTheDefectIsNotSwallowed() throws Exception {
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        AtomicReference<Throwable> uncaught = new AtomicReference<>();
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> uncaught.set(failure));
        try {
            startPair(UnaryOperator.identity());
            one.listener.answerFrames((peer, frame) -> {
                throw new InvariantViolated("seen by the test");
            });
            two.sendNow(1, "poison");
            Await.until("the handler is told", () -> uncaught.get() != null);
            assertEquals("seen by the test", uncaught.get().getMessage());
            Await.until("closed", () -> one.listener.events(2).contains("down"));
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
    }

    @Test(timeout = 120_000)
    public void resumeWithoutPause_changesNothing() throws Exception {
        startPair(UnaryOperator.identity());
        one.transport.resumeReading(2);
        two.sendNow(1, "x");
        one.awaitText(2, "x");
    }

    @Test(timeout = 120_000)
    public void portIsTaken_startNamesAddressAndRemedy() throws Exception {
        one = TestReplica.start(1, TestReplica.expecting(2), UnaryOperator.identity());
        Map<Integer, PeerAddress> same = Map.of(3, new PeerAddress("127.0.0.1", one.port()));

        IOException refused =
                assertThrows(IOException.class, () -> TestReplica.start(3, same, UnaryOperator.identity()));

        assertTrue(refused.getMessage(), refused.getMessage().contains(":" + one.port()));
        assertTrue(refused.getMessage(), refused.getMessage().contains("server.3"));
        assertNoThreadOf(3);
    }

    @Test(timeout = 120_000)
    public void close_tellsTheListenerAndLeavesNoThread() throws Exception {
        startPair(UnaryOperator.identity());
        assertTrue(hasThreadOf(2));

        two.close();

        assertEquals(List.of("up", "down"), two.listener.events(1));
        assertNoThreadOf(2);
        two.transport.close();
        two.transport.send(1, new ByteSlice[] {ByteSlice.EMPTY});
        two.transport.flush();
        two.transport.resumeReading(1);
    }

    @Test(timeout = 120_000)
    public void close_leavesNoPortOpen() throws Exception {
        startPair(UnaryOperator.identity());
        for (int i = 0; i < 30; i++) {
            InetSocketAddress address = two.address();
            two.close();
            assertThrows(ConnectException.class, () -> new Socket(address.getAddress(), address.getPort()).close());
            two = TestReplica.start(2, one.asPeer(1), UnaryOperator.identity());
            two.awaitUp(1);
        }
    }

    @Test(timeout = 120_000)
    public void closedWhileConnecting_leavesNoThread() throws Exception {
        for (int i = 0; i < 20; i++) {
            TestReplica lonely =
                    TestReplica.start(2, Map.of(1, new PeerAddress("127.0.0.1", 9)), UnaryOperator.identity());
            lonely.close();
        }
        assertNoThreadOf(2);
    }

    private static boolean hasThreadOf(int id) {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .anyMatch(name -> name.matches("peer-(io|blocking|answer)-" + id));
    }

    private static void assertNoThreadOf(int id) {
        assertFalse("threads left", hasThreadOf(id));
    }
}
