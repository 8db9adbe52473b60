package io.chainkeeper.simulation;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import java.util.concurrent.TimeUnit;
import org.junit.Test;

/**
 * Runs of the simulator with the server's own executor, sessions and watches. {@code -Dsimulation.znodes.seconds=N}
 * changes how long fresh seeds are run, {@code -Dsimulation.seed=N} where they begin, {@code
 * -Dsimulation.protocol=NAME} the protocol.
 */
public class ZnodeSimulationTest {
    private static final long DEFAULT_SECONDS = 15;
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
    public void freshSeeds_allPass() {
        long firstSeed = Long.getLong("simulation.seed", System.nanoTime());
        SeedRange range = new SeedRange(protocol(), SimulatedApplication.ZNODES, firstSeed);
        try {
            range.runFor(TimeUnit.SECONDS.toNanos(Long.getLong("simulation.znodes.seconds", DEFAULT_SECONDS)));
        } finally {
            System.out.println("simulation of " + range.summary());
        }
    }
}
