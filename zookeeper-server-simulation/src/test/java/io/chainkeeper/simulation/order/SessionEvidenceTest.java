package io.chainkeeper.simulation.order;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import io.chainkeeper.command.Command;
import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.server.session.SessionTable;
import io.chainkeeper.server.state.EnsembleConfig;
import io.chainkeeper.simulation.cluster.Pauses;
import io.chainkeeper.simulation.time.EventQueue;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.junit.Before;
import org.junit.Test;

/** Who ends a session too early, or for a reason that is gone, is found out. */
public class SessionEvidenceTest {
    private static final long SESSION = 77;
    private static final int TIMEOUT_MILLIS = 1_000;
    private static final int OWNER = 1;
    private static final int OTHER = 2;

    private static final long INCARNATION = 1;

    private final EventQueue events = new EventQueue();
    private final List<Long> ended = new ArrayList<>();
    private long position;
    private final List<Long> proposed = new ArrayList<>();
    private final Pauses ownersPauses = new Pauses();
    private final SessionEvidence evidence = new SessionEvidence(
            events::nowMicros,
            0,
            (replica, sinceMicros) -> replica == OWNER ? ownersPauses.between(sinceMicros, events.nowMicros(), 1) : 0,
            () -> Membership.initial(1, List.of(OWNER, OTHER)),
            () -> this.position,
            new Listener());

    private final class Listener implements SessionEvidence.Listener {
        @Override
        public void expiryProposed(long sessionId) {
            proposed.add(sessionId);
        }

        @Override
        public void ended(long sessionId) {
            ended.add(sessionId);
        }

        @Override
        public void configured(EnsembleConfig configuration) {
            throw new AssertionError("no configuration is executed here");
        }
    }

    private void pass(long millis) {
        events.after(1_000 * millis, () -> {});
        events.step();
    }

    private void pause(long millis) {
        ownersPauses.begin(events.nowMicros(), events.nowMicros() + 1_000 * millis);
        pass(millis);
    }

    private void proposeEnd(int replica) {
        evidence.expiryProposed(replica, position, expire(OWNER, 0));
    }

    private static Command.Expire expire(int owner, long epoch) {
        return new Command.Expire(0, SESSION, owner, epoch);
    }

    private void order(int proposer, Command command) {
        position++;
        evidence.ordered(new ProposedCommand(proposer, INCARNATION, 0, position, CommandCodec.encode(command)));
    }

    @Before
    public void sessionBegins() {
        ByteSlice timeout = ByteSlice.of(
                ByteBuffer.allocate(Integer.BYTES).putInt(TIMEOUT_MILLIS).array());
        Command create = new Command.ClientRequest(
                0, SESSION, 1, OpCode.createSession, null, timeout, Command.ClientRequest.QUOTA_KEPT);
        order(OWNER, create);
    }

    @Test
    public void silentForItsTimeout_mayBeEndedByItsOwner() {
        pass(TIMEOUT_MILLIS);
        assertThrows(InvariantViolated.class, () -> proposeEnd(OTHER));
        proposeEnd(OWNER);
        assertEquals(List.of(SESSION), proposed);
    }

    @Test
    public void heardWithinItsTimeout_mayNotBeEnded() {
        pass(100);
        evidence.heard(OWNER, SESSION, events.nowMicros());
        pass(TIMEOUT_MILLIS - 100);
        assertThrows(InvariantViolated.class, () -> proposeEnd(OWNER));
    }

    private void execute(int xid) {
        Command write = new Command.ClientRequest(
                0, SESSION, xid, OpCode.delete, null, ByteSlice.EMPTY, Command.ClientRequest.QUOTA_KEPT);
        order(OWNER, write);
    }

    @Test
    public void writeLeftOut_isFound() {
        execute(2);
        execute(4);
        evidence.checkPrefix(SESSION, List.of(2, 4, 5));
        assertThrows(InvariantViolated.class, () -> evidence.checkPrefix(SESSION, List.of(2, 3, 4, 5)));
        evidence.refused(SESSION, 3);
        evidence.checkPrefix(SESSION, List.of(2, 3, 4, 5));
    }

    @Test
    public void refusedWriteThatIsExecuted_isFound() {
        execute(2);
        execute(4);
        evidence.refused(SESSION, 3);
        evidence.refused(SESSION, 5);
        evidence.checkRefused(SESSION);
        evidence.refused(SESSION, 4);
        assertThrows(InvariantViolated.class, () -> evidence.checkRefused(SESSION));
    }

