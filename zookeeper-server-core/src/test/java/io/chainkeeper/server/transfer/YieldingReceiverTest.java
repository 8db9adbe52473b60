package io.chainkeeper.server.transfer;

import static io.chainkeeper.server.transfer.MemberFiles.PROMISE;
import static org.junit.Assert.assertEquals;

import io.chainkeeper.ordering.ByteSlice;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** For how long the order is kept for a member that has received a state, when the order has no room. */
public final class YieldingReceiverTest {
    private static final int CHUNK_BYTES = 4096;
    private static final int RECEIVER = 3;
    private static final long NOBODY = Long.MAX_VALUE;

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    private final AtomicLong nowNanos = new AtomicLong();
    private final Map<Integer, Long> linkedSinceNanos = new TreeMap<>(Map.of(RECEIVER, -1L));
    private MemberFiles files;
    private SnapshotSender sender;

    @Before
    public void receive() throws IOException {
        files = new MemberFiles(folder.getRoot().toPath(), 1);
        files.execute(30);
        files.snapshot(0);
        sender = files.source(CHUNK_BYTES, new OwnClock(nowNanos));
        ask();
    }

    @After
    public void close() throws IOException {
        sender.close();
        files.close();
    }

    private void ask() throws IOException {
        ByteSlice request = StateRequest.manifest(30, 0).encode();
        sender.answer(RECEIVER, request, () -> PROMISE);
        assertEquals(30, sender.lowestPositionInUse());
    }

    private void assertHeldAfter(long millis, long position) {
        nowNanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
        sender.yieldIdle(linkedSinceNanos);
        assertEquals(position, sender.lowestPositionInUse());
    }

    @Test
    public void asksNoMoreAndHasNotStarted_isWaitedForForTenSeconds() {
        assertHeldAfter(9_999, 30);
        assertHeldAfter(1, NOBODY);
    }

    @Test
    public void hasStartedFromIt_givesWayAtOnce() {
        assertHeldAfter(2_000, 30);
        sender.memberStarted(RECEIVER);
        assertHeldAfter(0, NOBODY);
    }

    /** Its start is not executed: the order has no room for it before this one gives way. */
    @Test
    public void isLinkedAnewSinceItAskedLast_givesWayAtOnce() {
        assertHeldAfter(2_000, 30);
        linkedSinceNanos.remove(RECEIVER);
        assertHeldAfter(10, 30);
        linkedSinceNanos.put(RECEIVER, nowNanos.get());
        assertHeldAfter(0, NOBODY);
    }

    @Test
    public void isLinkedAnewAndGoesOnReceiving_isWaitedFor() throws Exception {
        nowNanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(500));
        linkedSinceNanos.put(RECEIVER, nowNanos.get());
        assertHeldAfter(100, 30);
        ask();
        assertHeldAfter(9_999, 30);
    }

    @Test
    public void startIsExecutedWhileItStillReceives_isWaitedFor() throws Exception {
        sender.memberStarted(RECEIVER);
        for (int i = 0; i < 20; i++) {
            assertHeldAfter(999, 30);
            ask();
        }
        assertHeldAfter(1_000, NOBODY);
    }

    @Test
    public void startedBeforeItAsked_isWaitedForAsOthers() throws Exception {
        sender.memberStarted(RECEIVER);
        assertHeldAfter(1_000, NOBODY);
        ask();
        assertHeldAfter(9_999, 30);
    }

    @Test
    public void anotherMemberStarts_nothingChanges() {
        sender.memberStarted(RECEIVER + 1);
        assertHeldAfter(9_999, 30);
    }

    /**
     * Else each further one would wait for ten seconds, although nobody needs the places any more: a start is told
     * through the order, and nothing is ordered while a quorum lacks its state.
     */
    @Test
    public void allPlacesAreTaken_whoAsksNoMoreGivesItsPlaceToTheNext() throws Exception {
        int next = takeAllPlaces();
        nowNanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(999));
        assertEquals(StateAnswer.Kind.NOTHING, kindOfAnswerTo(next));
        for (int member = RECEIVER + 1; member < next; member++) {
            assertEquals(StateAnswer.Kind.MANIFEST, kindOfAnswerTo(member));
        }
        nowNanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));
        assertEquals(StateAnswer.Kind.MANIFEST, kindOfAnswerTo(next));
        assertEquals(StateAnswer.Kind.NOTHING, kindOfAnswerTo(next + 1));
    }

    @Test
    public void placeWasGivenToAnother_theOrderIsStillKeptForIt_andItMayGoOn() throws Exception {
        int next = takeAllPlaces();
        nowNanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1_000));
        files.execute(40);
        files.snapshot(1);
        ByteSlice newer = StateRequest.manifest(StateRequest.NEWEST, 70).encode();
        assertEquals(
                StateAnswer.Kind.MANIFEST,
                StateAnswer.decode(sender.answer(next, newer, () -> PROMISE)).kind());
        assertEquals(30, sender.lowestPositionInUse());
        assertEquals(StateAnswer.Kind.MANIFEST, kindOfAnswerTo(RECEIVER));
    }

    @Test
    public void moreMembersThanStatesAreKeptFor_theFirstThatAsksNoMoreGivesWay() throws Exception {
        for (int member = RECEIVER + 1; member <= RECEIVER + TransferBounds.MAX_KEPT; member++) {
            nowNanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1_000));
            assertEquals(StateAnswer.Kind.MANIFEST, kindOfAnswerTo(member));
        }
        ByteSlice part = new StateRequest(StateRequest.Kind.CHECKSUM, 30, 0, 0, 1).encode();
        assertEquals(
                StateAnswer.Kind.GONE,
                StateAnswer.decode(sender.answer(RECEIVER, part, () -> PROMISE)).kind());
    }

    /** Returns the first member that has none. */
    private int takeAllPlaces() throws Exception {
        int next = RECEIVER + TransferBounds.DEFAULT.receivers();
        for (int member = RECEIVER + 1; member < next; member++) {
            assertEquals(StateAnswer.Kind.MANIFEST, kindOfAnswerTo(member));
        }
        return next;
    }

    private StateAnswer.Kind kindOfAnswerTo(int member) throws Exception {
        ByteSlice request = StateRequest.manifest(30, 0).encode();
        return StateAnswer.decode(sender.answer(member, request, () -> PROMISE)).kind();
    }
}
