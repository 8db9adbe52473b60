package io.chainkeeper.disk;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.OrderingStatus.Role;
import java.util.ArrayList;
import java.util.List;
import org.junit.Before;
import org.junit.Test;

/** A leader that is removed, or leaves, has another one lead before clients notice. */
public final class DiskHandOverTest {
    private static final int LONG = 100;

    /** As the settings of the ensemble say. */
    private static final int SUSPICION_TICKS = 40;

    /** Some heartbeats: for a change of the membership, what the others say, and taking over. */
    private static final int SOON = SUSPICION_TICKS / 2;

    private final DiskEnsemble three = new DiskEnsemble(new DiskPaxosFactory(), 3, 3, 1);
    private int leader;
    private List<Integer> others;

    @Before
    public void aLeaderIsThere() {
        three.startAll();
        three.run(LONG);
        leader = three.leader();
        assertNotEquals(0, leader);
        others = new ArrayList<>(List.of(1, 2, 3));
        others.remove((Integer) leader);
    }

    private void configure(List<Integer> members) {
        for (int id = 1; id <= 3; id++) {
            three.node(id).input(p -> p.onEnsemble(Ensemble.of(members)));
        }
    }

    private boolean isRemoved(int server) {
        return three.node(server).gauge("is_voter") == 0;
    }

    private Role roleOf(int server) {
        return three.node(server).status().role();
    }

    private int positionOfTheLastMembership() {
        int position = 0;
        for (int i = 0; i < three.order().size(); i++) {
            position = BatchCodec.isMembership(three.order().get(i)) ? i + 1 : position;
        }
        return position;
    }

    private void assertAllIsOrdered() {
        three.run(LONG);
        for (int id = 1; id <= 3; id++) {
            assertEquals("commands of " + id, 0, three.node(id).gauge("commands_outstanding"));
            assertEquals("reads of " + id, 0, three.node(id).readsWaiting());
            assertEquals(three.order(), three.node(id).deliveredValues());
        }
    }

    /** Followers tell each other nothing, so a new leader has not heard them for as long as the old one led. */
    @Test
    public void leaderIsGoneAfterALongTime_nextOneTakesNobodyForSilentWhoIsThere() {
        three.run(20 * LONG);
        three.crash(leader);
        three.run(LONG);
        int next = three.leader();
        int other = others.get(0) == next ? others.get(1) : others.get(0);
        assertNotEquals(leader, next);
        assertNull(
                "what server " + next + " has said of " + other,
                three.node(next).silentMembers().get(other));
        three.run(20 * LONG);
        assertEquals(true, three.node(next).silentMembers().get(leader));
        assertNull(three.node(next).silentMembers().get(other));
    }

    @Test
    public void leaderIsRemovedUnderLoad_aMemberLeadsAtOnce() {
        configure(others);
        int ticks = 0;
        while (!others.contains(three.leader()) && ticks < LONG) {
            for (int id = 1; id <= 3; id++) {
                three.node(id).propose();
                three.node(id).read(three.order().size());
            }
            three.run(1);
            assertNotEquals("somebody leads after " + ticks + " ticks", 0, three.leader());
            ticks++;
        }
        assertTrue(ticks + " ticks", ticks <= SOON);
        assertTrue(isRemoved(leader));
        assertAllIsOrdered();
        assertEquals(Role.OBSERVER, roleOf(leader));
    }

    @Test
    public void membersAreSlow_leaderGoesOnUntilOneKnows_andProposesNothing() {
        configure(others);
        stallMembersUntilTheLeaderIsRemoved();
        three.node(leader).propose();
        long read = three.order().size();
        three.node(leader).read((int) read);
        runAlone(SUSPICION_TICKS - 2);
        assertEquals(Role.LEADER, roleOf(leader));
        assertEquals("a read is answered", 0, three.node(leader).readsWaiting());
        assertEquals(
                "the membership is the last",
                positionOfTheLastMembership(),
                three.order().size());
        three.run(SOON);
        assertTrue(others.contains(three.leader()));
        assertAllIsOrdered();
    }

    @Test
    public void noMemberAnswers_leaderGivesUp() {
        configure(others);
        stallMembersUntilTheLeaderIsRemoved();
        runAlone(SUSPICION_TICKS + 2);
        assertNotEquals(Role.LEADER, roleOf(leader));
        assertAllIsOrdered();
        assertTrue(others.contains(three.leader()));
    }

    /** What was asked of a member is lost: the next one to be asked, or the same once more, leads. */
    @Test
    public void linksBreakWhenTheMemberIsAsked_anotherIsAsked() {
        configure(others);
        stallMembersUntilTheLeaderIsRemoved();
        three.link(Math.min(leader, others.get(0)), Math.max(leader, others.get(0)), false);
        three.run(SOON);
        assertTrue(others.contains(three.leader()));
        three.linkAll();
        assertAllIsOrdered();
    }

    /** Otherwise nobody could lead: of those who are left none is there. */
    @Test
    public void nobodyIsThereToTakeOver_leaderStaysAMember() {
        others.forEach(three::crash);
        three.node(leader).input(p -> p.onEnsemble(Ensemble.of(others)));
        three.node(leader).propose();
        three.run(4 * LONG);
        assertEquals(leader, three.leader());
        assertTrue(!isRemoved(leader));
        assertEquals(0, three.node(leader).gauge("commands_outstanding"));
        others.forEach(three::start);
        three.linkAll();
        configure(others);
        three.run(LONG);
        assertTrue(isRemoved(leader));
        assertTrue(others.contains(three.leader()));
        assertAllIsOrdered();
    }

    @Test
    public void leaderLeavesUnderLoad_anotherLeadsAtOnce() {
        three.node(leader).input(p -> p.onLeave());
        int ticks = 0;
        while (!others.contains(three.leader()) && ticks < LONG) {
            for (int id = 1; id <= 3; id++) {
                three.node(id).propose();
            }
            three.run(1);
            assertNotEquals("somebody leads after " + ticks + " ticks", 0, three.leader());
            ticks++;
        }
        assertTrue(ticks + " ticks", ticks <= SOON);
        assertAllIsOrdered();
    }

    @Test
    public void leaderAndTheFirstOfTheOthersLeave_theLastOneLeads() {
        assertTheOtherOneLeadsBeside(others.get(0), others.get(1));
    }

    @Test
    public void leaderAndTheLastOfTheOthersLeave_theFirstOneLeads() {
        assertTheOtherOneLeadsBeside(others.get(1), others.get(0));
    }

    private void assertTheOtherOneLeadsBeside(int leavesToo, int stays) {
        three.node(leavesToo).input(p -> p.onLeave());
        three.node(leader).input(p -> p.onLeave());
        three.run(SOON);
        assertEquals(stays, three.leader());
        assertAllIsOrdered();
    }

    private void stallMembersUntilTheLeaderIsRemoved() {
        for (int ticks = 0; ticks < LONG && !isRemoved(leader); ticks++) {
            runAlone(1);
        }
        assertTrue(isRemoved(leader));
        assertEquals(Role.LEADER, roleOf(leader));
    }

    private void runAlone(int ticks) {
        for (int i = 0; i < ticks; i++) {
            three.node(leader).tick();
            while (three.step(three.node(leader))) {}
        }
    }
}
