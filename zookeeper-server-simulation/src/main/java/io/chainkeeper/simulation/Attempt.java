package io.chainkeeper.simulation;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.simulation.swarm.SwarmOptions;
import java.util.Arrays;
import java.util.List;

/**
 * How a run ended.
 *
 * @param script what was run
 * @param options as the seed draws them
 * @param result what happened; null if it failed
 * @param failure the objection of a checker, or whatever else ended it; null if it passed
 * @param faults names of the faults that happened until then, in their order
 * @param requests names of the requests that clients made until then, in their order
 * @param steps events that happened until then
 * @param virtualMicros virtual time until then
 */
public record Attempt(
        Script script,
        SwarmOptions options,
        Simulation.Result result,
        Throwable failure,
        List<String> faults,
        List<String> requests,
        long steps,
        long virtualMicros) {
    private static final int FRAMES_SHOWN = 8;

    /** Whether something ended the run. */
    public boolean hasFailed() {
        return failure != null;
    }

    /** Why a run has failed: the rule that it broke, or, of a defect that breaks none, what was thrown and where. */
    public String why() {
        if (failure instanceof InvariantViolated) {
            return failure.getMessage();
        }
        StringBuilder text = new StringBuilder(failure.toString());
        Arrays.stream(failure.getStackTrace())
                .limit(FRAMES_SHOWN)
                .forEach(frame -> text.append("\n    at ").append(frame));
        return text.toString();
    }
}
