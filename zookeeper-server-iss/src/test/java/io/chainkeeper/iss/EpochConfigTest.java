package io.chainkeeper.iss;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Membership;
import java.util.List;
import org.junit.Test;

public final class EpochConfigTest {
    private static final EpochConfig FIRST = EpochConfig.initial(Membership.initial(1, List.of(1, 2, 3)));

    @Test
    public void positions_areDealtRoundRobin() {
        assertEquals(1, FIRST.position(0, 0));
        assertEquals(5, FIRST.position(1, 1));
        assertEquals(1, FIRST.segmentOf(5));
        assertEquals(1, FIRST.indexOf(5));
        assertEquals(48, FIRST.last());
        assertEquals(
                "the coordinator leads the last position",
                FIRST.segmentLedBy(FIRST.coordinator()),
                FIRST.segmentOf(FIRST.last()));
    }

    @Test
    public void coordinatorFails_nextEpochGoesOnWithoutIt() {
        EpochConfig next = FIRST.next(BatchCodec.NO_OP);
        assertEquals(49, next.first());
        assertEquals(List.of(1, 2), next.leaders());
        assertEquals(2, next.coordinator());
        assertEquals(List.of(new EpochConfig.Suspension(3, 1, 2)), next.suspensions());
        assertEquals(2, next.coordinatorSince());
    }

    @Test
    public void coordinatorFailsAgain_backOffDoubles() {
        EpochConfig again = new EpochConfig(
                9, 100, 16, FIRST.membership(), List.of(1, 3), List.of(new EpochConfig.Suspension(3, 1, 0)), false, 8);
        assertEquals(
                List.of(new EpochConfig.Suspension(3, 2, 4)),
                again.next(BatchCodec.NO_OP).suspensions());
    }

    @Test
    public void onlyLeaderFails_othersLead() {
        EpochConfig single = new EpochConfig(9, 100, 16, FIRST.membership(), List.of(2), List.of(), false, 8);
        assertEquals(List.of(1, 3), single.next(BatchCodec.NO_OP).leaders());
    }

    @Test
    public void membershipInLastPosition_isInForceInTheNextEpoch() {
        Membership grown = FIRST.membership().with(new Member(4, 44));
        EpochConfig next = FIRST.next(BatchCodec.encode(grown));
        assertEquals(grown, next.membership());
        assertEquals("whoever coordinates goes on to", 3, next.coordinator());
        assertEquals(List.of(4, 1, 2, 3), next.leaders());
        EpochConfig shrunk = next.next(BatchCodec.encode(grown.without(3)));
        assertEquals(List.of(4, 1, 2), shrunk.leaders());
        assertFalse(shrunk.membership().contains(3));
    }

    @Test
    public void noteInLastPosition_laysDownTheNextEpoch() {
        EpochConfig.Note note = new EpochConfig.Note(64, List.of(3, 1), List.of(), true);
        EpochConfig next = FIRST.next(BatchCodec.encodeNote(EpochConfig.encode(note)));
        assertEquals(64, next.segmentPositions());
        assertEquals(List.of(3, 1), next.leaders());
        assertEquals(FIRST.membership(), next.membership());
    }

    @Test
    public void stickyBuckets_stayAtHome_rotatingOnesGoRound() {
        assertEquals(2, FIRST.ownerOf(2));
        EpochConfig rotating = new EpochConfig(2, 49, 16, FIRST.membership(), List.of(1, 2, 3), List.of(), true, 1);
        EpochConfig later = new EpochConfig(3, 97, 16, FIRST.membership(), List.of(1, 2, 3), List.of(), true, 1);
        assertFalse(rotating.ownerOf(2) == later.ownerOf(2));
    }
}
