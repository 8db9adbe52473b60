package io.chainkeeper.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Decides whether a measurement was disturbed.
 *
 * @param maxStealShare share of CPU that the hypervisor may take
 * @param maxOtherCores CPU that other processes may use
 */
record VoidCheck(double maxStealShare, double maxOtherCores) {
    /**
     * @param phases of one round
     * @return what disturbed it, in words; empty if nothing did
     */
    List<String> reasons(List<Phase> phases) {
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
