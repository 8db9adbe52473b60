package io.chainkeeper.simulation.explore;

import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.simulation.Protocols;
import io.chainkeeper.simulation.host.HostRule;
import io.chainkeeper.simulation.mutant.BrokenProtocol;
import io.chainkeeper.simulation.mutant.ContractRule;
import java.util.Set;
import org.junit.Test;

/** Named scopes in which exploring finds what goes wrong without one of the rules, by a shortest schedule. */
public class ExploredRulesTest {
    private static final int MAX_STATES = 100_000;
    private static final String ANOTHER_ORDER = "holds another order";

    private static void assertFound(OrderingProtocolFactory broken, Set<HostRule> missing, String scope, String words) {
        Failure failure = new Explorer(broken, Scopes.named(broken.name()).get(scope), missing)
                .run(Integer.MAX_VALUE, MAX_STATES)
                .failure();
        assertNotNull("nothing was found in " + scope, failure);
        assertTrue(failure.message(), failure.message().contains(words));
        System.out.println(scope + " finds it by " + failure.schedule().size() + " steps: " + failure.message());
    }

    private static void assertFound(String protocol, String missing, String scope, String words) {
        assertFound(Protocols.named(protocol).without(missing), Set.of(), scope, words);
    }

    /** docs/decisions/027. */
    @Test
    public void executedWithoutADurablePromise_isFound() {
        assertFound("chain", "PROMISE_IS_DURABLE_BEFORE_DELIVERY", "deposed-leader-meets-checkpoint", ANOTHER_ORDER);
    }

    /** docs/decisions/027. */
    @Test
    public void stateWithoutThePromiseOfItsSender_isFound() {
        BrokenProtocol broken = new BrokenProtocol(Protocols.named("chain"), ContractRule.STATE_COMES_WITH_ITS_PROMISE);
        assertFound(broken, Set.of(), "deposed-leader-meets-state", ANOTHER_ORDER);
    }

    /** docs/decisions/021. */
    @Test
    public void keptBelowAnInstalledState_isFound() {
        Set<HostRule> missing = Set.of(HostRule.WHAT_AN_INSTALLED_STATE_COVERS_IS_DISCARDED);
        assertFound(Protocols.named("chain"), missing, "behind", ANOTHER_ORDER);
    }

    @Test
    public void valueOfALowerBallotThatCounts_isFound() {
        assertFound("chain", "VALUE_OF_THIS_BALLOT_COUNTS", "deposed-leader", ANOTHER_ORDER);
    }

    @Test
    public void deposedLeaderThatAnswersReads_isFound() {
        assertFound("chain", "READ_ROUND_NEEDS_QUORUM", "deposed-leader-reads", "linearizability");
        assertFound("iss", "QUORUM_OF_ANSWERS", "deposed-leader-reads", "linearizability");
    }

    @Test
    public void readThatDoesNotWait_isFound() {
        assertFound("chain", "READ_WAITS_FOR_READ_INDEX", "no-fault", "linearizability");
        assertFound("iss", "READ_WAITS_FOR_READ_INDEX", "deposed-leader-reads", "linearizability");
    }

    @Test
    public void decisionOfAnotherBallotTakenForOnesOwn_isFound() {
        assertFound("iss", "DECIDED_IN_THE_SAME_BALLOT", "deposed-leader", "agreement");
    }
}
