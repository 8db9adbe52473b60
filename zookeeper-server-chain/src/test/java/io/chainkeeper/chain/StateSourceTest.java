package io.chainkeeper.chain;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.chain.ChainMessage.Truncated;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.Test;

/** How a replica that is far behind gets on although one of the others reads nothing from its disk. */
public final class StateSourceTest {
    private static final int SOME_TIME_TICKS = 400;
    private static final int VALUES = 40;

    private final ScriptedEnsemble ensemble =
            ScriptedEnsemble.started(5, Map.of("chain.windowInstances", "1", "chain.maxInstancesInMemory", "1"));
    private final int leader = ensemble.awaitLeader();
    private final List<Integer> others = IntStream.range(0, 4)
            .mapToObj(i -> ensemble.behindLeader(leader, i))
            .toList();
    private final int behind = ensemble.behindLeader(leader, 4);

    /** The last of the chain misses what the others no longer have in memory, some not even in their logs. */
    private void leaveBehind(List<Integer> withoutLog) {
        leaveBehind(behind, withoutLog);
    }

    private void leaveBehind(int behind, List<Integer> withoutLog) {
        ensemble.isolate(behind);
        for (int i = 0; i < VALUES; i++) {
            ensemble.replica(leader).propose("a" + i);
            ensemble.settle();
        }
        withoutLog.forEach(id -> ensemble.log(id).truncate(VALUES));
        ensemble.sent.clear();
    }

    private Set<Integer> askedForState() {
        return askedForState(behind);
    }

    private Set<Integer> askedForState(int behind) {
        Set<Integer> asked = new TreeSet<>();
        for (int i = 0; i < SOME_TIME_TICKS; i++) {
            ensemble.run(1);
            asked.add(ensemble.replica(behind).askedForState());
        }
        asked.remove(0);
        return asked;
    }

    /** The one that is asked gives nothing, for whatever reason. */
    @Test
    public void stateDoesNotCome_anotherIsAskedForIt() {
        leaveBehind(others);
        ensemble.rejoin(behind);
        assertEquals(Set.copyOf(others), askedForState());
        assertTrue(ensemble.replica(leader).leads());
    }

    /** The leader goes on: the disks of the others decide. */
    @Test
    public void diskOfTheLeaderHangsAndOnlyItsLogReachesBack_stateOfAnotherIsFetched() {
        leaveBehind(others.subList(1, 4));
        ensemble.holdDisk(leader);
        ensemble.holdReads(leader);
        ensemble.rejoin(behind);
        Set<Integer> asked = askedForState();
        assertTrue("the leader is asked", ensemble.replica(leader).logReads().contains(1L));
        assertTrue("others say so", ensemble.wasSent(others.get(3), behind, Truncated.class::isInstance));
        assertTrue("state is asked of " + asked, asked.contains(others.get(1)));
        assertTrue(ensemble.replica(leader).leads());
    }

    /** Nobody but the leader is ahead of it, so nobody tells it that a log does not reach back. */
    @Test
    public void diskOfTheLeaderHangsAndNobodyElseIsAhead_stateOfAnotherIsFetched() {
        int first = others.get(1);
        leaveBehind(first, List.of());
        ensemble.holdDisk(leader);
        ensemble.holdReads(leader);
        ensemble.rejoin(first);
        Set<Integer> asked = askedForState(first);
        assertTrue("the leader is asked", ensemble.replica(leader).logReads().contains(1L));
        assertTrue("state is asked of " + asked, asked.contains(others.get(2)));
        assertBringsFurther(first);
        assertTrue(ensemble.replica(leader).leads());
    }

    /** Others have states on disk that end where it is, for instance the one that it has just started from. */
    @Test
    public void stateThatEndsWhereItIs_isNotWhatIsAskedFor() {
        leaveBehind(others);
        ensemble.rejoin(behind);
        askedForState();
        assertBringsFurther(behind);
    }

    private void assertBringsFurther(int behind) {
        long reached = ensemble.replica(behind).delivered.size();
        assertFalse(ensemble.replica(behind).needsState().isEmpty());
        for (long behindThatState : ensemble.replica(behind).needsState()) {
            assertTrue(behindThatState + " after " + reached, behindThatState - 1 > reached);
        }
    }

    /** It lives, and says so with each round. */
    @Test
    public void diskOfThePredecessorHangs_anotherFeeds() {
        leaveBehind(List.of());
        int predecessor = others.get(3);
        ensemble.holdDisk(predecessor);
        ensemble.holdReads(predecessor);
        ensemble.heal(predecessor, behind);
        ensemble.settle();
        others.subList(0, 3).forEach(id -> ensemble.heal(id, behind));
        ensemble.run(SOME_TIME_TICKS);
        assertTrue(ensemble.replica(predecessor).logReads().contains(1L));
        assertEquals(VALUES, ensemble.replica(behind).executed.size());
    }
}
