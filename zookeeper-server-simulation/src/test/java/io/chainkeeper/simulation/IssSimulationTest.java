package io.chainkeeper.simulation;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import java.util.concurrent.TimeUnit;
import org.junit.Test;

/**
 * Runs of the simulator with ISS. {@code -Dsimulation.iss.seconds=N} changes how long fresh seeds are run, {@code
 * -Dsimulation.seed=N} where they begin.
 */
public class IssSimulationTest {
    private static final long DEFAULT_SECONDS = 30;
    private static final int DETERMINISM_SEEDS = 5;

    private static final OrderingProtocolFactory ISS = Protocols.named("iss");

    @Test
    public void sameSeedTwice_sameTrace() {
        for (long seed = 1; seed <= DETERMINISM_SEEDS; seed++) {
            assertEquals(Simulation.run(ISS, seed), Simulation.run(ISS, seed));
        }
    }

    @Test
    public void freshSeeds_allPass() {
        SeedRange range =
                new SeedRange(ISS, SimulatedApplication.REGISTERS, Long.getLong("simulation.seed", System.nanoTime()));
        try {
            range.runFor(TimeUnit.SECONDS.toNanos(Long.getLong("simulation.iss.seconds", DEFAULT_SECONDS)));
        } finally {
            System.out.println("simulation of " + range.summary());
        }
    }
}
