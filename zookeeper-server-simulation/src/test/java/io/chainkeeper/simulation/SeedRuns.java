package io.chainkeeper.simulation;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.simulation.swarm.SimulatedApplication;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What the tests of all applications do with seeds. {@code -Dsimulation.protocol=NAME} is the protocol,
 * {@code -Dsimulation.seed=N} where fresh seeds begin.
 */
final class SeedRuns {
    private final OrderingProtocolFactory protocol;
    private final SimulatedApplication application;

    /** Of the protocol that the command line names. */
    SeedRuns(SimulatedApplication application) {
        this(Protocols.named(System.getProperty("simulation.protocol", "chain")), application);
    }

    SeedRuns(OrderingProtocolFactory protocol, SimulatedApplication application) {
        this.protocol = protocol;
        this.application = application;
    }

    /** The same seed leads to the same run. */
    void assertDeterministic(int seeds) {
        for (long seed = 1; seed <= seeds; seed++) {
            assertEquals(
                    "seed " + seed,
                    Simulation.run(protocol, application, seed),
                    Simulation.run(protocol, application, seed));
        }
    }

    /** Runs fresh seeds for a time; the first that fails says how to replay it. */
    void runFreshSeeds(long seconds) {
        runSeedsFrom(System.nanoTime(), seconds);
    }

    /** Runs seeds for a time, from this one on unless the command line says where to begin. */
    void runSeedsFrom(long firstSeed, long seconds) {
        SeedRange range = new SeedRange(protocol, application, Long.getLong("simulation.seed", firstSeed));
        try {
            range.runFor(TimeUnit.SECONDS.toNanos(seconds));
        } finally {
            System.out.println("simulation of " + range.summary());
        }
    }

    /** Runs the seeds that a resource lists: protocol (or protocol/application), seed, what was found. */
    void runSeedsOf(String resource) throws IOException {
        List<String> failed = new ArrayList<>();
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(SeedRuns.class.getResourceAsStream(resource), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] words = line.split(" +");
                if (!line.startsWith("#") && words.length >= 2) {
                    try {
                        String[] what = words[0].split("/");
                        Simulation.run(
                                Protocols.named(what[0]),
                                what.length == 1 ? application : SimulatedApplication.named(what[1]),
                                Long.parseLong(words[1]));
                    } catch (SimulationFailure failure) {
                        failed.add(line + ": " + failure.getCause().getMessage());
                    }
                }
            }
        }
        assertEquals(List.of(), failed);
    }
}
