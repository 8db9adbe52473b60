package io.chainkeeper.simulation;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.Test;

/**
 * Runs of the simulator. {@code -Dsimulation.seconds=N} changes how long fresh seeds are run,
 * {@code -Dsimulation.seed=N} where they begin, {@code -Dsimulation.protocol=NAME} the protocol.
 */
public class SimulationTest {
    private static final long DEFAULT_SECONDS = 45;
    private static final int DETERMINISM_SEEDS = 20;

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
            return Simulation.run(protocol(), seed).toString();
        } catch (SimulationFailure failure) {
            return failure.getMessage();
        }
    }

    @Test
    public void freshSeeds_allPass() {
        long firstSeed = Long.getLong("simulation.seed", System.nanoTime());
        SeedRange range = new SeedRange(protocol(), SimulatedApplication.REGISTERS, firstSeed);
        try {
            range.runFor(TimeUnit.SECONDS.toNanos(Long.getLong("simulation.seconds", DEFAULT_SECONDS)));
        } finally {
            System.out.println("simulation of " + range.summary());
        }
    }

    @Test
    public void seedsThatOnceFailed_allPass() throws IOException {
        List<String> failed = new ArrayList<>();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                SimulationTest.class.getResourceAsStream("/failed-seeds.txt"), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] words = line.split(" +");
                if (!line.startsWith("#") && words.length >= 2) {
                    try {
                        Simulation.run(Protocols.named(words[0]), Long.parseLong(words[1]));
                    } catch (SimulationFailure failure) {
                        failed.add(line + ": " + failure.getCause().getMessage());
                    }
                }
            }
        }
        assertEquals(List.of(), failed);
    }
}
