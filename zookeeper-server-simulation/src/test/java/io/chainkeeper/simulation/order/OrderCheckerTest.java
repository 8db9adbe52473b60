package io.chainkeeper.simulation.order;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.simulation.checker.VersionedRegister.Write;
import io.chainkeeper.simulation.register.RegisterCommand;
import java.util.List;
import org.junit.Test;

public class OrderCheckerTest {
    private final OrderChecker checker = new OrderChecker(
            (id, incarnation) -> true,
            Membership.initial(1, List.of(1, 2, 3)),
            command -> {},
            RegisterCommand::describe);

    private static ProposedCommand command(long sequence, String value) {
        ByteSlice bytes = new RegisterCommand("r", new Write(value, -1)).encode();
        return new ProposedCommand(1, 1, 0, sequence, bytes);
    }

    private ByteSlice proposed(long sequence) {
        ProposedCommand command = command(sequence, "v" + sequence);
        checker.proposed(command);
        return BatchCodec.encode(List.of(command));
    }

    private void assertObjects(String words, Runnable step) {
        String message = assertThrows(InvariantViolated.class, step::run).getMessage();
        assertTrue(message, message.contains(words));
    }

    @Test
    public void sameValuesEverywhere_passes() {
        ByteSlice first = proposed(1);
        checker.delivered(1, 1, first);
        checker.delivered(2, 1, first);
        checker.delivered(1, 2, BatchCodec.NO_OP);
        assertEquals(2, checker.lastPosition());
        assertEquals(1, checker.applied());
    }

    @Test
    public void otherValueAtSamePosition_breaksAgreement() {
        checker.delivered(1, 1, proposed(1));
        assertObjects("agreement", () -> checker.delivered(2, 1, BatchCodec.NO_OP));
    }

    @Test
    public void positionSkipped_isRefused() {
        assertObjects("nobody has delivered position 1", () -> checker.delivered(1, 2, BatchCodec.NO_OP));
    }

    @Test
    public void commandNobodyProposed_isInvalid() {
        ByteSlice value = BatchCodec.encode(List.of(command(1, "forged")));
        assertObjects("validity", () -> checker.delivered(1, 1, value));
    }

    @Test
    public void laterCommandFirst_isSkippedUntilTheEarlierOneIsThere() {
        ByteSlice first = proposed(1);
        ByteSlice second = proposed(2);
        checker.delivered(1, 1, second);
        assertEquals(0, checker.applied());
        checker.delivered(1, 2, first);
        checker.delivered(1, 3, second);
        assertEquals(2, checker.applied());
    }

    @Test
    public void commandTwice_isAppliedOnce() {
        ByteSlice first = proposed(1);
        checker.delivered(1, 1, first);
        checker.delivered(1, 2, first);
        assertEquals(1, checker.applied());
    }

    @Test
    public void oneReplicaOrDiskMore_isAChange_twoAreNot() {
        Membership withDisk = checker.membership().with(new Member(3, 7));
        checker.delivered(1, 1, BatchCodec.encode(withDisk));
        checker.delivered(1, 2, BatchCodec.encode(withDisk.with(new Member(4, 8))));
        Membership replaced = checker.membership().without(1).with(new Member(5, 9));
        assertObjects("more than one change", () -> checker.delivered(1, 3, BatchCodec.encode(replaced)));
    }

    @Test
    public void membershipsAbove_areThoseThatSomebodyMayStillKnow() {
        Membership initial = checker.membership();
        Membership next = initial.without(1);
        checker.delivered(1, 1, BatchCodec.NO_OP);
        checker.delivered(1, 2, BatchCodec.encode(next));
        checker.delivered(1, 3, BatchCodec.NO_OP);
        assertEquals(List.of(initial, next), checker.membershipsAbove(1));
        assertEquals(List.of(next), checker.membershipsAbove(2));
        assertEquals(List.of(next), checker.membershipsAbove(3));
    }

    /** Also of another register, and also if the answer before was to a read. */
    @Test
    public void readThatMissesWhatAnAnswerRestedOn_isStale() {
        checker.delivered(1, 1, proposed(1));
        checker.delivered(1, 2, proposed(2));
        checker.delivered(1, 3, BatchCodec.NO_OP);
        long early = checker.readAsked();
        checker.acknowledged(1);
        long between = checker.readAsked();
        checker.acknowledged(3);
        long late = checker.readAsked();
        checker.readAnswered(2, 0, early);
        checker.readAnswered(2, 1, between);
        checker.readAnswered(2, 2, late);
        assertObjects("linearizability: replica 2", () -> checker.readAnswered(2, 0, between));
        assertObjects("linearizability: replica 2", () -> checker.readAnswered(2, 1, late));
    }

    @Test
    public void otherDigest_isFound() {
        checker.delivered(1, 1, proposed(1));
        checker.executed(1, 1, 67890);
        assertObjects("digest", () -> checker.executed(2, 1, 12345));
    }
}
