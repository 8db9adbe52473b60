package io.chainkeeper.simulation;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.simulation.swarm.Selection;
import io.chainkeeper.simulation.swarm.SimulatedApplication;
import io.chainkeeper.simulation.timeline.Timeline;
import io.chainkeeper.simulation.timeline.TimelineFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The command behind {@code bin/simulate.sh}: runs one seed, a range of seeds, or fresh seeds for a time.
 *
 * <pre>
 * --protocol NAME  the protocol, default chain
 * --application A  registers (default), or znodes: the server's own executor with sessions and watches, or reconfig:
 *                  the same, and administrators ask for other ensembles; or behind: registers, and a minority that was
 *                  left behind; or founding: registers, and servers that come one by one, crash and lose their disks
 *                  while they found the cluster; or deposed: registers, leaders that do not notice that they are
 *                  deposed, and replicas that forget it; or minority: registers, and a minority is down for good
 * --seed N         first seed; default: drawn from the clock and printed
 * --without RULE   replicas do without a rule, one of those of {@code --mutants}
 * --seeds M        how many consecutive seeds, default 1
 * --seconds S      instead of --seeds: go on for so long
 * --lines L        how many of the latest lines of a failing run to print, default 400
 * --shrink R       a failing run is made smaller, in at most R runs, and told in words; default 1000, 0 for not
 * --trace FILE     of one seed: a timeline as JSON in FILE, and a page beside it that a browser draws
 * --survey M       instead of --seeds: run M seeds whatever fails, and print one line per failure
 * --digests FILE   instead of all that: write what some seeds of everything amount to, which a test compares
 * --mutants        instead: takes out each safety rule in turn and counts seeds; its options: {@link Mutants}
 * </pre>
 *
 * <p>What a shrunk run prints selects a part of what a seed draws: {@code --faults} and {@code --requests} with names,
 * {@code --absent} with ids of replicas that do not start, {@code --safety-micros}, {@code --chance}.
 *
 * <p>Exit code 0: all passed; 1: a seed failed; 2: wrong arguments.
 */
public final class Simulate {
    private static final int DEFAULT_LINES = 400;
    private static final int DEFAULT_SHRINK_RUNS = 1_000;
    private static final String MUTANTS = "--mutants";

    private String protocol = "chain";
    private SimulatedApplication application = SimulatedApplication.REGISTERS;
    private Selection selection = Selection.ALL;
    private String without = "";
    private Path timeline;
    private Path digests;
    private long seed = System.nanoTime();
    private long seeds = 1;
    private long seconds;
    private long surveyed;
    private int lines = DEFAULT_LINES;
    private int shrinkRuns = DEFAULT_SHRINK_RUNS;

    private Simulate() {}

    /** @param arguments see the class comment */
    public static void main(String[] arguments) throws IOException {
        Simulate command = new Simulate();
        OrderingProtocolFactory factory;
        try {
            if (List.of(arguments).contains(MUTANTS)) {
                System.exit(Mutants.run(Mutants.without(MUTANTS, arguments)) ? 0 : 1);
            }
            command.parse(arguments);
            factory = Protocols.named(command.protocol);
        } catch (IllegalArgumentException e) {
            System.err.println("simulate: " + e.getMessage());
            System.exit(2);
            return;
        }
        System.exit(command.run(factory) ? 0 : 1);
    }

    private void parse(String[] arguments) {
        for (int i = 0; i < arguments.length; i += 2) {
            if (i + 1 == arguments.length) {
                throw new IllegalArgumentException(arguments[i] + " needs a value");
            }
            parse(arguments[i], arguments[i + 1]);
        }
        boolean isRule = Mutants.all().stream()
                .anyMatch(mutant ->
                        mutant.rule().equals(without) && mutant.protocol().equals(protocol));
        if (!without.isEmpty() && !isRule) {
            throw new IllegalArgumentException("no rule of " + protocol + " is named " + without);
        }
        if (!application.concerns(Protocols.named(protocol))) {
            throw new IllegalArgumentException("--application " + application.optionValue()
                    + " is about majorities of servers, or what their own disks remember; with " + protocol
                    + " shared disks decide: take registers, znodes, reconfig, upgrade, minority or outdated");
        }
        boolean isOneSeed = seeds == 1 && seconds == 0 && surveyed == 0;
        if (!isOneSeed && (timeline != null || !selection.equals(Selection.ALL))) {
            throw new IllegalArgumentException("a timeline, or a part of a run, is of one seed");
        }
    }

