package io.chainkeeper.simulation;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.simulation.swarm.SimulatedApplication;
import java.util.concurrent.TimeUnit;

/**
 * The command behind {@code bin/simulate.sh}: runs one seed, a range of seeds, or fresh seeds for a time.
 *
 * <pre>
 * --protocol NAME  the protocol, default chain
 * --application A  registers (default), or znodes: the server's own executor with sessions and watches, or reconfig:
 *                  the same, and administrators ask for other ensembles; or behind: registers, and a minority that was
 *                  left behind; or founding: registers, and servers that come one by one, crash and lose their disks
 *                  while they found the cluster
 * --seed N         first seed; default: drawn from the clock and printed
 * --seeds M        how many consecutive seeds, default 1
 * --seconds S      instead of --seeds: go on for so long
 * --trace LINES    how many of the latest lines of a failing run to print, default 400
 * --survey M       instead of --seeds: run M seeds whatever fails, and print one line per failure
 * </pre>
 *
 * Exit code 0: all passed; 1: a seed failed; 2: wrong arguments.
 */
public final class Simulate {
    private static final int DEFAULT_TRACE_LINES = 400;

    private String protocol = "chain";
    private SimulatedApplication application = SimulatedApplication.REGISTERS;
    private long seed = System.nanoTime();
    private long seeds = 1;
    private long seconds;
    private long surveyed;
    private int traceLines = DEFAULT_TRACE_LINES;

    private Simulate() {}

    /** @param arguments see the class comment */
    public static void main(String[] arguments) {
        Simulate command = new Simulate();
        OrderingProtocolFactory factory;
        try {
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
            String value = arguments[i + 1];
            switch (arguments[i]) {
                case "--protocol" -> protocol = value;
                case "--application" -> application = SimulatedApplication.named(value);
                case "--seed" -> seed = number(arguments[i], value);
                case "--seeds" -> seeds = number(arguments[i], value);
                case "--seconds" -> seconds = number(arguments[i], value);
                case "--survey" -> surveyed = number(arguments[i], value);
                case "--trace" -> traceLines = (int) Math.max(1, number(arguments[i], value));
                default ->
                    throw new IllegalArgumentException("unknown option " + arguments[i]
                            + "; known are --protocol, --application, --seed, --seeds, --seconds, --trace, --survey");
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

    private boolean run(OrderingProtocolFactory factory) {
        System.out.println(
                "protocol " + protocol + ", application " + application.optionValue() + ", first seed " + seed);
        if (surveyed > 0) {
            return survey(factory);
        }
        SeedRange range = new SeedRange(factory, application, seed);
        try {
            if (seconds > 0) {
                range.runFor(TimeUnit.SECONDS.toNanos(seconds));
            } else {
                range.runSeeds(seeds);
            }
        } catch (SimulationFailure failure) {
            printFailure(factory, failure);
            return false;
        } finally {
            System.out.println(range.summary());
        }
        return true;
    }

    private boolean survey(OrderingProtocolFactory factory) {
        long failed = 0;
        for (long i = 0; i < surveyed; i++) {
            try {
                Simulation.run(factory, application, seed + i);
            } catch (SimulationFailure failure) {
                failed++;
                System.out.println("seed " + failure.seed() + ": "
                        + failure.getCause().toString().lines().findFirst().orElse(""));
            }
        }
        System.out.println(failed + " of " + surveyed + " seeds failed");
        return failed == 0;
    }

    private void printFailure(OrderingProtocolFactory factory, SimulationFailure failure) {
        try {
            Simulation.runTraced(factory, application, failure.seed(), traceLines);
            System.out.println(
                    "seed " + failure.seed() + " failed, but not when run again: the run is not deterministic");
        } catch (SimulationFailure again) {
            System.out.println(again.getMessage());
        }
    }
}
