package io.chainkeeper.simulation.fault;

import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import java.util.SplittableRandom;

/** Stories of what was never decided, or is no longer so, and meets what has taken its place. */
final class OutdatedFaults {
    private final OverwrittenFaults overwritten;
    private final OverhangFaults overhang;
    private final FewListedFaults fewListed;
    private final HoleFaults hole;

    /**
     * @param cluster that suffers
     * @param stories how they are told
     * @param hangingDisk how many times longer a force of a disk takes that hangs
     */
    OutdatedFaults(Cluster cluster, Stories stories, int hangingDisk) {
        overwritten = new OverwrittenFaults(cluster, stories, hangingDisk);
        overhang = new OverhangFaults(cluster, stories);
        fewListed = new FewListedFaults(cluster, stories);
        hole = new HoleFaults(cluster, stories, hangingDisk);
    }

    /** Begins one of them, unless the last one of its kind has not ended, or there is nobody for it. */
    void begin(Fault fault, SplittableRandom random) {
        switch (fault) {
            case OVERWRITE -> overwritten.begin(random);
            case OVERHANG -> overhang.begin(random);
            case FEW_LISTED -> fewListed.begin(random);
            case HOLE -> hole.begin(random);
            default -> throw new IllegalArgumentException(fault + " is no such story");
        }
    }

    /** A replica appends a record. */
    void appends(int replica, long position) {
        overwritten.appends(replica, position);
    }
}
