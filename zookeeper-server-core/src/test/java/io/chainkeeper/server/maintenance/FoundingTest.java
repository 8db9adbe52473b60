package io.chainkeeper.server.maintenance;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.command.FormerState;
import io.chainkeeper.command.FormerState.Kind;
import io.chainkeeper.server.state.FormerStates;
import java.util.List;
import org.junit.Test;

public class FoundingTest {
    private static final List<Integer> THREE = List.of(1, 2, 3);

    private final FormerStates former = new FormerStates();

    private static FormerState member(long epoch, long zxid) {
        return new FormerState(Kind.MEMBER, epoch, zxid, zxid);
    }

    private static FormerState standalone(long zxid) {
        return new FormerState(Kind.STANDALONE, 0, zxid, zxid);
    }

    private void report(int replica, FormerState state) {
        former.report(replica, state, List.of());
    }

    private void assertWaits(String... words) {
        Founding founding = Founding.of(former, THREE);
        assertNull(founding.origin());
        for (String word : words) {
            assertTrue(founding.waitsFor(), founding.waitsFor().contains(word));
        }
    }

    private void assertBegins(FormerState expected) {
        assertEquals(new Founding(expected, null), Founding.of(former, THREE));
    }

    @Test
    public void nobodyHoldsData_aMajorityBeginsEmpty() {
        report(2, FormerState.EMPTY);
        assertEquals(new Founding(null, ""), Founding.of(former, THREE));
        report(3, FormerState.EMPTY);
        assertBegins(FormerState.EMPTY);
    }

    @Test
    public void somebodyHoldsData_allAreWaitedFor() {
        report(2, member(5, 0x500000007L));
        report(3, FormerState.EMPTY);
        assertWaits("server.2 (epoch 5, zxid 0x500000007)", "--without 1");
        report(1, member(5, 0x500000009L));
        assertBegins(member(5, 0x500000009L));
    }

    @Test
    public void laterEpochWins_evenWithALowerZxid() {
        report(1, member(5, 0x500000009L));
        report(2, member(6, 0x500000007L));
        report(3, member(6, 0x500000007L));
        assertBegins(member(6, 0x500000007L));
    }

    @Test
    public void noMajorityHoldsData_onlyTheUserCanDecide() {
        report(1, member(5, 0x500000009L));
        report(2, FormerState.EMPTY);
        report(3, FormerState.EMPTY);
        assertWaits("no majority", "server.2, server.3", "--without 2,3");
        former.report(1, member(5, 0x500000009L), List.of(2, 3));
        assertBegins(member(5, 0x500000009L));
    }

    @Test
    public void userGoesWithoutAMissingOne_theOthersStillCount() {
        former.report(1, member(5, 0x500000009L), List.of(3));
        assertWaits("--without 2");
        report(2, member(5, 0x50000000aL));
        assertBegins(member(5, 0x50000000aL));
    }

    @Test
    public void standaloneServer_isTheWholeHistory() {
        report(1, standalone(77));
        report(2, FormerState.EMPTY);
        report(3, FormerState.EMPTY);
        assertBegins(standalone(77));
    }

    @Test
    public void copiesOfAStandaloneServer_areOneHistory() {
        report(1, standalone(77));
        report(2, standalone(77));
        report(3, standalone(77));
        assertBegins(standalone(77));
    }

    @Test
    public void severalStandaloneServers_areDifferentHistories() {
        report(1, standalone(77));
        report(2, standalone(78));
        report(3, FormerState.EMPTY);
        assertWaits("different histories");
    }

    @Test
    public void observers_areNotWaitedForAndDoNotCount() {
        report(1, FormerState.EMPTY);
        report(2, FormerState.EMPTY);
        report(4, member(9, 0x900000000L));
        assertBegins(FormerState.EMPTY);
    }
}
