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

    /** One of the histories that a ballot can have: the floor and the nudges of a round are the leader's alone. */
    private Progress arbitrary() {
        Progress progress = new Progress(MEMBERS);
        for (int i = 0; i < MEMBERS; i++) {
            progress.raiseAck(i, random.nextInt(20));
            progress.raiseRoundSeen(i, random.nextInt(20));
        }
        progress.raiseMaxDecided(random.nextInt(20));
        progress.raiseConfirmedRound(random.nextInt(20));
        int round = random.nextInt(20);
        long[] nudges = new long[MEMBERS];
        for (int i = 0; i < MEMBERS; i++) {
            nudges[i] = round == 0 ? 0 : round * (i + 1L);
        }
        progress.beginRound(round, round * 10L, nudges);
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
            Progress inOrder = new Progress(MEMBERS);
            messages.forEach(m -> inOrder.merge(m, NOBODY));
            messages.addAll(messages.subList(0, 3));
            Collections.shuffle(messages, random);
            Progress shuffled = new Progress(MEMBERS);
            messages.forEach(m -> shuffled.merge(m, NOBODY));
            assertEquals(inOrder, shuffled);
        }
    }

    @Test
    public void merge_onlyRaises() {
        for (int i = 0; i < 2_000; i++) {
            Progress a = arbitrary();
            Progress m = merged(a, arbitrary());
            for (int j = 0; j < MEMBERS; j++) {
                assertTrue(m.ack(j) >= a.ack(j) && m.roundSeen(j) >= a.roundSeen(j) && m.nudge(j) >= a.nudge(j));
            }
            assertTrue(m.maxDecided() >= a.maxDecided() && m.round() >= a.round());
            assertTrue(m.confirmedRound() >= a.confirmedRound() && m.roundFloor() >= a.roundFloor());
        }
    }

    /** Nobody knows better than a replica what it has acknowledged itself. */
    @Test
    public void merge_leavesTheOwnEntryAlone() {
        for (int i = 0; i < 500; i++) {
            Progress a = arbitrary();
            int self = random.nextInt(MEMBERS);
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
        a.raiseAck(0, 1_000);
        a.beginRound(1_000, 1_000, new long[] {1_000, 0, 0, 0, 0});
        assertEquals(0, Collections.frequency(List.of(copy.ack(0), copy.round(), copy.nudge(0)), 1_000L));
    }

    @Test
    public void reachedByQuorum_isWhatSoManyHaveReached() {
        for (int i = 0; i < 2_000; i++) {
            int members = 1 + random.nextInt(7);
            long[] reached = random.longs(members, 0, 6).toArray();
            for (int quorum = 1; quorum <= members; quorum++) {
                long value = Progress.reachedByQuorum(reached, quorum);
                assertTrue(count(reached, value) >= quorum);
                assertTrue(count(reached, value + 1) < quorum);
            }
        }
    }

    private static int count(long[] reached, long atLeast) {
        int count = 0;
        for (long value : reached) {
            count += value >= atLeast ? 1 : 0;
        }
        return count;
    }
}
