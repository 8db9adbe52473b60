package io.chainkeeper.benchmarks.host;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Keeps the processors from halting while a run is measured. A processor of a virtual machine that halts is given to
 * somebody else, and until it is back whoever was woken on it waits: with threads that wait for each other that happens
 * thousands of times a second.
 *
 * <p>The kernel is asked for idle states without any latency (PM QoS, {@code /dev/cpu_dma_latency}), for as long as
 * that file is open; where it has states to choose from an idle processor then looks for work in a loop.
 */
public final class AwakeProcessors implements AutoCloseable {
    /** Where the kernel takes a bound of the latency of waking up, in microseconds, as 32 bits. */
    public static final Path LATENCY_BOUND = Path.of("/dev/cpu_dma_latency");

    private final OutputStream bound;

    private AwakeProcessors(OutputStream bound) {
        this.bound = bound;
    }

    /**
     * Asks the kernel.
     *
     * @param latencyBound {@link #LATENCY_BOUND}
     * @param progress told if the kernel cannot be asked; the run goes on without
     * @return what is to be closed when the run is over
     */
    public static AwakeProcessors ask(Path latencyBound, PrintStream progress) {
        try {
            if (!Files.exists(latencyBound)) {
                throw new IOException("no such file");
            }
            OutputStream out = Files.newOutputStream(latencyBound);
            try {
                out.write(new byte[Integer.BYTES]);
            } catch (IOException e) {
                out.close();
                throw e;
            }
            return new AwakeProcessors(out);
        } catch (IOException e) {
            progress.println("Processors may halt: " + latencyBound + " cannot be written ("
                    + e.getClass().getSimpleName() + ": " + e.getMessage()
                    + "); on a virtual machine more intervals will be void. It needs root.");
            return new AwakeProcessors(OutputStream.nullOutputStream());
        }
    }

    @Override
    public void close() throws IOException {
        bound.close();
    }
}
