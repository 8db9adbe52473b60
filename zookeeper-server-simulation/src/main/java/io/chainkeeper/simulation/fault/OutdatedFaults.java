package io.chainkeeper.simulation.fault;

import io.chainkeeper.ordering.Message;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.swarm.SwarmOptions;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import java.util.SplittableRandom;

/** Stories of what was never decided, or is no longer so, and meets what has taken its place. */
final class OutdatedFaults {
    private final OverwrittenFaults overwritten;
    private final OverhangFaults overhang;
    private final DiskOverhangFaults diskOverhang;
    private final boolean areDisksShared;
    private final FewListedFaults fewListed;
    private final HoleFaults hole;
    private final DeposedAtDiskFaults deposedAtDisk;
    private final RingGoesRoundFaults ringGoesRound;
    private final ForgottenFaults forgotten;
    private final HalfTakenFaults halfTaken;

    /**
     * @param cluster that suffers
     * @param stories how they are told
     * @param options how long accesses to shared disks take
     * @param hangingDisk how many times longer a force of a disk takes that hangs
     */
    OutdatedFaults(Cluster cluster, Stories stories, SwarmOptions options, int hangingDisk) {
        deposedAtDisk = new DeposedAtDiskFaults(cluster, stories, options);
        ringGoesRound = new RingGoesRoundFaults(cluster, stories, options);
        overwritten = new OverwrittenFaults(cluster, stories, hangingDisk);
        overhang = new OverhangFaults(cluster, stories);
        diskOverhang = new DiskOverhangFaults(cluster, stories);
        areDisksShared = cluster.sharedDisks().count() > 0;
        fewListed = new FewListedFaults(cluster, stories);
        hole = new HoleFaults(cluster, stories, hangingDisk);
        forgotten = new ForgottenFaults(cluster, stories, hangingDisk);
        halfTaken = new HalfTakenFaults(cluster, stories);
    }

    /** Begins one of them, unless the last one of its kind has not ended, or there is nobody for it. */
    void begin(Fault fault, SplittableRandom random) {
        switch (fault) {
            case OVERWRITE -> overwritten.begin(random);
            case OVERHANG -> {
                if (areDisksShared) {
                    diskOverhang.begin(random);
                } else {
                    overhang.begin(random);
                }
            }
            case FEW_LISTED -> fewListed.begin(random);
            case DEPOSED_AT_DISK -> deposedAtDisk.begin(random);
            case RING_GOES_ROUND -> ringGoesRound.begin(random);
            case HOLE -> hole.begin(random);
            case FORGET_DECISION -> forgotten.begin(random);
            case HALF_TAKE_OVER -> halfTaken.begin(random);
            default -> throw new IllegalArgumentException(fault + " is no such story");
        }
    }

    /** Something has happened at a replica. */
    void happened(int replica, String what, long number, Object detail) {
        deposedAtDisk.happened(replica, what);
        ringGoesRound.happened(replica, what, number, detail);
    }

    /** A message is about to leave. */
    void sent(int replica, Message message) {
        forgotten.sent(replica, message);
        halfTaken.sent(replica, message);
    }

    /** A replica appends a record. */
    void appends(int replica, long position) {
        overwritten.appends(replica, position);
        forgotten.appends(replica, position);
    }
}
