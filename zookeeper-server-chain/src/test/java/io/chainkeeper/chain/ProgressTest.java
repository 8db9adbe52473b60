package io.chainkeeper.chain;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.Test;

/** Merging must not mind repeats or the order in which neighbours' messages arrive. */
public final class ProgressTest {
    private static final int MEMBERS = 5;
    private static final int NOBODY = -1;

    private final Random random = new Random(17);

    /**
     * One of the histories that a ballot can have: the read index and the requests of a round are the leader's alone.
     */
    private Progress arbitrary() {
        Progress progress = new Progress();
        for (int i = 1; i <= MEMBERS; i++) {
            if (random.nextInt(4) > 0) {
                progress.raiseAck(i, random.nextInt(20));
                progress.raiseRoundSeen(i, random.nextInt(20));
            }
        }
        progress.raiseMaxDecided(random.nextInt(20));
        progress.raiseConfirmedRound(random.nextInt(20));
        int round = random.nextInt(20);
        progress.beginRound(round, round * 9L, round * 10L);
        for (int i = 1; i <= MEMBERS; i++) {
            progress.answerReadRequest(i, round * (i + 1L));
        }
        return progress;
    }

    private static Progress merged(Progress a, Progress b) {
        Progress result = a.copy();
        result.merge(b, NOBODY);
        return result;
    }

    @Test
    public void merge_isIdempotent() {
        for (int i = 0; i < 2_000; i++) {
            Progress a = arbitrary();
            Progress b = arbitrary();
            Progress once = merged(a, b);
            assertEquals(once, merged(once, b));
            assertEquals(a, merged(a, a));
        }
    }

    @Test
    public void merge_isCommutative() {
        for (int i = 0; i < 2_000; i++) {
            Progress a = arbitrary();
            Progress b = arbitrary();
            assertEquals(merged(a, b), merged(b, a));
            assertEquals(merged(a, b).hashCode(), merged(b, a).hashCode());
        }
    }

    @Test
    public void messagesInAnyOrder_endInTheSame() {
        for (int i = 0; i < 500; i++) {
            List<Progress> messages = new ArrayList<>();
            for (int j = 0; j < 6; j++) {
                messages.add(arbitrary());
            }
            Progress inOrder = new Progress();
            messages.forEach(m -> inOrder.merge(m, NOBODY));
            messages.addAll(messages.subList(0, 3));
            Collections.shuffle(messages, random);
            Progress shuffled = new Progress();
            messages.forEach(m -> shuffled.merge(m, NOBODY));
            assertEquals(inOrder, shuffled);
        }
    }

    @Test
    public void merge_onlyRaises() {
        for (int i = 0; i < 2_000; i++) {
            Progress a = arbitrary();
            Progress m = merged(a, arbitrary());
            for (int j = 1; j <= MEMBERS; j++) {
                assertTrue(m.ack(j) >= a.ack(j)
                        && m.roundSeen(j) >= a.roundSeen(j)
                        && m.readRequest(j) >= a.readRequest(j));
            }
            assertTrue(m.maxDecided() >= a.maxDecided() && m.round() >= a.round());
            assertTrue(m.confirmedRound() >= a.confirmedRound() && m.readIndex() >= a.readIndex());
        }
    }

    /** Nobody knows better than a replica what it has acknowledged itself. */
    @Test
    public void merge_leavesTheOwnEntryAlone() {
        for (int i = 0; i < 500; i++) {
            Progress a = arbitrary();
            int self = 1 + random.nextInt(MEMBERS);
            Progress m = a.copy();
            m.merge(arbitrary(), self);
            assertEquals(a.ack(self), m.ack(self));
            assertEquals(a.roundSeen(self), m.roundSeen(self));
        }
    }

    @Test
    public void copy_isIndependent() {
        Progress a = arbitrary();
        Progress copy = a.copy();
        assertEquals(a, copy);
        a.raiseAck(1, 1_000);
        a.raiseAck(9, 1_000);
        a.beginRound(1_000, 1_000, 1_000);
        a.answerReadRequest(1, 1_000);
        assertEquals(
                0, Collections.frequency(List.of(copy.ack(1), copy.ack(9), copy.round(), copy.readRequest(1)), 1_000L));
    }
}
