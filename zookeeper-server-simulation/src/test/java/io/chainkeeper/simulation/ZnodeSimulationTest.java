package io.chainkeeper.simulation;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import org.junit.Test;

/**
 * Runs of the simulator with the server's own executor, sessions and watches. {@code -Dsimulation.znodes.seeds=N}
 * changes how many seeds are run, {@code -Dsimulation.seed=N} where they begin, {@code -Dsimulation.protocol=NAME} the
 * protocol. The default seeds are always the same: of some histories with many lost replies the linearizability checker
 * cannot decide within its bound, which counts as a failure.
 */
public class ZnodeSimulationTest {
    private static final long DEFAULT_SEEDS = 20;
    private static final int DETERMINISM_SEEDS = 4;

    private static OrderingProtocolFactory protocol() {
        return Protocols.named(System.getProperty("simulation.protocol", "chain"));
    }

    @Test
    public void sameSeedTwice_sameTrace() {
        for (long seed = 1; seed <= DETERMINISM_SEEDS; seed++) {
            assertEquals("seed " + seed, outcome(seed), outcome(seed));
        }
    }

    private static String outcome(long seed) {
        try {
            return Simulation.run(protocol(), SimulatedApplication.ZNODES, seed).toString();
        } catch (SimulationFailure failure) {
            return failure.getMessage();
        }
    }

    @Test
    public void seeds_allPass() {
        long firstSeed = Long.getLong("simulation.seed", 1);
        SeedRange range = new SeedRange(protocol(), SimulatedApplication.ZNODES, firstSeed);
        try {
            range.runSeeds(Long.getLong("simulation.znodes.seeds", DEFAULT_SEEDS));
        } finally {
            System.out.println("simulation of " + range.summary());
        }
    }
}
