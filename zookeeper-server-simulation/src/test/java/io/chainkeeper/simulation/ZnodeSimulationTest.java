package io.chainkeeper.simulation;

import io.chainkeeper.simulation.swarm.SimulatedApplication;
import org.junit.Test;

/**
 * Runs of the simulator with the server's own executor, sessions and watches. {@code -Dsimulation.znodes.seconds=N}
 * changes how long fresh seeds are run; {@link SeedRuns} has the other properties.
 */
public class ZnodeSimulationTest {
    private static final long DEFAULT_SECONDS = 15;
    private static final int DETERMINISM_SEEDS = 4;
    private static final int RECONFIG_SEEDS = 14;

    private final SeedRuns runs = new SeedRuns(SimulatedApplication.ZNODES);

    @Test
    public void sameSeedTwice_sameTrace() {
        runs.assertDeterministic(DETERMINISM_SEEDS);
    }

    /** The same each time: a soak with fresh ones is {@code bin/simulate.sh --application reconfig}. */
    @Test
    public void ensembleChangedByRequests_seedsThatPassedBeforeStillDo() {
        for (long seed = 1; seed <= RECONFIG_SEEDS; seed++) {
            Simulation.run(Protocols.named("chain"), SimulatedApplication.RECONFIG, seed);
        }
    }

    @Test
    public void freshSeeds_allPass() {
        runs.runFreshSeeds(Long.getLong("simulation.znodes.seconds", DEFAULT_SECONDS));
    }
}
