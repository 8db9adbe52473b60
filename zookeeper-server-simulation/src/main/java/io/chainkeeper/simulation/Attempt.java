package io.chainkeeper.simulation;

import io.chainkeeper.simulation.swarm.SwarmOptions;
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
    /** Whether something ended the run. */
    public boolean hasFailed() {
        return failure != null;
    }
}
