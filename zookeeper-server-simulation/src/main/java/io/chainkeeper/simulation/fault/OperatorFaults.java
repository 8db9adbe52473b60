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

    /**
     * @param cluster that suffers
     * @param faults crashes replicas, and cuts links
     */
    OperatorFaults(Cluster cluster, FaultInjector faults) {
        this.cluster = cluster;
        this.faults = faults;
    }

    /** A server comes back with another release. Whether it may is up to the server; returns whether it tries. */
    boolean changeRelease(int replica, long downMicros, FeatureRange levels) {
        faults.crash(replica, downMicros);
        boolean isOther = !cluster.releases().levels(replica).equals(levels);
        boolean isDown = !cluster.replica(replica).isRunning();
        if (isDown) {
            cluster.releases().install(replica, levels);
        }
        return isDown && isOther;
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
