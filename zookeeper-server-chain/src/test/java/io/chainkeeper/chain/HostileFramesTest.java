package io.chainkeeper.chain;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.chain.ChainMessage.Accept;
import io.chainkeeper.chain.ChainMessage.Entry;
import io.chainkeeper.chain.ChainMessage.PreVote;
import io.chainkeeper.chain.ChainMessage.PreVoteOk;
import io.chainkeeper.chain.ChainMessage.Prepare;
import io.chainkeeper.chain.ChainMessage.PrepareOk;
import io.chainkeeper.chain.ScriptedEnsemble.Sent;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.util.List;
import org.junit.Test;

/** What no member can have meant is refused and changes nothing: it does not stop the replica that receives it. */
public final class HostileFramesTest {
    private static final int MANY_TICKS = 400;
    private static final long FAR_AWAY = 1L << 40;

    private final ScriptedEnsemble ensemble = ScriptedEnsemble.started(3);
    private final int leader = ensemble.awaitLeader();
    private final int middle = ensemble.behindLeader(leader, 1);
    private final int tail = ensemble.behindLeader(leader, 2);

    private void assertRefused(String reason) {
        List<String> refusals = ensemble.replica(middle).refusals();
        assertEquals(refusals.toString(), 1, refusals.size());
        assertTrue(refusals.get(0), refusals.get(0).contains(reason));
    }

    private void assertTheOrderGoesOn() {
        ensemble.runUntil("another leader", MANY_TICKS, () -> leads(leader) || leads(middle) || leads(tail));
        ensemble.replica(middle).propose("a");
        ensemble.run(20);
        assertEquals(List.of("a"), ensemble.replica(middle).executed);
        assertEquals(List.of("a"), ensemble.replica(tail).executed);
    }

    private boolean leads(int id) {
        return ensemble.isRunning(id) && ensemble.replica(id).leads();
    }

    /** Below the start of its ballot a leader hands on what has been decided, and says so. */
    @Test
    public void undecidedValueBelowTheStartOfItsBallot_isNotAccepted() {
        Ballot ballot = new Ballot(50, tail);
        Accept hostile = new Accept(ballot, 5, 1, ByteSliceOf.batch("x"), new Progress());
        ensemble.replica(middle).input(p -> p.onMessage(tail, hostile));
        assertRefused("hands on undecided instance 1 below start 5");
        assertEquals(0, ensemble.replica(middle).gauge("max_accepted"));
        assertTheOrderGoesOn();
    }

    /** Makes the replica in the middle a candidate that waits for a promise; returns its ballot. */
    private Ballot candidate() {
        ensemble.crash(leader);
        ensemble.stall(tail, middle);
        ensemble.sent.clear();
        for (int i = 0; i < MANY_TICKS && sentBallot(PreVote.class) == null; i++) {
            ensemble.replica(middle).tick();
            ensemble.settle();
        }
        Ballot ballot = sentBallot(PreVote.class);
        ensemble.replica(middle).input(p -> p.onMessage(tail, new PreVoteOk(ballot)));
        ensemble.settle();
        assertEquals(ballot, sentBallot(Prepare.class));
        return ballot;
    }

    private Ballot sentBallot(Class<? extends ChainMessage> kind) {
        Ballot found = null;
        for (Sent each : ensemble.sent) {
            if (each.from() == middle && kind.isInstance(each.message())) {
                found = ((ChainMessage) each.message()).ballot();
            }
        }
        return found;
    }

    private void assertPromiseRefused(String reason, long decided, List<Entry> entries) {
        Ballot ballot = candidate();
        PrepareOk hostile = new PrepareOk(ballot, Member.UNBOUND, true, 0, true, decided, entries);
        ensemble.replica(middle).input(p -> p.onMessage(tail, hostile));
        assertRefused(reason);
        assertFalse(leads(middle));
        ensemble.unstall(tail, middle);
        assertTheOrderGoesOn();
    }

    @Test
    public void promiseOfOneWhoHasDecidedMoreThanItReports_isRefused() {
        assertPromiseRefused("has decided up to " + FAR_AWAY + " but reports values only up to 0", FAR_AWAY, List.of());
    }

    @Test
    public void promiseWithAHole_isRefused() {
        Entry behindAHole = new Entry(7, new Ballot(1, tail), ByteSliceOf.batch("x"));
        assertPromiseRefused("reports instance 7 where 1 is the next", FAR_AWAY, List.of(behindAHole));
    }
}
