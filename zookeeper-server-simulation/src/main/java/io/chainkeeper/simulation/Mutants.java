package io.chainkeeper.simulation;

import io.chainkeeper.simulation.mutant.Mutant;
import io.chainkeeper.simulation.mutant.MutantRegistry;
import io.chainkeeper.simulation.swarm.SimulatedApplication;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/**
 * The command behind {@code bin/simulate.sh --mutants}: takes out each rule in turn, and counts the seeds until a
 * checker objects. Prints the table that stands in docs/safety-rules.md.
 *
 * <pre>
 * --rule NAMES     these rules only, separated by commas
 * --protocol NAME  of this protocol only
 * --application A  under this application, and not the one that is registered for the rule
 * --limit N        so many seeds are tried in a run, default 20000
 * --runs N         how many runs from different first seeds, default 10; the table has their median
 * --first N        the number of the first run, default 0; run n begins with seed n million and one
 * --words yes      what is found, line by line, before the row
 * </pre>
 */
public final class Mutants {
    private static final long SEEDS_BETWEEN_RUNS = 1_000_000;

    private List<String> rules = List.of();
    private String protocol;
    private SimulatedApplication application;
    private long limit = 20_000;
    private int runs = 10;
    private long first;
    private boolean words;

    private Mutants() {}

    /** What is registered, of all protocols on the class path. */
    static List<Mutant> all() {
        return MutantRegistry.of(Protocols.all().values());
    }

    /**
     * How soon a loss is found.
     *
     * @param seeds how many until the first that fails, that included; above the limit if none does
     * @param cause what was found; null if nothing was
     */
    record Found(long seeds, Throwable cause) {}

    /** Runs seeds until one fails, at most so many. */
    static Found find(Mutant mutant, long firstSeed, long limit) {
        for (long i = 0; i < limit; i++) {
            Attempt attempt = Simulation.attempt(Script.of(mutant, firstSeed + i));
            if (attempt.hasFailed()) {
                return new Found(i + 1, attempt.failure());
            }
        }
        return new Found(limit + 1, null);
    }

    /**
     * Runs the command.
     *
     * @param arguments see the class comment
     * @return whether every rule was found by the median run
     * @throws IllegalArgumentException if an argument is wrong, with what is wrong
     */
    static boolean run(List<String> arguments) {
        Mutants command = new Mutants();
        command.parse(arguments);
        return command.run();
    }

    private void parse(List<String> arguments) {
        for (int i = 0; i < arguments.size(); i += 2) {
            if (i + 1 == arguments.size()) {
                throw new IllegalArgumentException(arguments.get(i) + " needs a value");
            }
            String value = arguments.get(i + 1);
            switch (arguments.get(i)) {
                case "--rule" -> rules = List.of(value.split(","));
                case "--protocol" -> protocol = Protocols.named(value).name();
                case "--application" -> application = SimulatedApplication.named(value);
                case "--limit" -> limit = Long.parseLong(value);
                case "--runs" -> runs = Integer.parseInt(value);
                case "--first" -> first = Long.parseLong(value);
                case "--words" -> words = value.equals("yes");
                default ->
                    throw new IllegalArgumentException("unknown option " + arguments.get(i)
                            + " of --mutants; known are --rule, --protocol, --application, --limit, --runs, --first,"
                            + " --words");
            }
        }
    }

    private boolean run() {
        List<Mutant> chosen = all().stream()
                .filter(mutant -> rules.isEmpty() || rules.contains(mutant.rule()))
                .filter(mutant -> protocol == null || mutant.protocol().equals(protocol))
                .toList();
        if (chosen.isEmpty()) {
            throw new IllegalArgumentException("no rule of " + rules + "; there are "
                    + all().stream().map(Mutant::rule).distinct().toList());
        }
        boolean allFound = true;
        System.out.println("| rule | protocol | `--application` | seeds, median | of runs | least | most |");
        System.out.println("|---|---|---|---:|---:|---:|---:|");
        for (Mutant mutant : chosen) {
            allFound &= measure(application == null ? mutant : mutant.under(application));
        }
        return allFound;
    }

    private boolean measure(Mutant mutant) {
        List<Found> found = new ArrayList<>();
        for (long run = first; run < first + runs; run++) {
            Found next = find(mutant, 1 + run * SEEDS_BETWEEN_RUNS, limit);
            found.add(next);
            if (words) {
                System.out.println(mutant + ", run " + run + ": " + next.seeds() + " seeds, " + next.cause());
            }
        }
        long[] sorted = found.stream().mapToLong(Found::seeds).sorted().toArray();
        long median = median(sorted);
        System.out.println("| " + mutant.statement() + " | " + mutant.protocol() + " | "
                + mutant.application().optionValue() + " | " + words(median) + " | " + runs + " | "
                + words(sorted[0]) + " | " + words(sorted[runs - 1]) + " |");
        return median <= limit;
    }

    /** The greater one of the two in the middle, if there are two. */
    static long median(long... seeds) {
        long[] sorted = LongStream.of(seeds).sorted().toArray();
        return sorted[sorted.length / 2];
    }

    private String words(long seeds) {
        return seeds > limit ? "> " + limit : Long.toString(seeds);
    }

    /** Takes the option {@code --mutants} out of a command line. */
    static List<String> without(String option, String[] arguments) {
        return Arrays.stream(arguments).filter(word -> !word.equals(option)).toList();
    }
}
