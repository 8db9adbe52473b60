package io.chainkeeper.simulation;

import io.chainkeeper.simulation.swarm.SimulatedApplication;
import org.junit.Test;

/**
 * Runs of the simulator with Disk Paxos. {@code -Dsimulation.disk.seconds=N} changes how long, {@code
 * -Dsimulation.seed=N} where the seeds begin; a soak with fresh ones is {@code bin/simulate.sh --protocol disk
 * --seconds N}, also with {@code --application znodes} or {@code reconfig}.
 */
public class DiskSimulationTest {
    private static final long DEFAULT_SECONDS = 10;
    private static final int DETERMINISM_SEEDS = 5;

    private final SeedRuns runs = new SeedRuns(Protocols.named("disk"), SimulatedApplication.REGISTERS);

    @Test
    public void sameSeedTwice_sameTrace() {
        runs.assertDeterministic(DETERMINISM_SEEDS);
    }

    @Test
    public void seeds_allPass() {
        runs.runSeedsFrom(1, Long.getLong("simulation.disk.seconds", DEFAULT_SECONDS));
    }
}
