package io.chainkeeper.simulation.soak;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * A thread that feeds a worker process, and starts another one when it ends: a seed that ends the process, or takes
 * much longer than any seed should, has failed like one that a checker objects to.
 */
final class SoakProcess extends Thread {
    private static final long MAX_SEED_SECONDS = 900;

    private final Path directory;
    private final String heap;
    private final Supplier<SoakState.Seed> next;
    private final BiConsumer<SoakState.Seed, Report> finished;
    private volatile long heapBytes;

    /**
     * @param number of the process
     * @param directory of the soak
     * @param heap of the process, as {@code -Xmx} takes it
     * @param next what to run next, null if that was all
     * @param finished told of every seed that was run
     */
    SoakProcess(
            int number,
            Path directory,
            String heap,
            Supplier<SoakState.Seed> next,
            BiConsumer<SoakState.Seed, Report> finished) {
        super("soak-" + number);
        this.directory = directory;
        this.heap = heap;
        this.next = next;
        this.finished = finished;
    }

    /** In use when the worker reported last. */
    long heapBytes() {
        return heapBytes;
    }

    @Override
    public void run() {
        try {
            SoakState.Seed seed = next.get();
            while (seed != null) {
                seed = feed(seed);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("a worker cannot be started: " + e.getMessage(), e);
        }
    }

    /** Runs seeds in one process; returns one to run in another, null if that was all. */
    private SoakState.Seed feed(SoakState.Seed first) throws IOException {
        Process process = new ProcessBuilder(command())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        SoakState.Seed seed = first;
        try (PrintStream orders = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
                BufferedReader answers =
                        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            while (seed != null) {
                orders.println(seed.line());
                String answer = answerTo(process, answers);
                if (answer == null) {
                    finished.accept(seed, lost("its process has exited with code " + exitCode(process)));
                    return next.get();
                }
                Report report = Report.of(answer);
                heapBytes = report.heapBytes();
                finished.accept(seed, report);
                seed = next.get();
            }
        } finally {
            process.destroy();
        }
        return null;
    }

    private static String answerTo(Process process, BufferedReader answers) throws IOException {
        Thread watchdog = new Thread(
                () -> {
                    try {
                        TimeUnit.SECONDS.sleep(MAX_SEED_SECONDS);
                        process.destroyForcibly();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt(); // the answer has come
                    }
                },
                "soak-watchdog");
        watchdog.setDaemon(true);
        watchdog.start();
        try {
            String line = answers.readLine();
            while (line != null && !line.startsWith(Report.BEGINNING)) {
                line = answers.readLine();
            }
            return line;
        } finally {
            watchdog.interrupt();
        }
    }

    /** 1 if the worker had too little memory, for example; 137 if it was killed, as for taking too long. */
    private static int exitCode(Process process) {
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return -1;
        }
    }

    private static Report lost(String why) {
        return new Report(0, 0, 0, 0, 0, 0, 0, Map.of(), new int[0], why);
    }

    private List<String> command() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx" + heap);
        command.add(
                "-XX:+UseSerialGC"); // a collector that works beside the one simulating thread would take another core
        String logging = System.getProperty("logback.configurationFile");
        if (logging != null) {
            command.add("-Dlogback.configurationFile=" + logging);
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), SoakWorker.class.getName()));
        command.add(directory.toString());
        return command;
    }
}
