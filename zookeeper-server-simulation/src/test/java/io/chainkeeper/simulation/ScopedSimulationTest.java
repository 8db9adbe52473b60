package io.chainkeeper.simulation;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/**
 * Runs of the simulator that are about one thing that is too rare where everything is drawn, with every protocol.
 * {@code -Dsimulation.scoped.seconds=N} changes how long, {@code -Dsimulation.seed=N} where the seeds begin; a soak is
 * {@code bin/simulate.sh --application behind} or {@code founding}.
 */
@RunWith(Parameterized.class)
public class ScopedSimulationTest {
    private static final long DEFAULT_SECONDS = 3;
    private static final long FIRST_SEED = 1_000;

    private final OrderingProtocolFactory protocol;
    private final SimulatedApplication application;

    public ScopedSimulationTest(String protocol, SimulatedApplication application) {
        this.protocol = Protocols.named(protocol);
        this.application = application;
    }

    @Parameters(name = "{0} {1}")
    public static List<Object[]> scopes() {
        List<Object[]> scopes = new ArrayList<>();
        for (String protocol : Protocols.all().keySet()) {
            scopes.add(new Object[] {protocol, SimulatedApplication.BEHIND});
            scopes.add(new Object[] {protocol, SimulatedApplication.FOUNDING});
        }
        return scopes;
    }

    @Test
    public void sameSeedTwice_sameTrace() {
        assertEquals(Simulation.run(protocol, application, 1), Simulation.run(protocol, application, 1));
    }

    @Test
    public void seeds_allPass() {
        long first = Long.getLong("simulation.seed", FIRST_SEED);
        SeedRange range = new SeedRange(protocol, application, first);
        try {
            range.runFor(TimeUnit.SECONDS.toNanos(Long.getLong("simulation.scoped.seconds", DEFAULT_SECONDS)));
        } finally {
            System.out.println("simulation of " + range.summary());
        }
    }
}
