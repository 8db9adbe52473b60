package io.chainkeeper.ordering.prefix;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.PrefixHash;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.Test;

/** Who contradicts whom, and who stops. */
public final class PrefixWatchTest {
    private final PrefixWatch watch = new PrefixWatch(1);

    private static Membership of(int members) {
        return Membership.initial(1, IntStream.rangeClosed(1, members).boxed().toList());
    }

    private static long hash(int positions) {
        long hash = PrefixHash.EMPTY;
        for (int i = 1; i <= positions; i++) {
            hash = PrefixHash.next(hash, i, BatchCodec.NO_OP);
        }
        return hash;
    }

    private void decide(int positions) {
        for (int i = 0; i < positions; i++) {
            watch.append(BatchCodec.NO_OP);
        }
    }

    @Test
    public void equalPrefixes_contradictNobody() {
        decide(5);
        assertFalse(watch.isContradictedBy(2, new Prefix(3, hash(3))));
        assertFalse(watch.isContradictedBy(2, new Prefix(5, hash(5))));
        assertFalse("nothing is known", watch.isContradictedBy(2, Prefix.UNKNOWN));
        assertFalse("nothing is known", watch.isContradictedBy(2, new Prefix(4, PrefixHash.UNKNOWN)));
        watch.check(of(3));
    }

    @Test
    public void anotherHashAtTheSamePosition_contradicts_once() {
        decide(5);
        assertTrue(watch.isContradictedBy(2, new Prefix(3, 99)));
        assertTrue("whatever it says later", watch.isContradictedBy(2, new Prefix(5, hash(5))));
        assertEquals(2, watch.pollContradiction());
        assertEquals(0, watch.pollContradiction());
        assertEquals(new Prefix(3, hash(3)), watch.answerTo(2));
        assertEquals(
                "the hash of all values up to position 3 is " + PrefixHash.text(hash(3)) + " at server 1 and "
                        + "0000000000000063 at server 2",
                watch.difference(2));
    }

    @Test
    public void wordAboutThePositionsToCome_isComparedWhenTheyAreDecided() {
        assertFalse(watch.isContradictedBy(2, new Prefix(3, 99)));
        assertFalse("the first word counts", watch.isContradictedBy(2, new Prefix(4, hash(4))));
        assertFalse(watch.isContradictedBy(3, new Prefix(5, hash(5))));
        decide(2);
        assertFalse(watch.hasContradiction());
        decide(1);
        assertEquals(2, watch.pollContradiction());
        decide(2);
        assertFalse(watch.hasContradiction());
    }

    @Test
    public void newLink_beginsAnew() {
        assertFalse(watch.isContradictedBy(3, new Prefix(2, 99)));
        decide(1);
        assertTrue(watch.isContradictedBy(2, new Prefix(1, 99)));
        watch.forget(2);
        watch.forget(3);
        decide(1);
        assertFalse(watch.hasContradiction());
        assertFalse(watch.isContradictedBy(2, new Prefix(2, hash(2))));
    }

    @Test
    public void stopsAgainstAMajority_neverAgainstAMinority() {
        decide(1);
        int[] atMost = {0, 0, 0, 1, 1, 2, 2, 3};
        for (int contradicting = 1; contradicting < 6; contradicting++) {
            assertTrue(watch.isContradictedBy(contradicting + 1, new Prefix(1, 99)));
            for (int members = 3; members <= 7; members++) {
                Membership membership = of(members);
                if (Math.min(contradicting, members - 1) <= atMost[members]) {
                    watch.check(membership);
                } else {
                    assertThrows(InvariantViolated.class, () -> watch.check(membership));
                }
            }
        }
    }

    @Test
    public void ofTwo_bothStop_andAnObserverAgainstTheOnlyMember() {
        decide(1);
        assertTrue(watch.isContradictedBy(2, new Prefix(1, 99)));
        assertThrows(InvariantViolated.class, () -> watch.check(of(2)));
        InvariantViolated stop =
                assertThrows(InvariantViolated.class, () -> watch.check(Membership.initial(1, List.of(2))));
        assertTrue(stop.getMessage(), stop.getMessage().startsWith("server 1 holds another order than servers [2]: "));
        watch.check(Membership.initial(1, List.of(1)));
    }
}
