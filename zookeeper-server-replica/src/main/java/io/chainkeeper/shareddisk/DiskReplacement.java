package io.chainkeeper.shareddisk;

import io.chainkeeper.ordering.DiskLabel;
import io.chainkeeper.ordering.SharedDiskFormat;
import io.chainkeeper.shareddisk.DiskComparison.FoundDisk;
import java.util.ArrayList;
import java.util.List;

/**
 * What a lost disk can be filled from: the others, as they were found. One whose label is damaged in one copy, as a
 * replacement that ended in the middle leaves it, counts here, unlike at a start of a server: to replace writes both
 * copies anew. Immutable; safe for use by any thread.
 */
public final class DiskReplacement {
    private final int number;
    private final List<Integer> others;
    private final DiskLabel newest;

    private DiskReplacement(int number, List<Integer> others, DiskLabel newest) {
        this.number = number;
        this.others = others;
        this.newest = newest;
    }

    /**
     * Looks what the others are good for.
     *
     * @param number of the disk that is replaced, from 0; what is found there plays no part
     * @param disks as found, in the order of the list
     * @return the replacement: enough others can be used
     * @throws WrongDisksException if not; says which one cannot, and why
     */
    public static DiskReplacement of(int number, List<FoundDisk> disks) throws WrongDisksException {
        DiskLabel newest = newest(number, disks);
        List<Integer> usable = new ArrayList<>();
        String problem = "";
        for (int other = 0; other < disks.size(); other++) {
            String refusal = other == number ? "" : refusal(other, disks, newest);
            if (refusal == null) {
                usable.add(other);
            } else if (other != number) {
                problem = " (" + refusal + ")";
            }
        }
        int needed = SharedDiskFormat.copiesNeeded(disks.size());
        if (disks.size() == 1 || usable.size() < needed) {
            throw new WrongDisksException("to replace disk " + (number + 1) + " of " + disks.size() + ", " + needed
                    + " others are needed, and " + usable.size() + " can be used" + problem
                    + "; nothing was changed");
        }
        return new DiskReplacement(number, List.copyOf(usable), newest);
    }

    private static DiskLabel newest(int number, List<FoundDisk> disks) {
        List<FoundDisk> others = new ArrayList<>(disks);
        others.remove(number);
        return DiskComparison.newest(others);
    }

    private static String refusal(int number, List<FoundDisk> disks, DiskLabel newest) {
        FoundDisk disk = disks.get(number);
        SharedDiskFormat.Found found = disk.found();
        if (found == null) {
            return disk.failure();
        }
        DiskLabel label = found.label();
        String what = null;
        if (label == null || found.problem() != null) {
            what = found.isBlank() ? "it is empty" : found.problem();
        } else if (label.clusterId() != newest.clusterId() || label.diskIds().size() != disks.size()) {
            what = "it is of cluster " + label.cluster() + " with "
                    + label.diskIds().size() + " disks";
        } else if (label.number() != number) {
            what = "it is disk " + (label.number() + 1) + " and listed as disk " + (number + 1);
        } else if (!label.isWhole()) {
            what = "it was not filled to the end";
        } else if (label.diskId() != newest.diskIds().get(number)) {
            what = "it was replaced by another disk";
        }
        return what == null ? null : disk.name() + ": " + what;
    }

    /** @return numbers of the disks that the new one is filled from, ascending */
    public List<Integer> others() {
        return others;
    }

    /** @return the label of the latest generation that they bear */
    public DiskLabel newest() {
        return newest;
    }

    /**
     * @param diskId of the new disk, which no other one has had
     * @return its label
     */
    public DiskLabel label(long diskId) {
        List<Long> diskIds = new ArrayList<>(newest.diskIds());
        diskIds.set(number, diskId);
        return new DiskLabel(newest.clusterId(), number, diskIds, newest.generation() + 1, true);
    }
}
