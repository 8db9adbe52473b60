package io.chainkeeper.server.maintenance;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.command.ImportedState;
import io.chainkeeper.command.ImportedState.Kind;
import io.chainkeeper.server.state.ImportedStates;
import java.util.List;
import org.junit.Test;

public class FoundingTest {
    private static final List<Integer> THREE = List.of(1, 2, 3);

    private final ImportedStates imported = new ImportedStates();

    private static ImportedState member(long epoch, long zxid) {
        return new ImportedState(Kind.MEMBER, epoch, zxid, zxid);
    }

    private static ImportedState standalone(long zxid) {
        return new ImportedState(Kind.STANDALONE, 0, zxid, zxid);
    }

    private void report(int replica, ImportedState state) {
        imported.report(replica, state, List.of());
    }

    private void assertWaits(String... words) {
        Founding founding = Founding.of(imported, THREE);
        assertNull(founding.origin());
        for (String word : words) {
            assertTrue(founding.waitsFor(), founding.waitsFor().contains(word));
        }
    }

    private void assertBegins(ImportedState expected) {
        assertEquals(new Founding(expected, null), Founding.of(imported, THREE));
    }

    @Test
    public void nobodyHoldsData_aMajorityBeginsEmpty() {
        report(2, ImportedState.EMPTY);
        assertEquals(new Founding(null, ""), Founding.of(imported, THREE));
        report(3, ImportedState.EMPTY);
        assertBegins(ImportedState.EMPTY);
    }

    @Test
    public void somebodyHoldsData_allAreWaitedFor() {
        report(2, member(5, 0x500000007L));
        report(3, ImportedState.EMPTY);
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
        report(2, ImportedState.EMPTY);
        report(3, ImportedState.EMPTY);
        assertWaits("no majority", "server.2, server.3", "--without 2,3");
        imported.report(1, member(5, 0x500000009L), List.of(2, 3));
        assertBegins(member(5, 0x500000009L));
    }

    @Test
    public void userGoesWithoutAMissingOne_theOthersStillCount() {
        imported.report(1, member(5, 0x500000009L), List.of(3));
        assertWaits("--without 2");
        report(2, member(5, 0x50000000aL));
        assertBegins(member(5, 0x50000000aL));
    }

    @Test
    public void standaloneServer_isTheWholeHistory() {
        report(1, standalone(77));
        report(2, ImportedState.EMPTY);
        report(3, ImportedState.EMPTY);
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
        report(3, ImportedState.EMPTY);
        assertWaits("different histories");
    }

    @Test
    public void observers_areNotWaitedForAndDoNotCount() {
        report(1, ImportedState.EMPTY);
        report(2, ImportedState.EMPTY);
        report(4, member(9, 0x900000000L));
        assertBegins(ImportedState.EMPTY);
    }
}
