package io.chainkeeper.simulation;

import io.chainkeeper.simulation.swarm.SimulatedApplication;
import java.io.IOException;
import org.junit.Test;

/**
 * Runs of the simulator with registers above the order. {@code -Dsimulation.seconds=N} changes how long fresh seeds are
 * run; {@link SeedRuns} has the other properties.
 */
public class SimulationTest {
    private static final long DEFAULT_SECONDS = 45;
    private static final int DETERMINISM_SEEDS = 20;

    private final SeedRuns runs = new SeedRuns(SimulatedApplication.REGISTERS);

    @Test
    public void sameSeedTwice_sameTrace() {
        runs.assertDeterministic(DETERMINISM_SEEDS);
    }

    @Test
    public void freshSeeds_allPass() {
        runs.runFreshSeeds(Long.getLong("simulation.seconds", DEFAULT_SECONDS));
    }

    @Test
    public void seedsThatOnceFailed_allPass() throws IOException {
        runs.runSeedsOf("/failed-seeds.txt");
    }
}
