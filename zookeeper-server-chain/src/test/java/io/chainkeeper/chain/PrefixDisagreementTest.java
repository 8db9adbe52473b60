package io.chainkeeper.chain;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.chain.ChainMessage.Accept;
import io.chainkeeper.ordering.InvariantViolated;
import java.util.List;
import java.util.Set;
import org.junit.Test;

/** A replica that has executed another value at one position is found out by what is handed on next, and stops. */
public final class PrefixDisagreementTest {
    private ScriptedEnsemble ensemble;
    private int leader;
    private int tail;

    /** The last of the chain executes something else than the others, who do not notice by their records. */
    private void divergeTail(int size) {
        ensemble = ScriptedEnsemble.started(size);
        leader = ensemble.awaitLeader();
        tail = ensemble.behindLeader(leader, size - 1);
        int before = ensemble.behindLeader(leader, size - 2);
        ensemble.replica(leader).propose("a");
        ensemble.run(20);
        ensemble.makeWrong(tail);
        ensemble.stall(before, tail);
        ensemble.sent.clear();
        ensemble.replica(leader).propose("right");
        ensemble.settle();
        Accept accept = ensemble.sent.stream()
                .filter(s -> s.from() == before && s.to() == tail && s.message() instanceof Accept)
                .map(s -> (Accept) s.message())
                .findFirst()
                .orElseThrow();
        Accept other = new Accept(
                accept.ballot(),
                accept.start(),
                accept.instance(),
                ByteSliceOf.batch("wrong"),
                accept.progress(),
                accept.prefix());
        ensemble.replica(tail).input(p -> p.onMessage(before, other));
    }

    private void assertTailStops() {
        InvariantViolated stop = assertThrows(InvariantViolated.class, () -> ensemble.run(200));
        String words = stop.getMessage();
        assertTrue(words, words.startsWith("server " + tail + " holds another order than servers ["));
        assertTrue(words, words.contains("the hash of all values up to position "));
        assertTrue(words, words.contains(" at server " + tail + " and "));
        assertTrue(words, words.contains("Divergence alarm"));
    }

    private void assertOthersGoOn(int size) {
        ensemble.crash(tail);
        ensemble.run(40);
        ensemble.replica(ensemble.awaitLeader()).propose("later");
        ensemble.run(20);
        for (int id = 1; id <= size; id++) {
            if (id != tail) {
                assertEquals(List.of("a", "right", "later"), ensemble.replica(id).executed);
            }
        }
    }

    @Test
    public void tailOfThreeExecutesAnotherValue_stopsAtTheNextHandOver_othersGoOn() {
        divergeTail(3);
        ensemble.unstall(ensemble.behindLeader(leader, 1), tail);
        assertTailStops();
        assertTrue(ensemble.replica(tail).executed.contains("wrong"));
        assertOthersGoOn(3);
    }

    @Test
    public void tailOfFiveExecutesAnotherValue_stopsWhenThreeHaveSaidSo() {
        divergeTail(5);
        ensemble.unstall(ensemble.behindLeader(leader, 3), tail);
        assertTailStops();
        assertOthersGoOn(5);
    }

    @Test
    public void stoppedReplicaStartsAgain_stopsAgainWithTheSameLine() {
        divergeTail(3);
        ensemble.unstall(ensemble.behindLeader(leader, 1), tail);
        assertTailStops();
        ensemble.crash(tail);
        ensemble.run(40);
        ensemble.start(tail);
        assertTailStops();
    }

    /** Two of three that contradict each other decide nothing together; who is right shows when the third is back. */
    @Test
    public void thirdIsDown_twoThatDiffer_decideNothingTogether() {
        divergeTail(3);
        int middle = ensemble.behindLeader(leader, 1);
        ensemble.crash(middle);
        ensemble.run(100);
        assertEquals(Set.of(tail), ensemble.replica(leader).contradictions().keySet());
        assertEquals(Set.of(leader), ensemble.replica(tail).contradictions().keySet());
        ensemble.replica(leader).propose("waits");
        ensemble.run(100);
        assertEquals(List.of("a", "right"), ensemble.replica(leader).executed);
        ensemble.unstall(middle, tail);
        ensemble.start(middle);
        assertTailStops();
        ensemble.crash(tail);
        ensemble.run(100);
        assertEquals(List.of("a", "right", "waits"), ensemble.replica(leader).executed);
    }
}
