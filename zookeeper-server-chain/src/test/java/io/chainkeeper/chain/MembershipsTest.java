package io.chainkeeper.chain;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.Membership;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.Test;

/** Who decides which instance. */
public final class MembershipsTest {
    private static final Membership THREE = Membership.initial(1, List.of(1, 2, 3));
    private static final Membership FIVE = Membership.initial(1, List.of(1, 2, 3, 4, 5));

    private final Random random = new Random(17);

    @Test
    public void reachedByQuorum_isWhatSoManyHaveReached() {
        for (int i = 0; i < 2_000; i++) {
            int members = 1 + random.nextInt(7);
            int least = 1 + random.nextInt(7);
            long[] reached = random.longs(members + 1, 0, 6).toArray();
            Membership membership = Membership.initial(
                    least, IntStream.rangeClosed(1, members).boxed().toList());
            long value = Memberships.reachedByQuorum(id -> reached[id], membership);
            assertTrue(count(reached, value) >= membership.quorum());
            assertTrue(count(reached, value + 1) < membership.quorum());
        }
    }

    private static int count(long[] reached, long atLeast) {
        int count = 0;
        for (int i = 1; i < reached.length; i++) {
            count += reached[i] >= atLeast ? 1 : 0;
        }
        return count;
    }

    /** C8: the quorum is that of the membership in force at each instance, not of the one before or after. */
    @Test
    public void growFrom3To5_quorumIsOfTheMembershipAtThatInstance() {
        Memberships memberships = new Memberships(1, THREE);
        memberships.put(11, FIVE);
        long[] two = {0, 20, 20, 0, 0, 0};
        assertEquals("two of three decide up to the change", 10, memberships.reachedByQuorum(id -> two[id], 1, 20));
        long[] three = {0, 20, 20, 0, 15, 0};
        assertEquals("three of five decide after it", 15, memberships.reachedByQuorum(id -> three[id], 1, 20));
        long[] newOnes = {0, 20, 5, 5, 20, 20};
        assertEquals("nothing is decided beyond what is not", 5, memberships.reachedByQuorum(id -> newOnes[id], 1, 20));
    }

    /** The user has one replica go on alone: what the order says is known, and has no effect. */
    @Test
    public void membershipIsForced_itIsInForceWhateverTheOrderSays() {
        Membership one = Membership.initial(1, List.of(2));
        Memberships memberships = new Memberships(1, THREE);
        memberships.force(one);
        memberships.put(11, FIVE);
        assertEquals(one, memberships.at(5));
        assertEquals(one, memberships.at(11));
        assertEquals(one, memberships.latest());
        assertEquals(one, memberships.behind(FIVE));
        assertEquals(List.of(one), memberships.between(1, 20));
        assertEquals(THREE, memberships.orderedAt(10));
        assertEquals(FIVE, memberships.orderedAt(11));
        assertTrue(memberships.isKnownAt(1) && memberships.isForced(one));
        assertFalse(memberships.isForced(FIVE));
        long[] second = {0, 0, 15, 0, 0, 0};
        assertEquals(15, memberships.reachedByQuorum(id -> second[id], 1, 20));
    }

    @Test
    public void tentativeMembership_isForgottenWithItsBallot() {
        Memberships memberships = new Memberships(1, THREE);
        memberships.put(11, FIVE);
        memberships.forgetAbove(11);
        assertEquals(FIVE, memberships.at(11));
        memberships.forgetAbove(10);
        assertEquals(THREE, memberships.at(11));
        assertEquals(List.of(THREE), memberships.between(1, 100));
    }

    @Test
    public void membershipOfTheConfiguration_isNotKnownUntilOneIsOrdered() {
        Memberships memberships = new Memberships(1, THREE);
        memberships.begin(THREE, false);
        memberships.put(11, FIVE);
        assertFalse("only configured", memberships.isKnownAt(10));
        assertTrue("ordered", memberships.isKnownAt(11));
        memberships.forgetAbove(10);
        assertFalse("it was tentative", memberships.isKnownAt(11));
        memberships.begin(THREE, true);
        assertTrue("founded with it", memberships.isKnownAt(1));
        memberships.begin(THREE, false);
        memberships.replaceFrom(5, FIVE);
        assertTrue("a checkpoint says so", memberships.isKnownAt(5));
    }

    @Test
    public void between_namesEveryMembershipInForce() {
        Memberships memberships = new Memberships(1, THREE);
        memberships.put(11, FIVE);
        assertEquals(List.of(THREE), memberships.between(1, 10));
        assertEquals(List.of(THREE, FIVE), memberships.between(10, 11));
        assertEquals(List.of(FIVE), memberships.between(11, 11));
    }

    @Test
    public void quorum_isTheMajorityUnlessMoreAreDemanded() {
        assertEquals(2, THREE.quorum());
        assertEquals(3, FIVE.quorum());
        assertEquals(3, Membership.initial(3, List.of(1, 2, 3)).quorum());
        assertEquals(
                "never more than there are",
                2,
                Membership.initial(3, List.of(1, 2)).quorum());
    }
}
