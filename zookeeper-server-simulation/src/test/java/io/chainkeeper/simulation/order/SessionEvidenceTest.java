package io.chainkeeper.simulation.order;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import io.chainkeeper.command.Command;
import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.server.state.EnsembleConfig;
import io.chainkeeper.simulation.cluster.Pauses;
import io.chainkeeper.simulation.time.EventQueue;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.junit.Before;
import org.junit.Test;

/** Who proposes the end of a session too early is found out. */
public class SessionEvidenceTest {
    private static final long SESSION = 77;
    private static final int TIMEOUT_MILLIS = 1_000;
    private static final int OWNER = 1;
    private static final int OTHER = 2;

    private final EventQueue events = new EventQueue();
    private final List<Long> proposed = new ArrayList<>();
    private final Pauses ownersPauses = new Pauses();
    private final SessionEvidence evidence = new SessionEvidence(
            events::nowMicros,
            0,
            (replica, sinceMicros) -> replica == OWNER ? ownersPauses.between(sinceMicros, events.nowMicros(), 1) : 0,
            () -> Membership.initial(1, List.of(OWNER, OTHER)),
            new Listener());

    private final class Listener implements SessionEvidence.Listener {
        @Override
        public void expiryProposed(long sessionId) {
            proposed.add(sessionId);
        }

        @Override
        public void ended(long sessionId) {
            throw new AssertionError("nothing ends a session here");
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
        evidence.expiryProposed(replica, new Command.Expire(0, SESSION, OWNER, 0));
    }

    @Before
    public void sessionBegins() {
        ByteSlice timeout = ByteSlice.of(
                ByteBuffer.allocate(Integer.BYTES).putInt(TIMEOUT_MILLIS).array());
        Command create = new Command.ClientRequest(
                0, SESSION, 1, OpCode.createSession, null, timeout, Command.ClientRequest.QUOTA_KEPT);
        evidence.ordered(new ProposedCommand(OWNER, 1, 0, 1, CommandCodec.encode(create)));
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
        evidence.heard(OWNER, SESSION);
        pass(TIMEOUT_MILLIS - 100);
        assertThrows(InvariantViolated.class, () -> proposeEnd(OWNER));
    }

    private void execute(int xid) {
        Command write = new Command.ClientRequest(
                0, SESSION, xid, OpCode.delete, null, ByteSlice.EMPTY, Command.ClientRequest.QUOTA_KEPT);
        evidence.ordered(new ProposedCommand(OWNER, 1, 0, 1 + xid, CommandCodec.encode(write)));
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
