package io.chainkeeper.simulation;

import io.chainkeeper.simulation.swarm.SimulatedApplication;
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

    private final SeedRuns runs = new SeedRuns(Protocols.named("iss"), SimulatedApplication.REGISTERS);

    @Test
    public void sameSeedTwice_sameTrace() {
        runs.assertDeterministic(DETERMINISM_SEEDS);
    }

    @Test
    public void seeds_allPass() {
        runs.runSeedsFrom(FIRST_SEED, Long.getLong("simulation.iss.seconds", DEFAULT_SECONDS));
    }
}