    private void attach(int replica) {
        order(replica, new Command.Attach(0, SESSION, TIMEOUT_MILLIS));
    }

    @Test
    public void expiryOfTheSessionAsItIs_endsIt() {
        pass(TIMEOUT_MILLIS);
        proposeEnd(OWNER);
        order(OWNER, expire(OWNER, 0));
        assertEquals(List.of(SESSION), ended);
    }

    @Test
    public void sessionAttachedMeanwhile_goesOn() {
        pass(TIMEOUT_MILLIS);
        proposeEnd(OWNER);
        attach(OWNER);
        order(OWNER, expire(OWNER, 0));
        assertEquals(List.of(), ended);
    }

    @Test
    public void sessionOrphanedMeanwhile_goesOn() {
        pass(TIMEOUT_MILLIS);
        proposeEnd(OWNER);
        order(OTHER, new Command.Orphan(0, OWNER, INCARNATION));
        order(OWNER, expire(OWNER, 0));
        assertEquals(List.of(), ended);
    }

    /** An epoch that did not grow would be named right by an expiry that is too old. */
    @Test
    public void expiryThatIsOlderThanTheAttach_mayNotNameItsEpoch() {
        pass(TIMEOUT_MILLIS);
        evidence.expiryProposed(OWNER, position, expire(OWNER, 1));
        attach(OWNER);
        assertThrows(InvariantViolated.class, () -> order(OWNER, expire(OWNER, 1)));
    }

    @Test
    public void expiryThatNobodyProposed_isFound() {
        assertThrows(InvariantViolated.class, () -> order(OWNER, expire(OWNER, 0)));
    }

    @Test
    public void tableOfAReplica_isThatOfItsPosition() {
        SessionTable table = new SessionTable();
        table.create(SESSION, TIMEOUT_MILLIS, OWNER, INCARNATION);
        evidence.executed(OTHER, 1, table);
        attach(OTHER);
        evidence.executed(OTHER, 1, table);
        assertThrows(InvariantViolated.class, () -> evidence.executed(OTHER, 2, table));
        table.attach(SESSION, OTHER, INCARNATION, TIMEOUT_MILLIS);
        evidence.executed(OTHER, 2, table);
        table.attach(SESSION, OTHER, INCARNATION, TIMEOUT_MILLIS);
        assertThrows("an epoch too high", InvariantViolated.class, () -> evidence.executed(OTHER, 2, table));
    }

    @Test
    public void sessionThatAReplicaHasEndedOrLetLive_isFound() {
        SessionTable table = new SessionTable();
        assertThrows(InvariantViolated.class, () -> evidence.executed(OTHER, 1, table));
        table.create(SESSION, TIMEOUT_MILLIS, OWNER, INCARNATION);
        pass(TIMEOUT_MILLIS);
        proposeEnd(OWNER);
        order(OWNER, expire(OWNER, 0));
        evidence.executed(OTHER, 1, table);
        assertThrows(InvariantViolated.class, () -> evidence.executed(OTHER, 2, table));
    }

    /** What clients sent meanwhile has not been read yet. */
    @Test
    public void ownerStoodStill_thatIsNoSilence() {
        pass(500);
        pause(2 * TIMEOUT_MILLIS);
        pass(400);
        assertThrows(InvariantViolated.class, () -> proposeEnd(OWNER));
        pass(100);
        proposeEnd(OWNER);
        assertEquals(List.of(SESSION), proposed);
    }

    @Test
    public void pausesThatOverlap_areOne_andOnlyWhatWasAskedForCounts() {
        Pauses pauses = new Pauses();
        pauses.begin(100, 200);
        pauses.begin(150, 400);
        pauses.begin(300, 350);
        pauses.begin(1_000, 1_010);
        pauses.begin(2_000, 3_000);
        pauses.end(2_500);
        assertEquals(300 + 10 + 500, pauses.between(0, 5_000, 0));
        assertEquals("the short one is left out", 300 + 500, pauses.between(0, 5_000, 11));
        assertEquals("from the middle of one to the middle of another", 50 + 10 + 200, pauses.between(350, 2_200, 0));
        assertEquals(0, pauses.between(2_500, 5_000, 0));
    }
}
