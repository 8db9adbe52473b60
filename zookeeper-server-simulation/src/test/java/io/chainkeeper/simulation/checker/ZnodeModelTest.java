package io.chainkeeper.simulation.checker;

import static org.junit.Assert.assertThrows;

import io.chainkeeper.simulation.checker.Operation.Kind;
import io.chainkeeper.simulation.checker.ZnodeModel.Action;
import io.chainkeeper.simulation.checker.ZnodeModel.Code;
import io.chainkeeper.simulation.checker.ZnodeModel.Outcome;
import io.chainkeeper.simulation.checker.ZnodeModel.Request;
import java.util.List;
import org.junit.Test;

public class ZnodeModelTest {
    private static final long SESSION = 7;

    private static Operation operation(
            long from, long until, Action action, String value, long owner, Outcome outcome) {
        Kind kind = action == Action.READ ? Kind.READ : Kind.WRITE;
        return new Operation(1, from, until, kind, "/k", new Request(action, value, -1, owner), outcome);
    }

    private static Operation create(long at, String value, long owner) {
        return operation(at, at + 1, Action.CREATE, value, owner, Outcome.of(Code.OK));
    }

    private static Operation read(long at, String value, int version, long owner) {
        return operation(at, at + 1, Action.READ, null, 0, new Outcome(Code.OK, value, version, owner));
    }

    private static Operation readNothing(long at) {
        return operation(at, at + 1, Action.READ, null, 0, Outcome.of(Code.NO_NODE));
    }

    private static Operation end(long at) {
        return operation(at, at + 1, Action.END_SESSION, null, SESSION, Outcome.of(Code.OK));
    }

    private static void check(Operation... operations) {
        new LinearizabilityChecker<>(new ZnodeModel()).check(List.of(operations));
    }

    @Test
    public void ephemeralEndsWithItsSession_passes() {
        check(create(1, "a", SESSION), read(3, "a", 0, SESSION), end(5), readNothing(7));
    }

    @Test
    public void ephemeralAfterTheEndOfItsSession_isFound() {
        assertThrows(HistoryViolation.class, () -> check(create(1, "a", SESSION), end(3), read(5, "a", 0, SESSION)));
    }

    @Test
    public void ephemeralGoneBeforeTheEndOfItsSession_isFound() {
        assertThrows(HistoryViolation.class, () -> check(create(1, "a", SESSION), readNothing(3), end(5)));
    }

    @Test
    public void nodeThatStaysWhenASessionEnds_passes() {
        check(create(1, "a", ZnodeModel.NO_OWNER), end(3), read(5, "a", 0, ZnodeModel.NO_OWNER));
    }

    @Test
    public void createdTwiceWithoutADelete_isFound() {
        assertThrows(HistoryViolation.class, () -> check(create(1, "a", 0), create(3, "b", 0)));
    }

    @Test
    public void endWhileTheCreationIsUnderWay_comesAfterIt() {
        check(
                operation(1, 10, Action.CREATE, "a", SESSION, Outcome.of(Code.OK)),
                operation(2, 11, Action.END_SESSION, null, SESSION, Outcome.of(Code.OK)),
                readNothing(13));
    }

    private static Operation createAt(long from, long until, String value, long place) {
        Outcome outcome = until == Operation.UNKNOWN ? null : Outcome.of(Code.OK);
        Request request = new Request(Action.CREATE, value, -1, ZnodeModel.NO_OWNER);
        return new Operation(1, from, until, Kind.WRITE, "/k", request, outcome, place);
    }

    @Test
    public void lostCreationsBeforeOneThatSucceeded_hadNoEffect() {
        check(createAt(1, Operation.UNKNOWN, "a", 1), createAt(2, Operation.UNKNOWN, "b", 2), createAt(3, 4, "c", 3));
    }
}
