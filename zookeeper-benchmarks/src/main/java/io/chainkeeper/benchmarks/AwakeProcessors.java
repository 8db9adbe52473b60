package io.chainkeeper.benchmarks;

import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Keeps the processors from halting while a run is measured: a process for each that spins whenever nobody else wants
 * it (Linux's policy SCHED_IDLE), so that it takes nothing from servers and clients. A processor of a virtual machine
 * that halts is given to somebody else, and until it is back whoever was woken on it waits: with one operation after
 * the other that happens thousands of times a second.
 */
final class AwakeProcessors implements AutoCloseable {
    private static final long BEGIN_MILLIS = 200;

    /** Looks from time to time whether the run is still there, so that nothing goes on spinning if it is killed. */
    private static final String SPIN =
            "while kill -0 $PPID 2>/dev/null; do i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; done";

    private final List<Process> spinning = new ArrayList<>();

    private AwakeProcessors() {}

    /**
     * Starts to spin.
     *
     * @param processors how many there are; 0 to do nothing
     * @param progress told if it is not possible here; the run goes on without
     * @return what is to be closed when the run is over
     * @throws InterruptedException if the run is stopped
     */
    static AwakeProcessors start(int processors, PrintStream progress) throws InterruptedException {
        AwakeProcessors awake = new AwakeProcessors();
        for (int i = 0; i < processors; i++) {
            ProcessBuilder command =
                    new ProcessBuilder("taskset", "-c", Integer.toString(i), "chrt", "--idle", "0", "sh", "-c", SPIN);
            command.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.to(new File("/dev/null")));
            try {
                Process process = command.start();
                awake.spinning.add(process);
                if (process.waitFor(BEGIN_MILLIS, TimeUnit.MILLISECONDS)) {
                    throw new IOException("exit code " + process.exitValue());
                }
            } catch (IOException e) {
                awake.close();
                progress.println("Processors may halt: taskset and chrt do not work here (" + e.getMessage()
                        + "); on a virtual machine more rounds will be void");
                break;
            } catch (InterruptedException e) {
                awake.close();
                throw e;
            }
        }
        return awake;
    }

    /** @return the processes that spin, none if that is not possible */
    List<Long> pids() {
        return spinning.stream().map(Process::pid).toList();
    }

    @Override
    public void close() {
        spinning.forEach(Process::destroyForcibly);
        spinning.clear();
    }
}
