package io.chainkeeper.simulation;

import io.chainkeeper.simulation.swarm.SimulatedApplication;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

/**
 * Runs of the simulator that are about one thing that is too rare where everything is drawn, with every protocol.
 * {@code -Dsimulation.scoped.seconds=N} changes how long, {@code -Dsimulation.seed=N} where the seeds begin; a soak is
 * {@code bin/simulate.sh --application behind}, {@code founding}, {@code deposed}, {@code minority}, {@code
 * ambush}, {@code members}, {@code upgrade}, {@code takeover} or {@code outdated}.
 */
@RunWith(Parameterized.class)
public class ScopedSimulationTest {
    private static final long DEFAULT_SECONDS = 2;
    private static final long FIRST_SEED = 1_000;

    private static final List<SimulatedApplication> ABOUT_ONE_THING = List.of(
            SimulatedApplication.BEHIND,
            SimulatedApplication.FOUNDING,
            SimulatedApplication.DEPOSED,
            SimulatedApplication.MINORITY,
            SimulatedApplication.AMBUSH,
            SimulatedApplication.MEMBERS,
            SimulatedApplication.UPGRADE,
            SimulatedApplication.TAKEOVER,
            SimulatedApplication.OUTDATED);

    private final SeedRuns runs;

    public ScopedSimulationTest(String protocol, SimulatedApplication application) {
        this.runs = new SeedRuns(Protocols.named(protocol), application);
    }

    @Parameters(name = "{0} {1}")
    public static List<Object[]> scopes() {
        List<Object[]> scopes = new ArrayList<>();
        for (String protocol : Protocols.all().keySet()) {
            for (SimulatedApplication application : ABOUT_ONE_THING) {
                if (application.concerns(Protocols.named(protocol))) {
                    scopes.add(new Object[] {protocol, application});
                }
            }
        }
        return scopes;
    }

    @Test
    public void sameSeedTwice_sameTrace() {
        runs.assertDeterministic(1);
    }

    @Test
    public void seeds_allPass() {
        runs.runSeedsFrom(FIRST_SEED, Long.getLong("simulation.scoped.seconds", DEFAULT_SECONDS));
    }
}
