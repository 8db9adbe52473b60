package io.chainkeeper.iss;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.iss.IssMessage.Learn;
import io.chainkeeper.iss.IssMessage.Status;
import io.chainkeeper.iss.IssMessage.Truncated;
import java.util.Set;
import java.util.TreeSet;
import org.junit.Test;

/** Whose state a replica fetches that no log brings up to the others, while one of the others answers nothing. */
public final class IssStateSourceTest {
    private static final int SOME_TIME_TICKS = 200;

    private final IssEnsemble ensemble = IssEnsemble.of(5);

    /** 1 misses what the others have in their states only; the logs of these reach back to there. */
    private void leaveBehind(Set<Integer> withLog) {
        ensemble.lose(e -> e.from() == 1 || e.to() == 1);
        for (int i = 0; i < 10; i++) {
            ensemble.propose(2, "c" + i);
            ensemble.ticks(SOME_TIME_TICKS / 10);
        }
        for (int id = 2; id <= 5; id++) {
            if (!withLog.contains(id)) {
                ensemble.crash(id);
                ensemble.node(id).checkpointAt(ensemble.node(id).delivered().size());
                ensemble.start(id);
                ensemble.ticks(SOME_TIME_TICKS);
                ensemble.node(id).truncateLog();
            }
        }
    }

    /** The disk of 5 hangs, also for reads: it lives, says how far it is, and answers no question. */
    @Test
    public void oneWhoseLogReachesBackDoesNotAnswer_stateOfAnotherIsFetched() {
        leaveBehind(Set.of(5));
        ensemble.lose(e -> e.from() == 5 && e.to() == 1 && !e.is(Status.class));
        for (int id = 2; id <= 5; id++) {
            ensemble.relink(1, id);
        }
        ensemble.ticks(SOME_TIME_TICKS / 2);
        assertTrue(ensemble.sent().stream().anyMatch(e -> e.from() == 2 && e.is(Truncated.class)));
        assertTrue(ensemble.sent().stream().anyMatch(e -> e.from() == 5 && e.is(Learn.class)));
        ensemble.ticks(5 * SOME_TIME_TICKS);
        assertTrue("no state is asked for", ensemble.node(1).stateNeededAt() > 0);
        assertTrue("of " + ensemble.node(1).askedForState(), ensemble.node(1).askedForState() != 5);
    }

    /** The one that is asked gives nothing, for whatever reason. */
    @Test
    public void stateDoesNotCome_anotherIsAskedForIt() {
        leaveBehind(Set.of());
        ensemble.lose(e -> false);
        for (int id = 2; id <= 5; id++) {
            ensemble.relink(1, id);
        }
        Set<Integer> asked = new TreeSet<>();
        for (int i = 0; i < 5 * SOME_TIME_TICKS; i++) {
            ensemble.ticks(1);
            asked.add(ensemble.node(1).askedForState());
        }
        asked.remove(0);
        assertEquals(Set.of(2, 3, 4, 5), asked);
    }
}
