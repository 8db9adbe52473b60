package io.chainkeeper.chain;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.chain.ChainMessage.Accept;
import io.chainkeeper.chain.ChainMessage.PreVoteDenied;
import io.chainkeeper.chain.ChainMessage.Prepare;
import io.chainkeeper.chain.ChainMessage.Refused;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.util.List;
import org.junit.Test;

/** No single message takes the ballots so far that nobody can stand for election any more. */
public final class HostileBallotTest {
    private static final int MANY_TICKS = 400;

    private final ScriptedEnsemble ensemble = ScriptedEnsemble.started(3);
    private final int leader = ensemble.awaitLeader();
    private final int middle = ensemble.behindLeader(leader, 1);
    private final int tail = ensemble.behindLeader(leader, 2);

    private void assertRefusedAndElectionsGoOn(int target, ChainMessage hostile) {
        ensemble.replica(target).input(p -> p.onMessage(tail, hostile));
        ensemble.settle();
        assertTrue("round " + round(target), round(target) < 1 << 20);
        ensemble.crash(leader);
        ensemble.runUntil(
                "another leader",
                MANY_TICKS,
                () -> ensemble.replica(middle).leads() || ensemble.replica(tail).leads());
        ensemble.replica(middle).propose("a");
        ensemble.run(10);
        assertEquals(List.of("a"), ensemble.replica(middle).executed);
        assertEquals(List.of("a"), ensemble.replica(tail).executed);
        List<String> refusals = ensemble.replica(target).refusals();
        assertEquals(1, refusals.size());
        assertTrue(refusals.get(0), refusals.get(0).contains("ballot " + Long.MAX_VALUE + "." + tail));
    }

    private long round(int id) {
        return ensemble.replica(id).gauge("ballot_round");
    }

    private Ballot huge() {
        return new Ballot(Long.MAX_VALUE, tail);
    }

    @Test
    public void hugePrepare_promisesNothing() {
        assertRefusedAndElectionsGoOn(middle, new Prepare(huge(), 1, Member.UNBOUND));
    }

    @Test
    public void hugeAccept_isNotFollowed() {
        assertRefusedAndElectionsGoOn(middle, new Accept(huge(), 1, 1, ByteSliceOf.batch("x"), new Progress()));
    }

    @Test
    public void hugeDenial_mutesNobody() {
        assertRefusedAndElectionsGoOn(middle, new PreVoteDenied(new Ballot(1, middle), huge()));
    }

    @Test
    public void hugeRefusal_mutesNobody() {
        assertRefusedAndElectionsGoOn(middle, new Refused(new Ballot(1, middle), huge()));
    }

    /** A blank replica takes part in a cluster that has seen many elections. */
    @Test
    public void blankReplica_followsWhoeverLeads() {
        Ballot old = new Ballot(1L << 47, tail);
        ScriptedEnsemble blank = new ScriptedEnsemble(3);
        blank.start(middle);
        blank.replica(middle).input(p -> p.onMessage(tail, new ChainMessage.AcceptAck(old, 1, new Progress())));
        assertEquals(List.of(), blank.replica(middle).refusals());
        assertEquals(tail, blank.replica(middle).status().leader());
    }

    /** A replica that has missed all elections of years follows the ballot that is led. */
    @Test
    public void replicaThatWasAwayForMillionsOfElections_followsAgain() {
        Ballot next = new Ballot(1L << 30, tail);
        ensemble.replica(middle).input(p -> p.onMessage(tail, new ChainMessage.AcceptAck(next, 1, new Progress())));
        assertEquals(List.of(), ensemble.replica(middle).refusals());
        assertEquals(tail, ensemble.replica(middle).status().leader());
    }
}
