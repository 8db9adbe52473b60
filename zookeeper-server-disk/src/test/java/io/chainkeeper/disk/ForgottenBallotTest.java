package io.chainkeeper.disk;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.OrderingStatus.Role;
import java.util.List;
import org.junit.Before;
import org.junit.Test;

/**
 * Server 2 tries to lead with a ballot that reaches one disk only, and only server 3 sees it there. Server 1 leads with
 * a lower one, which it has every right to.
 */
public final class ForgottenBallotTest {
    private final DiskEnsemble ensemble = new DiskEnsemble(new DiskPaxosFactory(), 3, 3, 1);
    private final DiskNode leader = ensemble.node(1);
    private final DiskNode candidate = ensemble.node(2);
    private final DiskNode observer = ensemble.node(3);

    @Before
    public void observerSeesABallotThatReachedOneDisk() {
        ensemble.start(1, List.of(1, 2));
        assertEquals(1, ensemble.awaitLeader());
        ensemble.start(2, List.of(1, 2));
        ensemble.start(3, List.of(1, 2));
        ensemble.linkAll();
        ensemble.assertGoesOn(3);
        long ledEpoch = observer.status().epoch();
        candidate.refuseWrites(1, true);
        candidate.refuseWrites(2, true);
        ensemble.crash(1);
        for (int ticks = 0; observer.status().epoch() == ledEpoch; ticks++) {
            assertTrue("server 2 tries to lead", ticks < 10 * DiskEnsemble.LONG);
            ensemble.run(1);
        }
    }

    /** Server 2 starts from the disks on which its ballot is not. */
    private void candidateForgets() {
        ensemble.crash(2);
    }

    private void leaderLeadsInALowerOne() {
        leader.cutOff(0, true);
        ensemble.start(1, List.of(1, 2));
        ensemble.linkAll();
        assertEquals(1, ensemble.awaitLeader());
        assertEquals(
                "the ballots are of one round",
                observer.status().epoch(),
                leader.status().epoch());
    }

    @Test
    public void whoHasSeenIt_followsTheLowerOneThatLives() {
        candidateForgets();
        leaderLeadsInALowerOne();
        ensemble.assertGoesOn(3);
        assertEquals(Role.OBSERVER, observer.status().role());
        assertEquals(1, observer.status().leader());
    }

    @Test
    public void leaderSeesItLater_leadsAboveIt() {
        candidateForgets();
        leaderLeadsInALowerOne();
        ensemble.run(DiskEnsemble.LONG);
        long lower = leader.status().epoch();
        leader.cutOff(0, false);
        ensemble.run(3 * DiskEnsemble.LONG);
        assertEquals(Role.LEADER, leader.status().role());
        assertTrue(leader.status().epoch() > lower);
        ensemble.assertGoesOn(3);
    }

    @Test
    public void itsServerIsBack_oneOfBothLeadsAllThree() {
        candidateForgets();
        leaderLeadsInALowerOne();
        candidate.refuseWrites(1, false);
        candidate.refuseWrites(2, false);
        ensemble.start(2, List.of(1, 2));
        ensemble.linkAll();
        ensemble.run(3 * DiskEnsemble.LONG);
        for (int id = 1; id <= 3; id++) {
            ensemble.assertGoesOn(id);
            assertEquals(ensemble.leader(), ensemble.node(id).status().leader());
        }
    }

    /** It was held up by its disks only: who follows the lower one by then has to follow the higher one again. */
    @Test
    public void itsServerLeadsInItAfterAll_isFollowedByWhoHasFollowedTheLower() {
        leaderLeadsInALowerOne();
        ensemble.assertGoesOn(3);
        long epoch = observer.status().epoch();
        assertEquals(1, observer.status().leader());
        candidate.refuseWrites(1, false);
        candidate.refuseWrites(2, false);
        ensemble.run(DiskEnsemble.LONG);
        assertEquals(2, ensemble.leader());
        assertEquals(
                "it leads in the ballot of before", epoch, candidate.status().epoch());
        assertEquals(2, observer.status().leader());
        ensemble.assertGoesOn(3);
    }
}
