package io.chainkeeper.benchmarks.rounds;

import io.chainkeeper.benchmarks.options.RunOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Decides whether a measurement was disturbed.
 *
 * @param maxStealShare share of CPU that the hypervisor may take
 * @param maxOtherCores CPU that other processes may use
 */
public record VoidCheck(double maxStealShare, double maxOtherCores) {
    /** @return a line for the head of a report; empty if the bounds are the usual ones */
    public String text() {
        if (maxStealShare == RunOptions.DEFAULT_MAX_STEAL_SHARE
                && maxOtherCores == RunOptions.DEFAULT_MAX_OTHER_CORES) {
            return "";
        }
        return String.format(
                Locale.ROOT,
                "BOUNDS CHANGED: rounds count although the hypervisor took up to %.1f %% of the CPU (default %.1f %%)"
                        + " and other processes up to %.2f cores (default %.2f)%n",
                100 * maxStealShare,
                100 * RunOptions.DEFAULT_MAX_STEAL_SHARE,
                maxOtherCores,
                RunOptions.DEFAULT_MAX_OTHER_CORES);
    }

    /**
     * @param phases of one round
     * @return what disturbed it, in words; empty if nothing did
     */
    public List<String> reasons(List<Phase> phases) {
        List<String> reasons = new ArrayList<>();
        for (Phase phase : phases) {
            if (phase.use().stealShare() > maxStealShare) {
                reasons.add(String.format(
                        Locale.ROOT,
                        "%s: the hypervisor took %.1f %% of the CPU (allowed: %.1f %%)",
                        phase.name(),
                        100 * phase.use().stealShare(),
                        100 * maxStealShare));
            }
            if (phase.use().otherCores() > maxOtherCores) {
                reasons.add(String.format(
                        Locale.ROOT,
                        "%s: other processes used %.2f cores (allowed: %.2f)",
                        phase.name(),
                        phase.use().otherCores(),
                        maxOtherCores));
            }
        }
        return reasons;
    }
}
