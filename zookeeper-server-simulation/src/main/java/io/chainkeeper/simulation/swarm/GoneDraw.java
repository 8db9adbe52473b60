package io.chainkeeper.simulation.swarm;

import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Draws what goes wrong where a minority is down for good. */
final class GoneDraw {
    /** Of fewer, only one may be gone. */
    private static final int LEAST_PARTICIPANTS_WITHOUT_TWO = 5;

    private static final List<Fault> BESIDE_DOWN_FOR_GOOD = List.of(
            Fault.CRASH,
            Fault.CRASH_AT_CHANGE,
            Fault.PAUSE,
            Fault.CUT,
            Fault.ISOLATE,
            Fault.BREAK,
            Fault.SLOW_DISK,
            Fault.SLOW_LINK,
            Fault.PARTITION,
            Fault.DOWN_LONG,
            Fault.STALL,
            Fault.DRIFT);

    private GoneDraw() {}

    /**
     * Draws the faults.
     *
     * @param random what is drawn
     * @param unitMicros scale of the times between them
     * @param ensemble of the run; null where disks are shared, so that a story of leaders says nothing
     * @param faults they are put there
     */
    static void draw(SplittableRandom random, long unitMicros, Ensemble ensemble, Map<Fault, Long> faults) {
        boolean mayBeUnseen = ensemble != null
                && !ensemble.observers().isEmpty()
                && ensemble.participants().size() >= LEAST_PARTICIPANTS_WITHOUT_TWO;
        if (mayBeUnseen && random.nextInt(3) != 0) {
            // Nothing else may end the epoch in which they are gone.
            faults.put(Fault.GONE_UNSEEN, 500_000L);
            return;
        }
        for (Fault fault : BESIDE_DOWN_FOR_GOOD) {
            if (random.nextInt(5) < 2) {
                faults.put(fault, unitMicros * (1 + random.nextInt(3)));
            }
        }
        faults.put(Fault.DOWN_FOR_GOOD, random.nextInt(2) == 0 ? 500_000L : 2_000_000L);
    }
}
