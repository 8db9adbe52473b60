package io.chainkeeper.simulation;

import static org.junit.Assert.assertEquals;

import java.util.concurrent.TimeUnit;
import org.junit.Test;

/** Runs of the simulator with ISS. {@code -Dsimulation.issSeconds=N} changes how long fresh seeds are run. */
public class IssSimulationTest {
    private static final long DEFAULT_SECONDS = 20;
    private static final int DETERMINISM_SEEDS = 5;

    @Test
    public void sameSeedTwice_sameTrace() {
        for (long seed = 1; seed <= DETERMINISM_SEEDS; seed++) {
            assertEquals(Simulation.run(Protocols.named("iss"), seed), Simulation.run(Protocols.named("iss"), seed));
        }
    }

    @Test
    public void freshSeeds_allPass() {
        SeedRange range = new SeedRange(Protocols.named("iss"), SimulatedApplication.REGISTERS, System.nanoTime());
        try {
            range.runFor(TimeUnit.SECONDS.toNanos(Long.getLong("simulation.issSeconds", DEFAULT_SECONDS)));
        } finally {
            System.out.println("simulation of " + range.summary());
        }
    }
}
