package io.chainkeeper.iss;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.iss.IssMessage.Fetch;
import org.junit.Test;

/** Asking others for what they know to be decided. */
public final class CatchUpTest {
    private static final int SOME_TIME_TICKS = 200;

    /** A replica that is asked restarts: its link is back before a tick has seen that it was down. */
    @Test
    public void questionIsLostWithALinkThatIsBackAtOnce_isAskedAgainAtOnce() {
        IssEnsemble ensemble = IssEnsemble.of(3);
        ensemble.lose(e -> e.from() == 1 || e.to() == 1);
        for (int i = 0; i < 10; i++) {
            ensemble.propose(2, "c" + i);
            ensemble.ticks(SOME_TIME_TICKS / 10);
        }
        ensemble.forgetSent();
        ensemble.lose(e -> e.is(Fetch.class));
        ensemble.relink(1, 2);
        ensemble.settle();
        assertTrue("2 is not asked", ensemble.sent().stream().anyMatch(e -> e.to() == 2 && e.is(Fetch.class)));
        ensemble.lose(e -> false);
        ensemble.relink(1, 2);
        ensemble.settle();
        assertEquals(ensemble.node(2).delivered(), ensemble.node(1).delivered());
    }
}
