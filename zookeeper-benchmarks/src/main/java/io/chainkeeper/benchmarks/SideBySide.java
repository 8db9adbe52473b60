package io.chainkeeper.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Measures ensembles of several protocols side by side: the main program behind {@code bin/benchmark.sh}. */
public final class SideBySide {
    private static final int EXIT_MEASURED = 0;
    private static final int EXIT_FAILED = 1;
    private static final int EXIT_USAGE = 2;
    private static final int EXIT_VOID = 3;
    private static final Path PROC = Path.of("/proc");

    private final RunOptions options;
    private final Cleanup cleanup;
    private final PrintStream out;

    private SideBySide(RunOptions options, Cleanup cleanup, PrintStream out) {
        this.options = options;
        this.cleanup = cleanup;
        this.out = out;
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
            return EXIT_MEASURED;
        }
        RunOptions options;
        try {
            options = RunOptionsParser.parse(args);
        } catch (UsageException e) {
            err.println(e.getMessage());
            return EXIT_USAGE;
        }
        Cleanup cleanup = new Cleanup(err);
        Runtime.getRuntime().addShutdownHook(new Thread(cleanup::close, "cleanup"));
        try {
            Report report = new SideBySide(options, cleanup, out).measure();
            out.println();
            out.print(report.table());
            if (options.output() != null) {
                report.writeTo(options.output());
                out.println();
                out.println("all figures: " + options.output());
            }
            return report.isUsable() ? EXIT_MEASURED : EXIT_VOID;
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

    private Report measure() throws Exception {
        WorkDirectory work = cleanup.open(() -> WorkDirectory.create(options.dataParent(), options.keepDirectories()));
        String name = work.path().getFileName().toString();
        CpuControl control = Cgroups.detect(PROC, options.quotaPeriodMicros(), name + "-probe");
        RunOptions effective = options;
        if (options.cpuCores() > 0 && !control.canCap()) {
            out.println("UNCAPPED: servers compete for all cores (" + control.description() + ")");
            effective = options.withoutQuota();
        }
        MachineFacts machine = MachineFacts.read(PROC, work.path(), control);
        if (effective.cpuCores() * effective.replicas() >= machine.cores()) {
            throw new IOException("--cpu " + effective.cpuCores() + " times " + effective.replicas()
                    + " replicas leaves nothing of " + machine.cores() + " cores to the client; lower one of them");
        }
        Round round =
                new Round(effective, command(work.path(), effective), control, work, cleanup, new ProcFiles(PROC), out);
        List<RoundResult> results = new ArrayList<>();
        for (int i = 1; i <= effective.rounds(); i++) {
            for (String protocol : effective.protocols()) {
                out.println("round " + i + " of " + effective.rounds() + ", " + protocol);
                RoundResult result = round.run(protocol, i);
                result.voidReasons().forEach(reason -> out.println("  VOID " + reason));
                results.add(result);
            }
        }
        return new Report(effective, machine, results);
    }

    private static ServerCommand command(Path work, RunOptions options) throws IOException {
        Path logging = Files.createDirectory(work.resolve("conf"));
        try (InputStream text = SideBySide.class.getResourceAsStream("/server-logback.xml")) {
            Files.copy(text, logging.resolve("logback.xml"));
        }
        return new ServerCommand(
                Path.of(System.getProperty("java.home"), "bin", "java"),
                logging,
                options.serverLib().toAbsolutePath(),
                ServerCommand.withProcessorCount(options.cpuCores(), options.jvmOptions()),
                options.serverMain());
    }
}
