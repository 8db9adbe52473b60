package io.chainkeeper.iss;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.iss.IssMessage.Truncated;
import java.util.List;
import org.junit.Test;

/** What a replica had accepted below a state that it got from another one was perhaps never decided. */
public final class IssInstalledStateTest {
    private static final int SOME_TIME_TICKS = 200;

    private final IssEnsemble ensemble = IssEnsemble.of(5);

    private static boolean isInMinority(int id) {
        return id >= 4;
    }

    /** Replicas 4 and 5 accept what leader 5 proposes in position 10; the others, cut off from them, leave it empty. */
    private void split() {
        for (int round = 1; round <= 2; round++) {
            for (int id = 1; id <= 6 - round; id++) {
                ensemble.propose(id, "round " + round + " of " + id);
                ensemble.settle();
            }
        }
        assertEquals(9, ensemble.node(5).delivered().size());
        ensemble.lose(envelope -> isInMinority(envelope.from()) != isInMinority(envelope.to()));
        ensemble.propose(5, "minority");
        ensemble.settle();
        assertTrue("4 has not accepted", ensemble.node(4).logHolds(10));
        for (int i = 1; i <= 10; i++) {
            ensemble.propose(1, "majority " + i);
            ensemble.ticks(SOME_TIME_TICKS / 10);
        }
        assertTrue("nothing decided", ensemble.node(1).delivered().size() > 20);
        assertFalse(ensemble.commandsAt(1).contains("minority"));
        assertEquals(9, ensemble.node(5).delivered().size());
    }

    /** Replica 4 gets the majority's state and starts so often; replica 5 reaches only it. */
    private void healThrough4(int starts) {
        ensemble.crash(4);
        ensemble.node(4).installStateOf(ensemble.node(1));
        ensemble.lose(envelope -> envelope.from() == 5 && envelope.to() != 4
                || envelope.to() == 5 && envelope.from() != 4
                || List.of(envelope.from(), envelope.to()).equals(List.of(4, 5))
                || List.of(envelope.from(), envelope.to()).equals(List.of(5, 4)));
        for (int i = 1; i <= starts; i++) {
            ensemble.start(4);
            ensemble.ticks(SOME_TIME_TICKS);
            ensemble.propose(4, "start " + i);
            ensemble.ticks(SOME_TIME_TICKS);
            assertTrue(ensemble.commandsAt(1).contains("start " + i));
            if (i < starts) {
                ensemble.crash(4);
            }
        }
        ensemble.forgetSent();
        ensemble.lose(
                envelope -> envelope.from() == 5 && envelope.to() != 4 || envelope.to() == 5 && envelope.from() != 4);
        ensemble.relink(4, 5);
        ensemble.ticks(SOME_TIME_TICKS);
    }

    private void assertNothingOfTheMinorityIsTold(int starts) {
        split();
        healThrough4(starts);
        assertEquals(9, ensemble.node(5).delivered().size());
        assertTrue(
                "4 does not say that it lacks this",
                ensemble.sent().stream().anyMatch(e -> e.from() == 4 && e.is(Truncated.class)));
        ensemble.lose(envelope -> false);
        for (int id = 1; id <= 3; id++) {
            ensemble.relink(id, 5);
        }
        ensemble.ticks(2 * SOME_TIME_TICKS);
        assertEquals(ensemble.node(1).delivered(), ensemble.node(5).delivered());
    }

    @Test
    public void acceptedBelowTheInstalledState_isNotTold() {
        assertNothingOfTheMinorityIsTold(1);
    }

    /** The heads of newer records say that everything up to the installed state is decided. */
    @Test
    public void acceptedBelowTheInstalledState_isNotToldAfterFurtherStarts() {
        assertNothingOfTheMinorityIsTold(3);
    }
}
