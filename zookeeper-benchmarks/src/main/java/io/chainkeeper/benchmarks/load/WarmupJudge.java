package io.chainkeeper.benchmarks.load;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Decides when a JVM is warm: throughput of the last windows differs little, and the compilers hardly run any more. A
 * capped server that is still compiling gives its quota to the compiler.
 */
public final class WarmupJudge {
    /** Windows that must agree. */
    public static final int WINDOWS = 4;

    /** Windows in which compilers must have rested: what is left to be compiled comes in bursts. */
    public static final int COMPILER_WINDOWS = 16;

    /** Largest difference between them, relative to the largest. */
    static final double MAX_SPREAD = 0.15;

    /** Largest share of the servers' CPU that their JIT compilers may use, on average over these. */
    public static final double MAX_COMPILER_SHARE = 0.05;

    private final Deque<Double> throughputs = new ArrayDeque<>();
    private final Deque<Double> compilerShares = new ArrayDeque<>();

    /**
     * Adds a window.
     *
     * @param operationsPerSecond throughput in it
     * @param compilerShare share of the servers' CPU time that went to compiler threads, 0 to 1
     * @return whether the servers are warm
     */
    public boolean isWarm(double operationsPerSecond, double compilerShare) {
        throughputs.addLast(operationsPerSecond);
        compilerShares.addLast(compilerShare);
        if (throughputs.size() > WINDOWS) {
            throughputs.removeFirst();
        }
        if (compilerShares.size() > COMPILER_WINDOWS) {
            compilerShares.removeFirst();
        }
        double compiling = compilerShares.stream().mapToDouble(d -> d).average().orElseThrow();
        if (compilerShares.size() < COMPILER_WINDOWS || compiling > MAX_COMPILER_SHARE) {
            return false;
        }
        double most = throughputs.stream().mapToDouble(d -> d).max().orElseThrow();
        double least = throughputs.stream().mapToDouble(d -> d).min().orElseThrow();
        return most > 0 && most - least <= MAX_SPREAD * most;
    }
}
