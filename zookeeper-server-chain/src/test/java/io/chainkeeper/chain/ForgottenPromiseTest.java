package io.chainkeeper.chain;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.Test;

/**
 * What a replica holds as decided may be on its disk without its log: in a checkpoint that was taken while the log was
 * slow, or in the state of another. Without the promise of the ballot that decided it, the replica follows a lower one,
 * and its word that all this is decided is taken there for the values of the lower ballot.
 */
public final class ForgottenPromiseTest {
    private static final SafetyRules WITHOUT_THE_PROMISE =
            SafetyRules.without(SafetyRule.PROMISE_IS_DURABLE_BEFORE_DELIVERY);

    private ScriptedEnsemble ensemble;
    private int deposed;
    private int forgetful;
    private List<Integer> others;

    private void start(SafetyRules rules) {
        ensemble = ScriptedEnsemble.startedWith(rules, 7);
        deposed = ensemble.awaitLeader();
        forgetful = ensemble.behindLeader(deposed, 6);
        others = IntStream.rangeClosed(1, 5)
                .mapToObj(places -> ensemble.behindLeader(deposed, places))
                .toList();
    }

    /** One leads and does not know that it is deposed: it hangs, with a value of its own that nobody else has. */
    private ScriptedReplica deposeLeaderAndDecide() {
        ensemble.isolate(deposed);
        ensemble.replica(deposed).propose("of the deposed leader");
        ensemble.settle();
        ensemble.stop(deposed);
        ensemble.runUntil(
                "another leader",
                200,
                () -> others.stream().anyMatch(id -> ensemble.replica(id).leads()));
        ScriptedReplica next = others.stream()
                .map(ensemble::replica)
                .filter(ScriptedReplica::leads)
                .findFirst()
                .orElseThrow();
        next.propose("decided");
        ensemble.runUntil("the decision", 100, () -> next.executed.contains("decided"));
        ensemble.run(20);
        return next;
    }

    /** The deposed leader goes on and is linked to one replica only; the test fails if it decides its own value. */
    private void meetsDeposedLeader() {
        others.forEach(id -> ensemble.cut(forgetful, id));
        ensemble.resume(deposed);
        ensemble.heal(deposed, forgetful);
        ensemble.settle();
        assertEquals(List.of(), ensemble.replica(deposed).executed);
    }

    private void comesBackWithACheckpointOnly(SafetyRules rules) {
        start(rules);
        ensemble.holdDisk(forgetful);
        deposeLeaderAndDecide();
        long executed = ensemble.replica(forgetful).delivered.size();
        ensemble.crash(forgetful);
        ensemble.releaseDisk(forgetful);
        ensemble.start(forgetful, executed);
        meetsDeposedLeader();
    }

    @Test
    public void promiseIsNotDurable_nothingIsExecutedThatACheckpointCouldCover() {
        comesBackWithACheckpointOnly(new SafetyRules());
        AssertionError found =
                assertThrows(AssertionError.class, () -> comesBackWithACheckpointOnly(WITHOUT_THE_PROMISE));
        assertTrue(found.getMessage(), found.getMessage().startsWith("replica " + deposed + " at position 1"));
    }

    @Test
    public void stateOfAnotherIsInstalled_itsPromiseHoldsHereToo() {
        start(new SafetyRules());
        others.forEach(id -> ensemble.cut(forgetful, id));
        ScriptedReplica sender = deposeLeaderAndDecide();
        others.forEach(id -> ensemble.heal(forgetful, id));
        ensemble.installState(forgetful, sender.id(), sender.delivered.size());
        meetsDeposedLeader();
    }

    /** Also if it goes on to a third before its own log has recorded anything. */
    @Test
    public void installedStateIsHandedOn_thePromiseGoesWithIt() {
        start(new SafetyRules());
        int relay = others.get(4);
        others.forEach(id -> ensemble.cut(forgetful, id));
        others.stream().filter(id -> id != relay).forEach(id -> ensemble.cut(relay, id));
        ensemble.cut(relay, forgetful);
        ScriptedReplica sender = deposeLeaderAndDecide();
        ensemble.holdDisk(relay);
        ensemble.installState(relay, sender.id(), sender.delivered.size());
        ensemble.installState(forgetful, relay, sender.delivered.size());
        ensemble.heal(deposed, forgetful);
        ensemble.resume(deposed);
        ensemble.settle();
        assertEquals(List.of(), ensemble.replica(deposed).executed);
    }
}
