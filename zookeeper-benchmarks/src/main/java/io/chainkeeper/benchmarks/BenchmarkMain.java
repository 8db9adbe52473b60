package io.chainkeeper.benchmarks;

import io.chainkeeper.benchmarks.figures.FigureRuns;
import io.chainkeeper.benchmarks.host.Cleanup;
import io.chainkeeper.benchmarks.options.FaultOptions;
import io.chainkeeper.benchmarks.options.FaultOptionsParser;
import io.chainkeeper.benchmarks.options.RunOptions;
import io.chainkeeper.benchmarks.options.RunOptionsParser;
import io.chainkeeper.benchmarks.options.UsageException;
import io.chainkeeper.benchmarks.rounds.Outcome;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** The main program behind {@code bin/benchmark.sh}. */
public final class BenchmarkMain {
    private static final int EXIT_MEASURED = 0;
    private static final int EXIT_FAILED = 1;
    private static final int EXIT_USAGE = 2;
    private static final int EXIT_VOID = 3;

    private BenchmarkMain() {}

    /** A run that has been asked for. */
    @FunctionalInterface
    private interface Measurement {
        Outcome measure(Cleanup cleanup, PrintStream out) throws Exception;
    }

    /**
     * Runs a measurement and ends the process: 0 measured, 1 failed, 2 wrong command line, 3 measured but void.
     *
     * @param args mode and options
     */
    public static void main(String[] args) {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        PrintStream err = new PrintStream(System.err, true, StandardCharsets.UTF_8);
        System.exit(run(List.of(args), out, err));
    }

    private static int run(List<String> args, PrintStream out, PrintStream err) {
        if (args.contains("--help")) {
            out.print(RunOptionsParser.USAGE);
            out.println();
            out.print(FaultOptionsParser.USAGE);
            out.println();
            out.print(FigureRuns.USAGE);
            return EXIT_MEASURED;
        }
        try {
            if (!args.isEmpty() && args.get(0).equals(FigureRuns.MODE)) {
                FigureRuns.write(args, out);
                return EXIT_MEASURED;
            }
            if (FaultOptionsParser.isFaultMode(args)) {
                FaultOptions options = FaultOptionsParser.parse(args);
                return measure(
                        (cleanup, progress) -> FaultRuns.measure(options, cleanup, progress),
                        options.run().output(),
                        out,
                        err);
            }
            RunOptions options = RunOptionsParser.parse(args);
            return measure(
                    (cleanup, progress) -> SideBySide.measure(options, cleanup, progress), options.output(), out, err);
        } catch (UsageException e) {
            err.println(e.getMessage());
            return EXIT_USAGE;
        } catch (IOException e) {
            err.println(e.getMessage());
            return EXIT_FAILED;
        }
    }

    private static int measure(Measurement measurement, Path output, PrintStream out, PrintStream err) {
        Cleanup cleanup = new Cleanup(err);
        Runtime.getRuntime().addShutdownHook(new Thread(cleanup::close, "cleanup"));
        try {
            Outcome outcome = measurement.measure(cleanup, out);
            out.println();
            out.print(outcome.table());
            if (output != null) {
                outcome.writeTo(output);
                out.println();
                out.println("all figures: " + output);
            }
            return switch (outcome.verdict()) {
                case MEASURED -> EXIT_MEASURED;
                case VOID -> EXIT_VOID;
                case FAILED -> EXIT_FAILED;
            };
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return EXIT_FAILED;
        } catch (Exception e) {
            if (cleanup.isClosed()) {
                return EXIT_FAILED; // stopped by a signal; what broke in consequence is of no interest
            }
            err.println(e.getMessage() == null ? e.toString() : e.getMessage());
            return EXIT_FAILED;
        } finally {
            cleanup.close();
        }
    }
}
