package io.chainkeeper.server.transfer;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.transport.StateChannel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Whom the fetch asks, and when. */
public final class SnapshotReceiverTest {
    private static final long DEADLINE_SECONDS = 10;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final BlockingQueue<Integer> asked = new LinkedBlockingQueue<>();
    private final CountDownLatch fetched = new CountDownLatch(1);
    private final AtomicReference<String> failure = new AtomicReference<>();
    private final AtomicLong nowNanos = new AtomicLong(1);
    private final AtomicLong executed = new AtomicLong();
    private MemberFiles sender;
    private MemberFiles receiver;
    private SnapshotSender source;
    private SnapshotReceiver fetch;

    @Before
    public void open() throws IOException {
        sender = new MemberFiles(folder.getRoot().toPath().resolve("sender"), 1);
        sender.execute(100);
        sender.snapshot(10);
        receiver = new MemberFiles(folder.getRoot().toPath().resolve("receiver"), 3);
        source = sender.source(4096);
        fetch = fetch(peer -> {
            asked.add(peer);
            if (peer != 1) {
                throw new IOException("server " + peer + " is down");
            }
            return channel();
        });
    }

    @After
    public void close() throws IOException {
        fetch.close();
        source.close();
        sender.close();
        receiver.close();
        assertNull(failure.get());
    }

    private SnapshotReceiver fetch(SnapshotReceiver.Connector connector) {
        return new SnapshotReceiver(
                3,
                receiver.ordering,
                connector,
                executed::get,
                fetched::countDown,
                (message, cause) -> failure.set(message),
                TransferBounds.DEFAULT,
                new OwnClock(nowNanos));
    }

    private StateChannel channel() {
        return new StateChannel() {
            @Override
            public ByteSlice call(ByteSlice request) throws IOException {
                return source.answer(3, request, () -> ByteSlice.EMPTY);
            }

            @Override
            public void close() {}
        };
    }

    /** Says it until somebody is asked: the attempt before may be about to end. */
    private int needUntilAsked(int peer) throws InterruptedException {
        return needUntilAsked(peer, 0);
    }

    /** As much later as whoever was asked in vain is left alone, also if that attempt is only about to end. */
    private int needLaterUntilAsked(int peer) throws InterruptedException {
        return needUntilAsked(peer, TimeUnit.SECONDS.toNanos(6));
    }

