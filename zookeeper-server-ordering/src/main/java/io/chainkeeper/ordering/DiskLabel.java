package io.chainkeeper.ordering;

import java.util.List;

/**
 * What a shared disk says it is. Immutable.
 *
 * @param clusterId drawn when the disks of a cluster were formatted; the same on all of them
 * @param number which of the disks this is, from 0
 * @param diskIds of all disks of the cluster, by number: a disk that has replaced another has another id
 * @param generation how often a disk has been replaced; of two labels the one of the later generation says which disks
 *     count
 * @param isWhole false while the disk is being filled in the place of another: nobody counts it, or reads from it
 */
public record DiskLabel(long clusterId, int number, List<Long> diskIds, long generation, boolean isWhole) {
    /** Copies the ids, and checks the number. */
    public DiskLabel {
        diskIds = List.copyOf(diskIds);
        InvariantViolated.check(number >= 0 && number < diskIds.size(), "disk %d of %d", number, diskIds.size());
    }

    /** @return id of this disk */
    public long diskId() {
        return diskIds.get(number);
    }

    /**
     * @param which number of a disk
     * @return the label of that disk of the same generation, whole
     */
    public DiskLabel ofDisk(int which) {
        return new DiskLabel(clusterId, which, diskIds, generation, true);
    }

    /** @return the cluster's id as people read it */
    public String cluster() {
        return String.format("%016x", clusterId);
    }
}
