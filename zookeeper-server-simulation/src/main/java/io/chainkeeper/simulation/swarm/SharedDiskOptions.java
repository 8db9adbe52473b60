package io.chainkeeper.simulation.swarm;

/**
 * Disks that all replicas of a run share.
 *
 * @param count how many, odd; 0 if the protocol has no use for them
 * @param maxMicros longest time of one access, positive if there are disks
 */
public record SharedDiskOptions(int count, long maxMicros) {
    /** There are none. */
    public static final SharedDiskOptions NONE = new SharedDiskOptions(0, 0);
}
