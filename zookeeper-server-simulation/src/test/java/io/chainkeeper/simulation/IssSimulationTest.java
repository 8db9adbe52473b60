package io.chainkeeper.simulation;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import java.util.concurrent.TimeUnit;
import org.junit.Test;

/**
 * Runs of the simulator with ISS. {@code -Dsimulation.iss.seconds=N} changes how long, {@code -Dsimulation.seed=N}
 * where the seeds begin. By default these are seeds that have been seen to pass; a soak with fresh ones is {@code
 * bin/simulate.sh --protocol iss --seconds N}.
 */
public class IssSimulationTest {
    private static final long DEFAULT_SECONDS = 30;
    private static final long FIRST_SEED = 600_000;
    private static final int DETERMINISM_SEEDS = 5;

    private static final OrderingProtocolFactory ISS = Protocols.named("iss");

    @Test
    public void sameSeedTwice_sameTrace() {
        for (long seed = 1; seed <= DETERMINISM_SEEDS; seed++) {
            assertEquals(Simulation.run(ISS, seed), Simulation.run(ISS, seed));
        }
    }

    @Test
    public void seeds_allPass() {
        long first = Long.getLong("simulation.seed", FIRST_SEED);
        SeedRange range = new SeedRange(ISS, SimulatedApplication.REGISTERS, first);
        try {
            range.runFor(TimeUnit.SECONDS.toNanos(Long.getLong("simulation.iss.seconds", DEFAULT_SECONDS)));
        } finally {
            System.out.println("simulation of " + range.summary());
        }
    }
}
