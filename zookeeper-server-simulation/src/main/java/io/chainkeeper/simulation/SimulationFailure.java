package io.chainkeeper.simulation;

import java.util.List;

/** A run broke a promise. The message says which, in which run, how to replay it, and what happened last. */
public final class SimulationFailure extends AssertionError {
    private static final long serialVersionUID = 1L;

    private final transient Script script;

    /**
     * @param attempt that failed
     * @param trace the latest lines of its trace
     */
    SimulationFailure(Attempt attempt, List<String> trace) {
        super(describe(attempt, trace), attempt.failure());
        this.script = attempt.script();
    }

    /** @return what was run */
    public Script script() {
        return script;
    }

    /** @return the seed that failed */
    public long seed() {
        return script.seed();
    }

    private static String describe(Attempt attempt, List<String> trace) {
        Script script = attempt.script();
        StringBuilder text = new StringBuilder("simulation of protocol ")
                .append(script.factory().name())
                .append(" under ")
                .append(script.application().optionValue())
                .append(" failed with seed ")
                .append(script.seed())
                .append(" after ")
                .append(attempt.steps())
                .append(" steps\n")
                .append(attempt.options())
                .append("\nlast of the trace:\n");
        trace.forEach(line -> text.append(line).append('\n'));
        return text.append(attempt.failure())
                .append("\nreplay: ")
                .append(script.command())
                .toString();
    }
}
