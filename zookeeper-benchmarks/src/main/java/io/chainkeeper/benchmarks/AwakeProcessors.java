package io.chainkeeper.benchmarks;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Keeps the processors from halting while a run is measured. A processor of a virtual machine that halts is given to
 * somebody else, and until it is back whoever was woken on it waits: with many threads that wait for each other that
 * happens thousands of times a second.
 *
 * <p>Where there is less to do than processors, a process for each of them spins whenever nobody else wants it (Linux's
 * policy SCHED_IDLE). Elsewhere the kernel is asked for idle states without any latency, in which an idle processor
 * looks for work in a loop (PM QoS, {@code /dev/cpu_dma_latency}), for as long as that file is open; a hypervisor may
 * notice such a loop and give the processor away all the same. Both take nothing from servers and clients.
 */
final class AwakeProcessors implements AutoCloseable {
    /** Where the kernel takes a bound of the latency of waking up, in microseconds, as 32 bits. */
    static final Path LATENCY_BOUND = Path.of("/dev/cpu_dma_latency");

    /** Names what chooses idle states; without it the bound has no effect. */
    private static final Path IDLE_DRIVER = Path.of("/sys/devices/system/cpu/cpuidle/current_driver");

    private static final long BEGIN_MILLIS = 200;

    /** Looks from time to time whether the run is still there, so that nothing goes on spinning if it is killed. */
    private static final String SPIN =
            "while kill -0 $PPID 2>/dev/null; do i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; done";

    private final List<Process> spinning = new ArrayList<>();
    private OutputStream bound;

    private AwakeProcessors() {}

    /**
     * Begins.
     *
     * @param processors for how many a process may spin; 0 to ask the kernel only: with more to do than processors the
     *     scheduler spreads it worse over those that never become idle
     * @param latencyBound {@link #LATENCY_BOUND}
     * @param progress told if processes cannot spin here; the run goes on without
     * @return what is to be closed when the run is over
     * @throws InterruptedException if the run is stopped
     */
    static AwakeProcessors start(int processors, Path latencyBound, PrintStream progress) throws InterruptedException {
        AwakeProcessors awake = new AwakeProcessors();
        awake.spin(processors, progress);
        if (awake.spinning.isEmpty()) {
            awake.askKernel(latencyBound);
        }
        return awake;
    }

    private void askKernel(Path latencyBound) {
        if (!Files.isWritable(latencyBound) || !hasIdleStates()) {
            return;
        }
        try {
            bound = Files.newOutputStream(latencyBound);
            bound.write(new byte[Integer.BYTES]);
        } catch (IOException e) {
            close();
        }
    }

    private static boolean hasIdleStates() {
        try {
            return !Files.readString(IDLE_DRIVER).strip().equals("none");
        } catch (IOException e) {
            return false;
        }
    }

    private void spin(int processors, PrintStream progress) throws InterruptedException {
        for (int i = 0; i < processors; i++) {
            ProcessBuilder command =
                    new ProcessBuilder("taskset", "-c", Integer.toString(i), "chrt", "--idle", "0", "sh", "-c", SPIN);
            command.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.to(new File("/dev/null")));
            try {
                Process process = command.start();
                spinning.add(process);
                if (process.waitFor(BEGIN_MILLIS, TimeUnit.MILLISECONDS)) {
                    throw new IOException("exit code " + process.exitValue());
                }
            } catch (IOException e) {
                close();
                progress.println("Nothing spins on idle processors: taskset and chrt do not work here ("
                        + e.getMessage() + "); on a virtual machine more intervals will be void");
                break;
            } catch (InterruptedException e) {
                close();
                throw e;
            }
        }
    }

    /** @return whether the kernel keeps the processors awake */
    boolean byKernel() {
        return bound != null;
    }

    /** @return the processes that spin, none if the kernel does it or if it is not possible */
    List<Long> pids() {
        return spinning.stream().map(Process::pid).toList();
    }

    @Override
    public void close() {
        spinning.forEach(Process::destroyForcibly);
        spinning.clear();
        if (bound != null) {
            try {
                bound.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } finally {
                bound = null;
            }
        }
    }
}