    private void parse(String option, String value) {
        switch (option) {
            case "--protocol" -> protocol = value;
            case "--application" -> application = SimulatedApplication.named(value);
            case "--seed" -> seed = number(option, value);
            case "--without" -> without = value;
            case "--seeds" -> seeds = number(option, value);
            case "--seconds" -> seconds = number(option, value);
            case "--survey" -> surveyed = number(option, value);
            case "--lines" -> lines = (int) Math.max(1, number(option, value));
            case "--shrink" -> shrinkRuns = (int) number(option, value);
            case "--trace" -> timeline = Path.of(value);
            case "--digests" -> digests = Path.of(value);
            default -> {
                if (!Selection.OPTIONS.contains(option)) {
                    throw new IllegalArgumentException("unknown option " + option
                            + "; known are --protocol, --application, --seed, --seeds, --seconds, --lines, --shrink,"
                            + " --trace, --survey, --without, --digests, --soak, and " + Selection.OPTIONS);
                }
                selection = selection.with(option, value);
            }
        }
    }

    private static long number(String option, String value) {
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(option + " needs a number, not " + value);
        }
    }

    private boolean run(OrderingProtocolFactory factory) throws IOException {
        if (digests != null) {
            RunDigests.write(digests);
            return true;
        }
        System.out.println(
                "protocol " + protocol + ", application " + application.optionValue() + ", first seed " + seed);
        Script script = script(factory).with(selection);
        if (timeline != null) {
            return drawTimeline(script);
        }
        if (surveyed > 0) {
            return survey(script);
        }
        return selection.equals(Selection.ALL) ? runRange(script) : runPart(script);
    }

    private Script script(OrderingProtocolFactory factory) {
        return Mutants.all().stream()
                .filter(mutant ->
                        mutant.rule().equals(without) && mutant.protocol().equals(protocol))
                .map(mutant -> Script.of(mutant.under(application), seed))
                .findFirst()
                .orElse(Script.of(factory, application, seed));
    }

    private boolean runRange(Script script) {
        SeedRange range = new SeedRange(script);
        try {
            if (seconds > 0) {
                range.runFor(TimeUnit.SECONDS.toNanos(seconds));
            } else {
                range.runSeeds(seeds);
            }
        } catch (SimulationFailure failure) {
            printFailure(failure.script());
            return false;
        } finally {
            System.out.println(range.summary());
            System.out.println(range.peaks());
        }
        return true;
    }

    private boolean runPart(Script script) {
        Attempt attempt = Simulation.attempt(script);
        if (attempt.hasFailed()) {
            Story.linesOf(attempt).forEach(System.out::println);
            System.out.println("the rule that it breaks: " + attempt.why());
        } else {
            System.out.println("passed: " + attempt.result());
        }
        return !attempt.hasFailed();
    }

    private boolean drawTimeline(Script script) throws IOException {
        Timeline[] drawn = new Timeline[1];
        Attempt attempt = Simulation.attempt(script, clock -> drawn[0] = new Timeline(clock));
        drawn[0].finish();
        String title = protocol + " under " + application.optionValue() + ", seed " + seed;
        String failure = attempt.hasFailed() ? attempt.failure().toString() : "";
        Path page = TimelineFiles.write(
                drawn[0], new TimelineFiles.Heading(title, script.command(), failure), timeline.toAbsolutePath());
        System.out.println(attempt.hasFailed() ? "failed: " + failure : "passed: " + attempt.result());
        System.out.println("timeline: " + page);
        return !attempt.hasFailed();
    }

    private boolean survey(Script script) {
        long failed = 0;
        for (long i = 0; i < surveyed; i++) {
            Attempt attempt = Simulation.attempt(script.at(seed + i));
            if (attempt.hasFailed()) {
                failed++;
                System.out.println("seed " + (seed + i) + ": "
                        + attempt.failure().toString().lines().findFirst().orElse(""));
            }
        }
        System.out.println(failed + " of " + surveyed + " seeds failed");
        return failed == 0;
    }

    private void printFailure(Script script) {
        try {
            Simulation.runTraced(script, lines);
            System.out.println(
                    "seed " + script.seed() + " failed, but not when run again: the run is not deterministic");
        } catch (SimulationFailure again) {
            System.out.println(again.getMessage());
            if (shrinkRuns > 0) {
                System.out.println(Story.tell(Shrinker.shrink(script, shrinkRuns)));
            }
        }
    }
}
