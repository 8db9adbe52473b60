package io.chainkeeper.simulation;

import io.chainkeeper.simulation.swarm.Selection;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * Finds a smaller run that breaks the same rule as one that fails: with fewer replicas, faults and requests, and a
 * shorter phase with faults. Lists are made smaller by delta debugging (Zeller and Hildebrandt, Simplifying and
 * isolating failure-inducing input, 2002): halves are left out, then quarters, and so on. What is left out moves other
 * things in time, so each candidate gets a second chance with another draw of what is left to chance.
 */
public final class Shrinker {
    private static final int CHANCES = 2;
    private static final int SHARES = 4;

    private final Attempt original;
    private final BrokenRule rule;
    private final int maxRuns;
    private Attempt best;
    private int runs;

    private Shrinker(Script script, int maxRuns) {
        this.maxRuns = maxRuns;
        this.original = Simulation.attempt(script);
        if (!original.hasFailed()) {
            throw new IllegalArgumentException("nothing fails in " + script.command());
        }
        this.rule = BrokenRule.of(original.failure());
        this.best = original;
    }

    /**
     * What came of it.
     *
     * @param original the run that was to be made smaller
     * @param smallest the smallest that was found
     * @param rule that both break
     * @param runs that this took
     */
    public record Shrunk(Attempt original, Attempt smallest, String rule, int runs) {}

    /**
     * Makes a run smaller.
     *
     * @param script of a run that fails
     * @param maxRuns how many runs may be tried
     * @return the smallest found
     * @throws IllegalArgumentException if it does not fail
     */
    public static Shrunk shrink(Script script, int maxRuns) {
        Shrinker shrinker = new Shrinker(script, maxRuns);
        shrinker.shrink();
        return new Shrunk(shrinker.original, shrinker.best, shrinker.rule.words(), shrinker.runs);
    }

    private void shrink() {
        accept(original);
        boolean smaller = true;
        while (smaller && runs < maxRuns) {
            int before = size();
            leaveOutReplicas();
            leaveOut(best.faults(), names -> selection().withFaults(names), Attempt::faults);
            leaveOut(best.requests(), names -> selection().withRequests(names), Attempt::requests);
            shorten();
            smaller = size() < before;
        }
    }

    private int size() {
        int present = best.options().replicas() - selection().absent().size();
        return best.faults().size() + best.requests().size() + present;
    }

    private Selection selection() {
        return best.script().selection();
    }

    /** What is due after the failure is not part of the run. */
    private void accept(Attempt smaller) {
        Selection happened =
                smaller.script().selection().withFaults(smaller.faults()).withRequests(smaller.requests());
        best = new Attempt(
                smaller.script().with(happened),
                smaller.options(),
                smaller.result(),
                smaller.failure(),
                smaller.faults(),
                smaller.requests(),
                smaller.steps(),
                smaller.virtualMicros());
    }

    /** Whether a part of the run breaks the same rule; if so, it is the best from now on. */
    private boolean fails(Selection part) {
        for (int chance = 0; chance < CHANCES && runs < maxRuns; chance++) {
            runs++;
            Selection drawn = chance == 0 ? part : part.withChance(runs);
            Attempt attempt = Simulation.attempt(original.script().with(drawn));
            if (attempt.hasFailed() && BrokenRule.of(attempt.failure()).equals(rule)) {
                accept(attempt);
                return true;
            }
        }
        return false;
    }

    private void leaveOutReplicas() {
        for (int id = best.options().replicas(); id >= 1; id--) {
            Set<Integer> absent = new TreeSet<>(selection().absent());
            if (absent.add(id)) {
                fails(selection().without(absent));
            }
        }
    }

    private void leaveOut(
            List<String> all, Function<List<String>, Selection> only, Function<Attempt, List<String>> happened) {
        List<String> kept = all;
        int shares = 1;
        while (!kept.isEmpty() && shares <= kept.size() && runs < maxRuns) {
            boolean smaller = false;
            for (int share = 0; share < shares && !smaller; share++) {
                List<String> rest = withoutShare(kept, share, shares);
                if (fails(only.apply(rest))) {
                    kept = happened.apply(best);
                    smaller = true;
                }
            }
            if (smaller) {
                shares = Math.max(1, Math.min(shares - 1, kept.size()));
            } else {
                shares = shares < kept.size() ? Math.min(2 * shares, kept.size()) : kept.size() + 1;
            }
        }
    }

    private static List<String> withoutShare(List<String> all, int share, int shares) {
        List<String> rest = new ArrayList<>(all.subList(0, all.size() * share / shares));
        rest.addAll(all.subList(all.size() * (share + 1) / shares, all.size()));
        return rest;
    }

    private void shorten() {
        long micros = selection().safetyMicros() > 0
                ? selection().safetyMicros()
                : best.options().safetyMicros();
        for (int share = 1; share < SHARES && runs < maxRuns; share++) {
            if (fails(selection().lasting(Math.max(1, micros * share / SHARES)))) {
                return;
            }
        }
    }
}
