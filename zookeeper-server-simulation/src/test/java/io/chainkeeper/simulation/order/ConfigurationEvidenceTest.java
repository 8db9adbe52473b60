package io.chainkeeper.simulation.order;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.command.Command;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.server.bootstrap.DrivenServer;
import io.chainkeeper.server.state.EnsembleConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.junit.Before;
import org.junit.Test;

/** A configuration that the order has not made is found at the replica that executes it. */
public class ConfigurationEvidenceTest {
    private static final long SESSION = 77;
    private static final int CXID = 5;
    private static final int OWNER = 1;
    private static final long INCARNATION = 1;

    private final EnsembleConfig first = configuration(0, 1, 2, 3);
    private final EnsembleConfig second = configuration(0, 1, 2, 4);
    private final OrderedSessions sessions = new OrderedSessions(() -> 1);
    private final List<EnsembleConfig> seen = new ArrayList<>();
    private Membership membership = Membership.initial(1, List.of(1, 2, 3));
    private final ConfigurationEvidence evidence = new ConfigurationEvidence(sessions, () -> membership, seen::add);

    private static EnsembleConfig configuration(long version, Integer... ids) {
        return DrivenServer.configuration(Ensemble.of(List.of(ids))).withVersion(version);
    }

    private static ProposedCommand by(int proposer) {
        return new ProposedCommand(proposer, INCARNATION, 0, 1, ByteSlice.EMPTY);
    }

    private void plan(EnsembleConfig next, int proposer) {
        evidence.planned(new Command.PlanEnsemble(0, SESSION, CXID, next.text()), by(proposer));
    }

    private List<Integer> request() {
        Command.ClientRequest request = new Command.ClientRequest(
                0, SESSION, CXID, OpCode.reconfig, null, ByteSlice.EMPTY, Command.ClientRequest.QUOTA_KEPT);
        return evidence.requested(request, by(OWNER));
    }

    @Before
    public void formed() {
        sessions.create(SESSION, 1000, OWNER, INCARNATION);
        evidence.formed(new Command.ClusterFormed(0, new UUID(1, 1), 0, List.of(1, 2, 3), first.text(), null, null));
        evidence.executed(2, first);
    }

    @Test
    public void plannedAndAligned_isWhatEveryReplicaExecutes() {
        plan(second, OWNER);
        assertTrue(evidence.isChanging());
        membership = Membership.initial(1, List.of(1, 2, 4));
        assertEquals(List.of(3), request());
        assertTrue("nobody has executed it", evidence.isChanging());
        evidence.executed(1, second.withVersion(9));
        evidence.executed(3, second.withVersion(9));
        assertEquals(List.of(first, second.withVersion(9)), seen);
        assertEquals(1, evidence.numberOf(second.withVersion(9).text()));
        assertTrue(evidence.isOutside(3));
        assertFalse(evidence.isChanging());
    }

    @Test
    public void requestBeforeTheMembersAreInLine_changesNothing() {
        plan(second, OWNER);
        assertEquals(List.of(), request());
        assertThrows(InvariantViolated.class, () -> evidence.executed(1, second.withVersion(9)));
    }

    @Test
    public void planOfAReplicaThatDoesNotOwnTheSession_doesNotStand() {
        plan(second, 2);
        assertFalse(evidence.isChanging());
    }

    @Test
    public void planOnAnOlderVersion_doesNotStand() {
        plan(second.withVersion(8), OWNER);
        assertFalse(evidence.isChanging());
    }

    @Test
    public void sessionEnds_itsPlanIsDropped() {
        plan(second, OWNER);
        sessions.end(SESSION);
        evidence.dropUnlessOwned();
        assertFalse(evidence.isChanging());
    }

    @Test
    public void anotherConfigurationUnderTheSameVersion_isFound() {
        assertThrows(InvariantViolated.class, () -> evidence.executed(1, second));
    }

    @Test
    public void textThatNobodyHasExecuted_isFound() {
        assertThrows(
                InvariantViolated.class,
                () -> evidence.numberOf(second.withVersion(9).text()));
    }
}
