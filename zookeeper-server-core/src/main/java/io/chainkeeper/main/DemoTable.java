package io.chainkeeper.main;

import java.io.IOException;
import java.io.PrintStream;
import java.util.concurrent.TimeUnit;

/** Runs the demo's steps and prints one row for each as soon as it is done. */
final class DemoTable {
    private static final String ROW = "%-4s  %-62s  %-47s  %6s%n";

    /** One step. */
    @FunctionalInterface
    interface Step {
        /** @return what was seen, for the table */
        String run() throws Exception;
    }

    private final PrintStream out;
    private int number;

    DemoTable(PrintStream out) {
        this.out = out;
    }

    void printHead() {
        out.printf(ROW, "step", "what was done", "result", "ms");
        out.printf(ROW, "-".repeat(4), "-".repeat(62), "-".repeat(47), "-".repeat(6));
    }

    /**
     * Runs a step and prints its row.
     *
     * @param what what it does
     * @param step does it
     * @throws Exception that of the step, after a row that says FAILED
     */
    void run(String what, Step step) throws Exception {
        number++;
        long startNanos = System.nanoTime();
        try {
            print(what, step.run(), startNanos);
        } catch (Exception e) {
            print(what, "FAILED", startNanos);
            throw e;
        }
    }

    /**
     * Checks what a step has seen.
     *
     * @param holds whether it is right
     * @param format what is wrong otherwise, as of {@link String#format}
     * @param arguments for the format
     * @throws IOException if it is not
     */
    static void require(boolean holds, String format, Object... arguments) throws IOException {
        if (!holds) {
            throw new IOException(String.format(format, arguments));
        }
    }

    private void print(String what, String result, long startNanos) {
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
        out.printf(ROW, number, what, result, millis);
        out.flush();
    }
}
