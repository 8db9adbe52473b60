package io.chainkeeper.benchmarks.faults;

import io.chainkeeper.benchmarks.options.Scenario;
import io.chainkeeper.benchmarks.rounds.Outcome;
import java.util.List;
import java.util.Map;

/**
 * One fault of one scenario.
 *
 * @param scenario what was measured
 * @param round 1, 2, 3, ...; counts the faults if a round has several
 * @param victimId id of the server that was stopped; 0 if it did not come to that
 * @param figures name to value; empty or incomplete if the round failed
 * @param throughput over time
 * @param voidReasons why it must not be used
 * @param notes what a reader should know
 * @param failure what the ensemble did not do; null if nothing
 */
public record FaultResult(
        Scenario scenario,
        int round,
        int victimId,
        Map<String, Double> figures,
        List<FaultFigures.Piece> throughput,
        List<String> voidReasons,
        List<String> notes,
        String failure) {
    /** @return how far its figures can be used */
    public Outcome.Verdict verdict() {
        if (failure != null) {
            return Outcome.Verdict.FAILED;
        }
        return voidReasons.isEmpty() ? Outcome.Verdict.MEASURED : Outcome.Verdict.VOID;
    }
}
