package io.chainkeeper.shareddisk;

import io.chainkeeper.ordering.DiskLabel;
import io.chainkeeper.ordering.SharedDiskFormat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * What was found on the disks that a server's list names, compared with each other and with the cluster that the
 * server's directory belongs to: which of them can be used, and what is wrong with the others. Immutable; safe for use
 * by any thread.
 */
public final class DiskComparison {
    private static final String REPLACE = "zkDisk.sh replace";

    private final SharedDiskFormat format;
    private final Map<String, String> settings;
    private final List<String> names;
    private final List<String> problems;
    private final DiskLabel newest;

    /**
     * A disk as it was found.
     *
     * @param name what the list says, for messages
     * @param found what is where labels are; null if it cannot be read
     * @param failure why it cannot be read, one line; null if it can
     */
    public record FoundDisk(String name, SharedDiskFormat.Found found, String failure) {
        private DiskLabel label() {
            return found == null ? null : found.label();
        }

        private String problem() {
            if (found == null) {
                return failure;
            }
            if (found.isBlank()) {
                return name + " is empty; give it the place of the one that it stands for: " + REPLACE;
            }
            if (!found.label().isWhole()) {
                return name + " was not filled to the end; do that: " + REPLACE;
            }
            if (found.firstIsDamaged()) {
                return name + " has a damaged first block, and the copy is whole; mend it: zkDisk.sh inspect --mend";
            }
            return null;
        }
    }

    private DiskComparison(
            SharedDiskFormat format,
            Map<String, String> settings,
            List<String> names,
            List<String> problems,
            DiskLabel newest) {
        this.format = format;
        this.settings = settings;
        this.names = names;
        this.problems = problems;
        this.newest = newest;
    }

    /**
     * Compares disks.
     *
     * @param format what lies on them
     * @param settings the protocol's keys that the user has set, checked
     * @param disks as found, in the order of the list, an odd number
     * @param knownCluster the cluster whose disks the server's directory has been used with, if any
     * @return the comparison: a majority can be used
     * @throws WrongDisksException if a disk bears something else, or is not the one that the list says, or fewer than a
     *     majority can be used
     */
    public static DiskComparison of(
            SharedDiskFormat format, Map<String, String> settings, List<FoundDisk> disks, OptionalLong knownCluster)
            throws WrongDisksException {
        for (FoundDisk disk : disks) {
            if (disk.found() != null && disk.found().problem() != null) {
                throw new WrongDisksException(disk.name() + " is no disk of this cluster: "
                        + disk.found().problem() + "; nothing was changed on it. Correct the list");
            }
        }
        if (disks.stream().allMatch(disk -> disk.found() != null && disk.found().isBlank())) {
            throw new WrongDisksException("these disks are empty; format them for this cluster: zkDisk.sh format");
        }
        DiskLabel newest = newest(disks);
        List<String> problems = new ArrayList<>();
        for (int number = 0; number < disks.size(); number++) {
            FoundDisk disk = disks.get(number);
            checkPlace(disk, number, disks.size(), newest, knownCluster);
            problems.add(problem(disk, number, newest));
        }
        checkMajority(problems);
        List<String> names = disks.stream().map(FoundDisk::name).toList();
        return new DiskComparison(format, settings, names, problems, newest);
    }

    /** The label of the latest generation, null if there is none at all. */
    static DiskLabel newest(List<FoundDisk> disks) {
        DiskLabel newest = null;
        for (FoundDisk disk : disks) {
            DiskLabel label = disk.label();
            if (label != null && (newest == null || label.generation() > newest.generation())) {
                newest = label;
            }
        }
        return newest;
    }

    private static void checkPlace(FoundDisk disk, int number, int count, DiskLabel newest, OptionalLong knownCluster)
            throws WrongDisksException {
        DiskLabel label = disk.label();
        if (label == null) {
            return;
        }
        String name = disk.name();
        if (knownCluster.isPresent() && knownCluster.getAsLong() != label.clusterId()) {
            throw new WrongDisksException(name + " bears cluster " + label.cluster()
                    + ", but this server's directory belongs"
                    + String.format(" to the disks of cluster %016x; correct the list", knownCluster.getAsLong()));
        }
        if (label.clusterId() != newest.clusterId()) {
            throw new WrongDisksException(name + " bears cluster " + label.cluster() + ", and others bear "
                    + newest.cluster() + "; list the disks of one cluster");
        }
        if (label.diskIds().size() != count) {
            throw new WrongDisksException(name + " is one of " + label.diskIds().size() + " disks, and " + count
                    + " are listed; list all disks of the cluster, and no others");
        }
        if (label.number() != number) {
            throw new WrongDisksException(
                    name + " is disk " + (label.number() + 1) + " of its cluster and listed as disk " + (number + 1)
                            + "; list the disks in the order in which they were formatted");
        }
    }

    private static String problem(FoundDisk disk, int number, DiskLabel newest) {
        String problem = disk.problem();
        if (problem != null) {
            return problem;
        }
        if (disk.label().diskId() != newest.diskIds().get(number)) {
            return disk.name() + " was replaced by another disk; list that one in its place";
        }
        return outdated(disk.name(), disk.label(), newest);
    }

    /** Its own content is all there; only its label is not that of the others. */
    private static String outdated(String name, DiskLabel label, DiskLabel newest) {
        return label.generation() < newest.generation()
                ? name + " was away when another disk was replaced; let it count again: zkDisk.sh inspect --mend"
                : null;
    }

    private static void checkMajority(List<String> problems) throws WrongDisksException {
        long used = problems.stream().filter(Objects::isNull).count();
        if (used <= problems.size() / 2) {
            String first =
                    problems.stream().filter(Objects::nonNull).findFirst().orElse("");
            throw new WrongDisksException("of " + problems.size() + " disks " + used
                    + " can be used, a majority is needed. First problem: " + first);
        }
    }

    /** @return what the disks bear, of the latest generation that there is */
    public DiskLabel newest() {
        return newest;
    }

    /**
     * @param number of a disk, from 0
     * @return why it is not used, one line; null if it is
     */
    public String problem(int number) {
        return problems.get(number);
    }

    /**
     * Checks that a disk which has just been opened is the one that was compared, or has been put in its place since:
     * then who reads its label learns that it has to compare them anew.
     *
     * @param number of the disk, from 0
     * @param disk opened
     * @throws IOException if it is another one, or cannot be used, or read; one line
     */
    public void check(int number, SharedDisk disk) throws IOException {
        String name = names.get(number);
        if (disk.length() < format.diskBytes(settings)) {
            throw new IOException(name + " has shrunk to " + disk.length() + " bytes");
        }
        SharedDiskFormat.Found found = find(disk);
        if (found.problem() != null) {
            throw new IOException(name + " is no disk of this cluster any more: " + found.problem());
        }
        String problem = new FoundDisk(name, found, null).problem();
        if (problem != null) {
            throw new IOException(problem);
        }
        DiskLabel label = found.label();
        boolean isTheOne = label.diskId() == newest.diskIds().get(number);
        boolean isLater = label.number() == number && label.generation() > newest.generation();
        if (label.clusterId() != newest.clusterId() || !isTheOne && !isLater) {
            throw new IOException(name + " is another disk than disk " + (number + 1) + " of this cluster");
        }
        String outdated = outdated(name, label, newest);
        if (outdated != null) {
            throw new IOException(outdated);
        }
    }

    private SharedDiskFormat.Found find(SharedDisk disk) throws IOException {
        try {
            return format.find(new DiskBlocks(disk), settings);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
