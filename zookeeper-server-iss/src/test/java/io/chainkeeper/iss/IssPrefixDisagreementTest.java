package io.chainkeeper.iss;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.iss.IssEnsemble.Envelope;
import io.chainkeeper.iss.IssMessage.Accept;
import io.chainkeeper.iss.IssMessage.Decided;
import io.chainkeeper.iss.IssMessage.Learn;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.ProposedCommand;
import java.util.List;
import org.junit.Test;

/** A replica that has executed another value at one position is found out by what is handed on next, and stops. */
public final class IssPrefixDisagreementTest {
    private static final int WRONG = 3;
    private final IssEnsemble ensemble = IssEnsemble.of(3);

    /** Replica 3 accepts something else than 1 has proposed, in the same ballot, and it counts as decided there. */
    private void diverge() {
        ensemble.propose(1, "a");
        ensemble.settle();
        ensemble.makeWrong(WRONG);
        ensemble.forgetSent();
        ensemble.lose(e -> e.to() == WRONG && (e.is(Accept.class) || e.is(Decided.class) || e.is(Learn.class)));
        ensemble.propose(1, "right");
        ensemble.settle();
        Accept lost = ensemble.sent().stream()
                .filter(e -> e.to() == WRONG && e.from() == 1 && e.is(Accept.class))
                .map(Envelope::message)
                .map(Accept.class::cast)
                .findFirst()
                .orElseThrow();
        ProposedCommand command = new ProposedCommand(1, 99, 0, 1, ByteSlice.of(new byte[] {'x'}));
        ensemble.lose(e -> false);
        ensemble.node(WRONG)
                .receive(
                        1,
                        new Accept(
                                lost.epoch(),
                                lost.segment(),
                                lost.ballot(),
                                lost.position(),
                                lost.decidedTo(),
                                BatchCodec.encode(List.of(command))));
        ensemble.node(WRONG).receive(1, new Decided(lost.epoch(), lost.segment(), lost.ballot(), lost.position()));
    }

    private void assertStops() {
        InvariantViolated stop = assertThrows(InvariantViolated.class, () -> ensemble.ticks(20));
        String words = stop.getMessage();
        assertTrue(words, words.startsWith("server 3 holds another order than servers ["));
        assertTrue(words, words.contains("the hash of all values up to position "));
    }

    @Test
    public void oneOfThreeExecutesAnotherValue_stopsAtTheNextHandOver_othersGoOn() {
        diverge();
        assertStops();
        assertEquals(List.of("a", "x"), ensemble.commandsAt(WRONG));
        ensemble.crash(WRONG);
        ensemble.ticks(200);
        ensemble.propose(2, "later");
        ensemble.ticks(200);
        ensemble.assertDelivered("a", "right", "later");
    }

    @Test
    public void stoppedReplicaStartsAgain_stopsAgainWithTheSameLine() {
        diverge();
        ensemble.propose(1, "b"); // its record says that everything before is decided
        ensemble.settle();
        assertStops();
        ensemble.crash(WRONG);
        ensemble.ticks(5);
        ensemble.start(WRONG);
        assertStops();
    }
}
