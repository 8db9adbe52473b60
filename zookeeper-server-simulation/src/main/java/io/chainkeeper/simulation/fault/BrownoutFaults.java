package io.chainkeeper.simulation.fault;

import io.chainkeeper.simulation.cluster.Cluster;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Disks that work, and take about as long as the protocol's timeouts: for seconds each force of the own disk, and each
 * access to a shared one, at all servers, as where they stand on one array that somebody else loads, or at some. Then
 * all is well again, often under the same leader, and what has waited must get on.
 */
final class BrownoutFaults {
    private static final long LEAST_MICROS = 1_000_000;
    private static final long MORE_MICROS = 4_000_000;

    private final Cluster cluster;
    private final FaultInjector faults;

    /**
     * @param cluster whose disks they are
     * @param faults lets it end
     */
    BrownoutFaults(Cluster cluster, FaultInjector faults) {
        this.cluster = cluster;
        this.faults = faults;
    }

    /** Disks become slow, until some seconds have passed or faults stop; whether a server that runs has one. */
    boolean begin(SplittableRandom random) {
        boolean areAll = random.nextBoolean();
        List<Integer> slow = new ArrayList<>();
        for (int id : cluster.members()) {
            boolean isChosen = random.nextBoolean() || areAll;
            if (isChosen && !cluster.delays().isBrownedOut(id)) {
                slow.add(id);
                cluster.delays().brownOut(id, random, false);
            }
        }
        long micros = LEAST_MICROS + random.nextLong(MORE_MICROS);
        faults.later(micros, () -> slow.forEach(cluster.delays()::endBrownout));
        return slow.stream().anyMatch(id -> cluster.replica(id).isRunning());
    }
}
