package io.chainkeeper.iss;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.iss.IssMessage.Accept;
import io.chainkeeper.iss.IssMessage.EpochInfo;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.ordering.ProtocolContext.Start;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** A user gives up all members but one. */
public final class IssSurvivorTest {
    private static final int SOME_TIME_TICKS = 200;

    private static void assertServesAlone(IssEnsemble ensemble, int id) {
        ensemble.ticks(SOME_TIME_TICKS);
        ensemble.propose(id, "alone");
        ensemble.ticks(SOME_TIME_TICKS);
        assertTrue(ensemble.commandsAt(id).contains("alone"));
        assertEquals(1, ensemble.node(id).gauge("members"));
        assertEquals(Role.LEADER, ensemble.node(id).status().role());
        assertTrue(
                "the order says so too",
                ensemble.commandsAt(id).stream().anyMatch(c -> c.startsWith("members [" + id + "@")));
    }

    @Test
    public void othersAreGivenUp_survivorGoesOnWithWhatItHadAccepted() {
        IssEnsemble ensemble = IssEnsemble.of(3);
        ensemble.propose(1, "a");
        ensemble.settle();
        ensemble.lose(e -> e.is(Accept.class) && e.to() != 2);
        ensemble.node(1).holdDisk(true);
        ensemble.propose(1, "b");
        ensemble.settle();
        ensemble.members().forEach(ensemble::crash);
        ensemble.start(2, Start.SOLE_SURVIVOR);
        assertServesAlone(ensemble, 2);
        assertTrue(ensemble.commandsAt(2).containsAll(List.of("a", "b")));
    }

    @Test
    public void survivorWithNothingButInstalledState_goesOn() {
        IssEnsemble ensemble = IssEnsemble.of(3, Map.of("iss.minSegmentPositions", "2"), new SafetyRules());
        for (int i = 0; i < 50; i++) {
            ensemble.propose(2, "c" + i);
            ensemble.ticks(1);
        }
        List<String> before = ensemble.commandsAt(2);
        ensemble.crash(3);
        ensemble.node(3).loseDisk();
        ensemble.node(3).installStateOf(ensemble.node(2));
        ensemble.crash(1);
        ensemble.crash(2);
        ensemble.start(3, Start.SOLE_SURVIVOR);
        assertServesAlone(ensemble, 3);
        assertEquals(before, ensemble.commandsAt(3).subList(0, before.size()));
    }

    @Test
    public void othersComeBackWithoutDisks_survivorAdmitsThem() {
        IssEnsemble ensemble = IssEnsemble.of(3);
        ensemble.propose(1, "a");
        ensemble.settle();
        ensemble.members().forEach(ensemble::crash);
        ensemble.node(1).loseDisk();
        ensemble.node(3).loseDisk();
        ensemble.start(2, Start.SOLE_SURVIVOR);
        ensemble.start(1);
        ensemble.start(3);
        assertServesAlone(ensemble, 2);
        ensemble.crash(2);
        ensemble.start(2);
        ensemble.ticks(2 * SOME_TIME_TICKS);
        ensemble.propose(3, "b");
        ensemble.ticks(SOME_TIME_TICKS);
        assertTrue(ensemble.commandsAt(1).contains("b"));
        assertEquals(3, ensemble.node(1).gauge("members"));
        ensemble.crash(2);
        ensemble.propose(3, "c");
        ensemble.ticks(SOME_TIME_TICKS);
        assertTrue(ensemble.commandsAt(1).contains("c"));
    }

    /** All crash; returns who alone has accepted that the new disk of server 1 is admitted. */
    private static int crashWhileServerOneIsAdmitted(IssEnsemble ensemble) {
        ensemble.propose(1, "a");
        ensemble.settle();
        ensemble.crash(1);
        ensemble.node(1).loseDisk();
        ensemble.ticks(SOME_TIME_TICKS);
        ensemble.lose(e -> e.message() instanceof Accept accept && BatchCodec.isMembership(accept.value()));
        ensemble.start(1);
        ensemble.ticks(SOME_TIME_TICKS / 4);
        int coordinator = ensemble.node(2).status().role() == Role.LEADER ? 2 : 3;
        ensemble.members().forEach(ensemble::crash);
        return coordinator;
    }

    /** A membership that was on its way is decided, as all that was accepted is, and nobody of it comes back. */
    @Test
    public void admissionWasOnItsWay_survivorIsTheOnlyMemberAllTheSame() {
        IssEnsemble ensemble = IssEnsemble.of(3);
        int survivor = crashWhileServerOneIsAdmitted(ensemble);
        ensemble.start(survivor, Start.SOLE_SURVIVOR);
        assertServesAlone(ensemble, survivor);
        assertTrue(
                "it was on its way", ensemble.commandsAt(survivor).stream().anyMatch(c -> c.startsWith("members [1@")));
    }

    /** It would make another epoch of that membership than the survivor does, and never speak with it again. */
    @Test
    public void admissionWasOnItsWay_whoComesMeanwhileLearnsOfNoEpochBeforeTheSurvivors() {
        IssEnsemble ensemble = IssEnsemble.of(3);
        int survivor = crashWhileServerOneIsAdmitted(ensemble);
        ensemble.lose(e -> false);
        ensemble.node(1).loseDisk();
        ensemble.sent().clear();
        ensemble.start(survivor, Start.SOLE_SURVIVOR);
        ensemble.start(1);
        assertServesAlone(ensemble, survivor);
        assertTrue(ensemble.sent().stream().noneMatch(e -> e.is(EpochInfo.class)));
        ensemble.crash(survivor);
        ensemble.start(survivor);
        ensemble.ticks(2 * SOME_TIME_TICKS);
        ensemble.propose(1, "b");
        ensemble.ticks(SOME_TIME_TICKS);
        assertTrue(ensemble.commandsAt(survivor).contains("b"));
        assertEquals(2, ensemble.node(1).gauge("members"));
        assertEquals(2, ensemble.node(survivor).gauge("members"));
    }
}
