package io.chainkeeper.shareddisk;

import io.chainkeeper.ordering.DiskLabel;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Disks that were away when another one was replaced. What they hold is their own, and all there; only their labels are
 * older, so they do not count until they bear the newest one
 * ({@link io.chainkeeper.ordering.SharedDiskFormat#raise}). Immutable; safe for use by any thread.
 *
 * @param newest the label of the latest generation; null if there is none
 * @param numbers of the disks that are of an older one, from 0, ascending
 */
public record OutdatedDisks(DiskLabel newest, List<Integer> numbers) {
    /** Copies the numbers. */
    public OutdatedDisks {
        numbers = List.copyOf(numbers);
    }

    /**
     * Compares labels. A disk of another cluster, or one that was replaced itself, is none that could count again.
     *
     * @param whole the labels of the disks that answer and are filled to the end, by number
     * @return which of them are outdated
     */
    public static OutdatedDisks of(Map<Integer, DiskLabel> whole) {
        DiskLabel newest = whole.values().stream()
                .max(Comparator.comparingLong(DiskLabel::generation))
                .orElse(null);
        List<Integer> numbers = whole.entrySet().stream()
                .filter(each -> isOutdated(each.getValue(), each.getKey(), newest))
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
        return new OutdatedDisks(newest, numbers);
    }

    private static boolean isOutdated(DiskLabel label, int number, DiskLabel newest) {
        boolean isOwn = label.clusterId() == newest.clusterId()
                && label.diskIds().size() == newest.diskIds().size()
                && label.diskId() == newest.diskIds().get(number);
        return isOwn && label.generation() < newest.generation();
    }
}
