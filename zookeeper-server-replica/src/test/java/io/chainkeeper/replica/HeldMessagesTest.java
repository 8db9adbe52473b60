package io.chainkeeper.replica;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.DurableRecords;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.Message;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

public class HeldMessagesTest {
    private record Word(String text, boolean isPromise) implements Message {
        @Override
        public boolean isKeptBy(DurableRecords log, int sender) {
            return true;
        }
    }

    private static final int MAX = 3;
    private static final Message NEWS = new Word("news", false);
    private static final Message PROMISE = new Word("promise", true);

    private final List<Message> left = new ArrayList<>();
    private final List<Long> waitedFor = new ArrayList<>();
    private long durableMeanwhile;
    private final HeldMessages messages = new HeldMessages((to, message) -> left.add(message), this::awaitDurable, MAX);

    private long awaitDurable(long logSequence) {
        waitedFor.add(logSequence);
        return durableMeanwhile;
    }

    private void assertRefused(Runnable sending) {
        InvariantViolated refusal = assertThrows(InvariantViolated.class, sending::run);
        assertTrue(refusal.getMessage(), refusal.getMessage().contains("rests on"));
        assertEquals(List.of(), left);
    }

    @Test
    public void promiseWithoutRecordOfThisStart_isRefused() {
        assertRefused(() -> messages.send(2, PROMISE));
        assertRefused(() -> messages.sendAfter(0, 2, PROMISE));
        assertRefused(() -> messages.sendAfter(1, 2, PROMISE));
        messages.appended(1);
        assertRefused(() -> messages.sendAfter(2, 2, PROMISE));
    }

    @Test
    public void promise_leavesWhenItsRecordIsDurable() {
        messages.appended(3);
        messages.sendAfter(3, 2, PROMISE);
        messages.release(2);
        assertEquals(List.of(), left);
        messages.release(3);
        assertEquals(List.of(PROMISE), left);
        messages.sendAfter(3, 2, PROMISE);
        assertEquals(List.of(PROMISE, PROMISE), left);
    }

    @Test
    public void whatPromisesNothing_leavesAtOnce() {
        messages.send(2, NEWS);
        messages.sendAfter(0, 2, NEWS);
        assertEquals(List.of(NEWS, NEWS), left);
    }

    private long held() {
        long[] told = new long[1];
        messages.tellOccupancy((name, held, bound, slack) -> {
            assertEquals("held_messages, at most " + MAX, name + ", at most " + bound);
            told[0] = held;
        });
        return told[0];
    }

    @Test
    public void asManyAsMayWait_nextOneWaitsForTheOldestRecord() {
        messages.appended(2);
        messages.sendAfter(1, 2, PROMISE);
        messages.sendAfter(2, 2, NEWS);
        messages.sendAfter(2, 3, NEWS);
        assertEquals(MAX, held());
        assertEquals(List.of(), waitedFor);
        durableMeanwhile = 1;
        messages.sendAfter(2, 4, NEWS);
        assertEquals(List.of(1L), waitedFor);
        assertEquals("in their order", List.of(PROMISE), left);
        assertEquals(MAX, held());
        durableMeanwhile = 2;
        messages.sendAfter(2, 5, NEWS);
        assertEquals(List.of(PROMISE, NEWS, NEWS, NEWS, NEWS), left);
        assertEquals(0, held());
    }

    /** A bound that is not kept shows: what is told is what waits. */
    @Test
    public void logThatReturnsTooEarly_moreIsToldThanMayWait() {
        messages.appended(1);
        for (int i = 0; i <= MAX; i++) {
            messages.sendAfter(1, 2, NEWS);
        }
        assertEquals(MAX + 1, held());
    }
}
