package io.chainkeeper.iss;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.iss.IssMessage.Accept;
import io.chainkeeper.iss.IssMessage.PreVote;
import io.chainkeeper.iss.IssMessage.Prepare;
import io.chainkeeper.iss.IssMessage.Refused;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** No single message takes the ballots of a segment so far that nobody can finish it any more. */
public final class HostileBallotTest {
    private static final int SOME_TIME_TICKS = 400;
    private static final Ballot HUGE = new Ballot(Long.MAX_VALUE, 3);

    private final IssEnsemble ensemble = IssEnsemble.of(3, Map.of("iss.leaderPolicy", "all"), new SafetyRules());

    private long epoch() {
        ensemble.ticks(20);
        return ensemble.node(1).gauge("epoch");
    }

    private void assertRefusedAndTheOrderGoesOn(IssMessage hostile) {
        ensemble.node(1).receive(3, hostile);
        ensemble.crash(3);
        ensemble.propose(1, "a");
        ensemble.ticks(SOME_TIME_TICKS);
        assertTrue("executed " + ensemble.commandsAt(1), ensemble.commandsAt(1).contains("a"));
        assertTrue(ensemble.commandsAt(2).contains("a"));
        List<String> refusals = ensemble.node(1).refusals();
        assertEquals(1, refusals.size());
        assertTrue(refusals.get(0), refusals.get(0).contains("ballot " + Long.MAX_VALUE + ".3"));
    }

    @Test
    public void hugePrepare_promisesNothing() {
        assertRefusedAndTheOrderGoesOn(new Prepare(epoch(), 2, HUGE));
    }

    @Test
    public void hugePreVote_isRefused() {
        assertRefusedAndTheOrderGoesOn(new PreVote(epoch(), 2, HUGE));
    }

    @Test
    public void hugeAccept_isNotAccepted() {
        long epoch = epoch();
        assertRefusedAndTheOrderGoesOn(new Accept(epoch, 2, HUGE, 3, 0, BatchCodec.NO_OP));
    }

    @Test
    public void hugeRefusal_mutesNobody() {
        assertRefusedAndTheOrderGoesOn(new Refused(epoch(), 2, new Ballot(1, 1), HUGE));
    }
}
