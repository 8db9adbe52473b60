package io.chainkeeper.simulation;

import static org.junit.Assert.assertEquals;

import io.chainkeeper.simulation.swarm.SimulatedApplication;
import io.chainkeeper.simulation.time.EventQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

/** Nothing of a run is left when it has ended: else a soak ends for lack of memory. */
public class FinishedRunTest {
    private static final int SEEDS = 6;
    private static final int COLLECTIONS = 20;

    @Test
    public void registers_leaveNothing() {
        assertNothingIsLeft(SimulatedApplication.REGISTERS);
    }

    @Test
    public void znodes_leaveNothing() {
        assertNothingIsLeft(SimulatedApplication.ZNODES);
    }

    private static void assertNothingIsLeft(SimulatedApplication application) {
        List<WeakReference<EventQueue>> runs = new ArrayList<>();
        for (long seed = 1; seed <= SEEDS; seed++) {
            Script script = Script.of(Protocols.named("chain"), application, seed);
            Simulation.attempt(script, clock -> {
                runs.add(new WeakReference<>(clock));
                return null;
            });
        }
        for (int i = 0; i < COLLECTIONS && left(runs) > 1; i++) {
            System.gc();
        }
        // The thread may still know where the last one stood.
        assertEquals("runs of " + SEEDS + " that are still in memory", 0, Math.max(0, left(runs) - 1));
    }

    private static long left(List<WeakReference<EventQueue>> runs) {
        return runs.stream().filter(run -> run.get() != null).count();
    }
}
