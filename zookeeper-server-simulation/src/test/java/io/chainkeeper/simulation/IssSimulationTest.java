package io.chainkeeper.simulation;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

/**
 * Runs of the simulator with ISS. The protocol is a preview: about one seed in a hundred still ends without progress
 * (docs/iss.md), so the build runs seeds that are known to pass, and {@code bin/simulate.sh --protocol iss --survey N}
 * runs others.
 */
public class IssSimulationTest {
    private static final long FIRST_SEED = 1;
    private static final long SEEDS = 60;
    private static final int DETERMINISM_SEEDS = 5;

    @Test
    public void sameSeedTwice_sameTrace() {
        for (long seed = 1; seed <= DETERMINISM_SEEDS; seed++) {
            assertEquals(Simulation.run(Protocols.named("iss"), seed), Simulation.run(Protocols.named("iss"), seed));
        }
    }

    @Test
    public void seeds_pass() {
        SeedRange range = new SeedRange(Protocols.named("iss"), SimulatedApplication.REGISTERS, FIRST_SEED);
        try {
            range.runSeeds(SEEDS);
        } finally {
            System.out.println("simulation of " + range.summary());
        }
    }
}
