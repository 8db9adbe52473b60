package io.chainkeeper.benchmarks.load;

import io.chainkeeper.benchmarks.server.UsageSample;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Lets a load run until servers are warm, within a bound.
 *
 * @param maxSeconds the bound
 * @param quotaCores what all servers together may use when they are measured, 0 for no quota. What compilers still do
 *     is judged by it also while there is no quota yet: what is little then is a large share of a small quota.
 * @param progress told how it went
 */
public record Warmup(int maxSeconds, double quotaCores, PrintStream progress) {
    private static final long WINDOW_MILLIS = 2_000;

    /** What the load has used so far. */
    @FunctionalInterface
    public interface Sampling {
        /**
         * @return the counters now
         * @throws IOException if a client or a server has failed
         */
        UsageSample sample() throws IOException;
    }

    /**
     * Waits.
     *
     * @param what is warmed up, for people
     * @param sampling counters of servers and load
     * @return whether the servers came to rest within the bound
     * @throws IOException if a client or a server has failed
     */
    public boolean await(String what, Sampling sampling) throws IOException, InterruptedException {
        WarmupJudge judge = new WarmupJudge();
        long start = System.nanoTime();
        UsageSample before = sampling.sample();
        boolean warm = false;
        while (!warm && System.nanoTime() - start < TimeUnit.SECONDS.toNanos(maxSeconds)) {
            pause(WINDOW_MILLIS);
            UsageSample after = sampling.sample();
            UsageSample.Use use = before.until(after);
            warm = judge.isWarm(
                    use.operationsPerSecond(), quotaCores > 0 ? use.compilerCores() / quotaCores : use.compilerShare());
            before = after;
        }
        progress.printf(
                Locale.ROOT,
                "  %s: %s after %d s%n",
                what,
                warm ? "steady" : "NOT STEADY",
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start));
        return warm;
    }

    /** The length of an interval, not a guess at when something has happened. */
    public static void pause(long millis) throws InterruptedException {
        Thread.sleep(millis);
    }
}
