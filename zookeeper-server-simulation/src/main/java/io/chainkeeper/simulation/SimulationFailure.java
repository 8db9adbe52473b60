package io.chainkeeper.simulation;

import io.chainkeeper.simulation.swarm.SimulatedApplication;
import io.chainkeeper.simulation.swarm.SwarmOptions;
import java.util.List;

/** A run broke a promise. The message says which, in which run, how to replay it, and what happened last. */
public final class SimulationFailure extends AssertionError {
    private static final long serialVersionUID = 1L;

    private final long seed;

    SimulationFailure(
            String protocol,
            SimulatedApplication application,
            long seed,
            SwarmOptions options,
            Throwable cause,
            List<String> trace,
            long steps) {
        super(describe(protocol, application, seed, options, cause, trace, steps), cause);
        this.seed = seed;
    }

    /** @return the seed that failed */
    public long seed() {
        return seed;
    }

    private static String describe(
            String protocol,
            SimulatedApplication application,
            long seed,
            SwarmOptions options,
            Throwable cause,
            List<String> trace,
            long steps) {
        StringBuilder text = new StringBuilder("simulation of protocol ")
                .append(protocol)
                .append(" under ")
                .append(application.optionValue())
                .append(" failed with seed ")
                .append(seed)
                .append(" after ")
                .append(steps)
                .append(" steps\n")
                .append(options)
                .append("\nlast of the trace:\n");
        trace.forEach(line -> text.append(line).append('\n'));
        return text.append(cause)
                .append("\nreplay: bin/simulate.sh --protocol ")
                .append(protocol)
                .append(application.option())
                .append(" --seed ")
                .append(seed)
                .toString();
    }
}