    private int needUntilAsked(int peer, long passingNanos) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        Integer who = null;
        while (who == null && System.nanoTime() < deadline) {
            nowNanos.addAndGet(passingNanos);
            fetch.stateNeeded(peer, 50);
            who = asked.poll(10, TimeUnit.MILLISECONDS);
        }
        return who == null ? 0 : who;
    }

    @Test
    public void memberIsDown_theNextOneNamedIsAskedAtOnce() throws Exception {
        assertEquals(2, needUntilAsked(2));
        assertEquals(1, needUntilAsked(1));
        assertTrue(fetched.await(DEADLINE_SECONDS, TimeUnit.SECONDS));
        assertTrue(Files.exists(receiver.ordering.resolve("incoming").resolve("complete")));
        long total = fetch.gauges().get("state_transfer_total_bytes").getAsLong();
        assertTrue(total > 0);
        assertEquals(total, fetch.gauges().get("state_transfer_bytes").getAsLong());
    }

    @Test
    public void sameMemberIsNamedAgainAndAgain_isAskedAfterAPause() throws Exception {
        assertEquals(2, needUntilAsked(2));
        // Another attempt has begun and ended, so the first one has too.
        assertEquals(4, needUntilAsked(4));
        assertEquals(2, needUntilAsked(2));
        fetch.stateNeeded(2, 50);
        assertNull(asked.poll(50, TimeUnit.MILLISECONDS));
        assertEquals(2, needLaterUntilAsked(2));
    }

    /** Who names them in turn may name each one always while the same one is asked in vain. */
    @Test
    public void memberGivesNoAnswer_whoWasNamedMeanwhileIsAskedNext() throws Exception {
        CountDownLatch givenUp = new CountDownLatch(1);
        fetch = fetch(peer -> {
            asked.add(peer);
            if (peer == 2) {
                awaitUninterruptibly(givenUp);
                throw new IOException("server 2 gives no answer");
            }
            return channel();
        });
        assertEquals(2, needUntilAsked(2));
        fetch.stateNeeded(1, 50);
        fetch.stateNeeded(2, 50);
        givenUp.countDown();
        assertEquals(Integer.valueOf(1), asked.poll(DEADLINE_SECONDS, TimeUnit.SECONDS));
        assertTrue(fetched.await(DEADLINE_SECONDS, TimeUnit.SECONDS));
    }

    /** Its disk may hang while it takes a snapshot for this replica: it says so each time, without end. */
    @Test
    public void memberPreparesItsStateForLong_whoWasNamedMeanwhileIsAskedNext() throws Exception {
        AtomicLong answers = new AtomicLong();
        fetch = fetch(peer -> {
            asked.add(peer);
            return peer == 1 ? channel() : preparing(answers);
        });
        assertEquals(2, needUntilAsked(2));
        fetch.stateNeeded(1, 50);
        assertEquals(Integer.valueOf(1), asked.poll(DEADLINE_SECONDS, TimeUnit.SECONDS));
        assertTrue(fetched.await(DEADLINE_SECONDS, TimeUnit.SECONDS));
        assertTrue(answers.get() + " answers of a second each", answers.get() >= 10);
    }

    @Test
    public void memberPreparesItsStateForLong_nobodyElseIsNamed_isAskedOn() throws Exception {
        AtomicLong answers = new AtomicLong();
        fetch = fetch(peer -> {
            asked.add(peer);
            return preparing(answers);
        });
        assertEquals(2, needUntilAsked(2));
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        while (answers.get() < 100 && System.nanoTime() < deadline) {
            fetch.stateNeeded(2, 50);
        }
        assertTrue(answers.get() >= 100);
        assertNull(asked.poll());
    }

    /** A member that only says, once a second, that it prepares its state. */
    private StateChannel preparing(AtomicLong answers) {
        return new StateChannel() {
            @Override
            public ByteSlice call(ByteSlice request) {
                answers.incrementAndGet();
                nowNanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
                return StateAnswer.empty(StateAnswer.Kind.PREPARING).encode();
            }

            @Override
            public void close() {}
        };
    }

    /** The files of another member may be others. */
    @Test
    public void transferBreaksOff_isContinuedWithTheSameMemberUntilItBringsNothing() throws Exception {
        AtomicLong callsLeft = new AtomicLong(5);
        CountDownLatch brokeOff = new CountDownLatch(1);
        fetch = fetch(peer -> {
            asked.add(peer);
            return new StateChannel() {
                @Override
                public ByteSlice call(ByteSlice request) throws IOException {
                    if (callsLeft.decrementAndGet() < 0) {
                        brokeOff.countDown();
                        throw new IOException("it broke off");
                    }
                    return source.answer(3, request, () -> ByteSlice.EMPTY);
                }

                @Override
                public void close() {}
            };
        });
        assertEquals(1, needUntilAsked(1));
        assertTrue(brokeOff.await(DEADLINE_SECONDS, TimeUnit.SECONDS));
        fetch.stateNeeded(2, 50);
        assertNull(asked.poll(50, TimeUnit.MILLISECONDS));
        assertEquals("it is continued", 1, needLaterUntilAsked(2));
        assertEquals("the second attempt has brought nothing", 2, needUntilAsked(2));
    }

    @Test
    public void completeStateWaitsForTheNewStart_nothingIsFetchedAgain() throws Exception {
        assertEquals(1, needUntilAsked(1));
        assertTrue(fetched.await(DEADLINE_SECONDS, TimeUnit.SECONDS));
        fetch.stateNeeded(2, 50);
        assertNull(asked.poll(50, TimeUnit.MILLISECONDS));
    }

    @Test
    public void orderHasCaughtUpMeanwhile_whatWasFetchedIsDeleted() throws Exception {
        executed.set(1_000);
        assertEquals(1, needUntilAsked(1));
        // Only after the first attempt has ended another one begins.
        assertEquals(2, needUntilAsked(2));
        assertEquals(Map.of(), receiver.incoming());
        assertEquals("nothing to install", 1, fetched.getCount());
    }

    @Test
    public void brokenTransferIsCoveredByAnOwnSnapshot_isDeleted() throws Exception {
        try (IncomingState incoming = new IncomingState(receiver.ordering)) {
            ByteSlice manifest = StateAnswer.decode(source.answer(
                            3, StateRequest.manifest(StateRequest.NEWEST, 0).encode(), () -> ByteSlice.EMPTY))
                    .body();
            incoming.begin(StateManifest.decode(manifest, "a manifest"));
        }
        Path begun = receiver.ordering.resolve("incoming");
        fetch.covered(99);
        assertTrue(Files.exists(begun));
        fetch.covered(100);
        assertFalse(Files.exists(begun));
    }

    @Test
    public void closedWhileACallWaits_endsIt() throws Exception {
        CountDownLatch waiting = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        SnapshotReceiver stuck = fetch(peer -> new StateChannel() {
            @Override
            public ByteSlice call(ByteSlice request) throws IOException {
                waiting.countDown();
                awaitUninterruptibly(closed);
                throw new IOException("closed");
            }

            @Override
            public void close() {
                closed.countDown();
            }
        });
        stuck.stateNeeded(1, 50);
        assertTrue(waiting.await(DEADLINE_SECONDS, TimeUnit.SECONDS));
        stuck.close();
        stuck.stateNeeded(1, 50);
        assertEquals(1, fetched.getCount());
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        boolean interrupted = false;
        while (true) {
            try {
                latch.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
