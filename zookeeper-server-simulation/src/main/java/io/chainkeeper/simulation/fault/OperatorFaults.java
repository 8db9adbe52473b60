package io.chainkeeper.simulation.fault;

import io.chainkeeper.release.FeatureRange;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import io.chainkeeper.simulation.swarm.Upgrades;
import java.util.SplittableRandom;

/** What an operator does to servers: other releases, another feature level, a directory that is not theirs. */
final class OperatorFaults {
    private static final long SOON_MICROS = 30_000;
    private static final long LONG_MICROS = 1_500_000;

    private final Cluster cluster;
    private final FaultInjector faults;
    private final LeaveFaults leaves;

    /**
     * @param cluster that suffers
     * @param faults crashes replicas, and cuts links
     * @param leaves stops replicas
     */
    OperatorFaults(Cluster cluster, FaultInjector faults, LeaveFaults leaves) {
        this.cluster = cluster;
        this.faults = faults;
        this.leaves = leaves;
    }

    /**
     * A server is stopped and comes back with another release; or it crashes, and the operator takes the occasion.
     *
     * @return whether it tries at once
     */
    boolean changeRelease(Fault fault, int replica, SplittableRandom random, FeatureRange levels) {
        long downMicros = FaultInjector.duration(random);
        if (!random.nextBoolean()) {
            return changeRelease(replica, downMicros, levels);
        }
        leaves.stop(replica, downMicros, random, () -> {
            if (install(replica, levels)) {
                faults.tookEffect(fault);
            }
        });
        return false;
    }

    private boolean install(int replica, FeatureRange levels) {
        boolean isOther = !cluster.releases().levels(replica).equals(levels);
        cluster.releases().install(replica, levels);
        return isOther;
    }

    /** A server comes back with another release. Whether it may is up to the server; returns whether it tries. */
    boolean changeRelease(int replica, long downMicros, FeatureRange levels) {
        faults.crash(replica, downMicros);
        return !cluster.replica(replica).isRunning() && install(replica, levels);
    }

    /**
     * Sometimes what the server proposes is held back until another one has said that it has gone back.
     *
     * @return whether there was a server to be asked
     */
    boolean askForLevel(int replica, int other, SplittableRandom random) {
        if (!cluster.replica(replica).isRunning()) {
            return false;
        }
        cluster.host(replica).application().askForLevel();
        if (random.nextBoolean() && other != replica) {
            long heldMicros = SOON_MICROS + random.nextLong(LONG_MICROS);
            for (int each : cluster.members()) {
                if (each != replica) {
                    faults.cutDirection(replica, each, heldMicros);
                    faults.cutDirection(each, replica, heldMicros);
                }
            }
            changeRelease(other, 1 + random.nextLong(SOON_MICROS), Upgrades.FORMER);
        }
        return true;
    }

    /** Two servers have been stopped, and the one's directory is taken for the other's; whether one tried to start. */
    boolean startInDirectoryOf(int replica, int other, SplittableRandom random) {
        faults.crash(replica, FaultInjector.duration(random));
        faults.crash(other, FaultInjector.duration(random));
        boolean areDown =
                !cluster.replica(replica).isRunning() && !cluster.replica(other).isRunning();
        return other != replica && areDown && cluster.starting().startInDirectoryOf(replica, other);
    }
}
