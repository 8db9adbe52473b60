package io.chainkeeper.disk;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.OrderingProtocolFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.Before;
import org.junit.Test;

/** Memberships that a new leader finds in the rings of others. */
public final class DiskMembershipTest {
    private static final int LONG = DiskEnsemble.LONG;

    private DiskEnsemble three;
    private int leader;
    private List<Integer> others;

    @Before
    public void aLeaderIsThere() {
        aLeaderIsThere(new DiskPaxosFactory());
    }

    private void aLeaderIsThere(OrderingProtocolFactory factory) {
        three = new DiskEnsemble(factory, 3, 3, 1);
        three.startAll();
        leader = three.awaitLeader();
        others = new ArrayList<>(List.of(1, 2, 3));
        others.remove((Integer) leader);
    }

    private void configure(int server, List<Integer> members) {
        three.node(server).input(p -> p.onEnsemble(Ensemble.of(members)));
    }

    private List<Membership> memberships() {
        return three.order().stream()
                .filter(BatchCodec::isMembership)
                .map(BatchCodec::membershipIn)
                .toList();
    }

    private void assertEachIsOneChange() {
        List<Membership> ordered = memberships();
        for (int i = 1; i < ordered.size(); i++) {
            assertTrue(ordered.toString(), ordered.get(i).isOneChangeFrom(ordered.get(i - 1)));
        }
    }

    /**
     * A leader, cut off, proposes a value and then to remove the second of the others. They remove the leader instead,
     * where that value is, and then their first leader is gone.
     */
    private void findAMembershipOnTopOfALostValue() {
        three.node(leader).hang(1, true);
        three.node(leader).hang(2, true);
        others.forEach(each -> three.node(each).cutOff(0, true));
        others.forEach(each -> three.link(Math.min(leader, each), Math.max(leader, each), false));
        three.node(leader).propose();
        configure(leader, List.of(leader, others.get(1)));
        runAlone(leader, 2);
        assertEquals(2, three.node(leader).gauge("proposals_under_way"));

        others.forEach(each -> configure(each, others));
        three.runWhileHeld(leader, LONG);
        int next = three.node(others.get(0)).status().leader();
        assertTrue("server " + next + " leads", others.contains(next));
        assertEquals(others, lastMembers());

        int last = others.get(0) == next ? others.get(1) : others.get(0);
        three.crash(next);
        three.node(last).cutOff(0, false);
        three.node(last).cutOff(2, true);
        three.runWhileHeld(leader, 2 * LONG);
        three.node(last).propose();
        three.runWhileHeld(leader, LONG);
        assertEquals(0, three.node(last).gauge("commands_outstanding"));
    }

    /** It would undo what another leader has decided. */
    @Test
    public void membershipOnTopOfALostValue_isNotTakenUp() {
        findAMembershipOnTopOfALostValue();
        assertTrue("found: " + three.order(), three.order().contains(BatchCodec.NO_OP));
        assertEachIsOneChange();
        assertEquals(others, lastMembers());

        three.node(leader).hang(1, false);
        three.node(leader).hang(2, false);
        three.heal();
        three.run(2 * LONG);
        for (int id = 1; id <= 3; id++) {
            assertEquals(three.order(), three.node(id).deliveredValues());
        }
    }

    @Test
    public void ruleTakenOut_aDecidedRemovalIsUndone() {
        aLeaderIsThere(new DiskPaxosFactory().without(SafetyRule.VOID_MEMBERSHIP_IS_DROPPED.name()));
        findAMembershipOnTopOfALostValue();
        assertTrue(memberships().toString(), memberships().get(2).contains(leader));
    }

    /** A change of its own, of the first one, would undo the second. */
    @Test
    public void twoMembershipsAreTakenUp_theNextOneIsProposedBehindBoth() {
        int next = others.get(0);
        int back = others.get(1);
        three.link(Math.min(leader, next), Math.max(leader, next), false);
        three.link(Math.min(back, next), Math.max(back, next), false);
        configure(leader, List.of(leader, next));
        awaitMemberships(2);
        configure(leader, List.of(1, 2, 3));
        awaitMemberships(3); // and no header says so
        long delivered = three.node(next).deliveredValues().size();
        assertTrue(delivered < three.order().size());

        three.crash(leader);
        three.crash(back);
        configure(next, others);
        three.run(2 * LONG);
        assertEquals(next, three.leader());
        assertEachIsOneChange();
        assertEquals(others, lastMembers());
    }

    /** A server that starts before its file is corrected would else stay out, and perhaps nobody may lead. */
    @Test
    public void nothingIsOrderedYet_whoIsMemberIsWhatTheFileSaysByNow() {
        three = new DiskEnsemble(new DiskPaxosFactory(), 2, 3, 1);
        three.start(1, List.of(2));
        three.start(2, List.of(1));
        three.linkAll();
        three.run(LONG);
        assertEquals(0, three.leader());
        configure(1, List.of(1));
        three.run(2 * LONG);
        assertEquals(1, three.leader());
        assertEquals(List.of(1), lastMembers());
        configure(2, List.of(1, 2));
        configure(1, List.of(1, 2));
        three.run(2 * LONG);
        assertEquals(List.of(1, 2), lastMembers());
    }

    private void awaitMemberships(int count) {
        while (memberships().size() < count && three.step(three.node(leader))) {}
        assertEquals(count, memberships().size());
    }

    private List<Integer> lastMembers() {
        List<Membership> ordered = memberships();
        return ordered.get(ordered.size() - 1).replicaIds();
    }

    private void runAlone(int server, int ticks) {
        for (int i = 0; i < ticks; i++) {
            three.node(server).tick();
            while (three.step(three.node(server))) {}
        }
    }
}
