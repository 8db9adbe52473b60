package io.chainkeeper.simulation;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.simulation.host.BoundsChecker;
import io.chainkeeper.simulation.swarm.SimulatedApplication;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Consecutive seeds, run one after the other, and what they amounted to. */
public final class SeedRange {
    private final Script first;
    private final long startNanos = System.nanoTime();
    private long seeds;
    private long steps;
    private long virtualMicros;
    private long positions;
    private long operations;
    private long answered;
    private final Map<String, BoundsChecker.Peak> peaks = new TreeMap<>();

    /**
     * @param factory the protocol
     * @param application above it
     * @param firstSeed where to begin
     */
    public SeedRange(OrderingProtocolFactory factory, SimulatedApplication application, long firstSeed) {
        this(Script.of(factory, application, firstSeed));
    }

    /** @param first where to begin */
    SeedRange(Script first) {
        this.first = first;
    }

    /**
     * Runs so many seeds.
     *
     * @param count how many
     * @throws SimulationFailure of the first that fails
     */
    public void runSeeds(long count) {
        for (long i = 0; i < count; i++) {
            runNext();
        }
    }

    /**
     * Runs seeds for a time.
     *
     * @param nanos at least one seed is run, and the last one is finished
     * @throws SimulationFailure of the first that fails
     */
    public void runFor(long nanos) {
        do {
            runNext();
        } while (System.nanoTime() - startNanos < nanos);
    }

    private void runNext() {
        Simulation.Result result = Simulation.run(first.at(first.seed() + seeds));
        seeds++;
        steps += result.steps();
        virtualMicros += result.virtualMicros();
        positions += result.positions();
        operations += result.operations();
        answered += result.answered();
        result.peaks().forEach((name, peak) -> peaks.merge(name, peak, BoundsChecker.Peak::or));
    }

    /** @return how close each queue, window and buffer came to its bound in any seed, one line */
    public String peaks() {
        return peaks.entrySet().stream()
                .map(entry -> entry.getKey() + " " + entry.getValue().held() + "/"
                        + entry.getValue().bound())
                .collect(Collectors.joining(", ", "closest to their bounds: ", ""));
    }

    /** @return what was run, one line */
    public String summary() {
        return String.format(
                "%s under %s: seeds %d to %d, %d steps, %d s of virtual time, %d positions,"
                        + " %d of %d operations answered, %d s",
                first.factory().name(),
                first.application().optionValue(),
                first.seed(),
                first.seed() + seeds - 1,
                steps,
                virtualMicros / 1_000_000,
                positions,
                answered,
                operations,
                (System.nanoTime() - startNanos) / 1_000_000_000L);
    }
}
