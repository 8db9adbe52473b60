package io.chainkeeper.simulation.fault;

import io.chainkeeper.release.FeatureRange;
import io.chainkeeper.simulation.cluster.Cluster;
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

    /** A server is stopped and comes back with another release; or it crashes, and the operator takes the occasion. */
    void changeRelease(int replica, SplittableRandom random, FeatureRange levels) {
        long downMicros = FaultInjector.duration(random);
        if (random.nextBoolean()) {
            leaves.stop(replica, downMicros, random, () -> cluster.releases().install(replica, levels));
        } else {
            changeRelease(replica, downMicros, levels);
        }
    }

    /** A server comes back with another release. Whether it may is up to the server. */
    void changeRelease(int replica, long downMicros, FeatureRange levels) {
        faults.crash(replica, downMicros);
        if (!cluster.replica(replica).isRunning()) {
            cluster.releases().install(replica, levels);
        }
    }

    /** Sometimes what the server proposes is held back until another one has said that it has gone back. */
    void askForLevel(int replica, int other, SplittableRandom random) {
        if (!cluster.replica(replica).isRunning()) {
            return;
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
    }

    /** Two servers have been stopped, and the one's directory is taken for the other's. */
    void startInDirectoryOf(int replica, int other, SplittableRandom random) {
        faults.crash(replica, FaultInjector.duration(random));
        faults.crash(other, FaultInjector.duration(random));
        boolean areDown =
                !cluster.replica(replica).isRunning() && !cluster.replica(other).isRunning();
        if (other != replica && areDown) {
            cluster.starting().startInDirectoryOf(replica, other);
        }
    }
}
