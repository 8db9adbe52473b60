package io.chainkeeper.config;

import io.chainkeeper.config.UserMistakeException.Exit;
import io.chainkeeper.ordering.DiskLabel;
import io.chainkeeper.ordering.SharedDiskFormat;
import io.chainkeeper.shareddisk.ChannelDisk;
import io.chainkeeper.shareddisk.DiskBlocks;
import io.chainkeeper.shareddisk.DiskPaths;
import io.chainkeeper.shareddisk.DiskSource;
import io.chainkeeper.shareddisk.NotDirectException;
import io.chainkeeper.shareddisk.SharedDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shared disks of a server as they are found: those that can be used, and what is wrong with the others. To look
 * writes nothing. One that hangs is one that cannot be used ({@link DiskProbe}). Immutable.
 */
public final class SharedDiskSet {
    private static final Logger LOG = LoggerFactory.getLogger(SharedDiskSet.class);
    private static final String REPLACE = "zkDisk.sh replace";

    private final SharedDiskSettings settings;
    private final DiskLabel newest;
    private final List<String> problems;

    private SharedDiskSet(SharedDiskSettings settings, DiskLabel newest, List<String> problems) {
        this.settings = settings;
        this.newest = newest;
        this.problems = problems;
    }

    /** @param problem why a disk is not used, one line; null if it is */
    private record Looked(SharedDiskFormat.Found found, String problem) {
        boolean isUsed() {
            return problem == null;
        }
    }

    /**
     * Looks at the disks. Says in the log, once, if a majority has not answered in time and is waited for.
     *
     * @param settings what the zoo.cfg says
     * @param known which disks the server's directory has been used with, null if with none
     * @return the disks: a majority can be used
     * @throws UserMistakeException if a disk bears something else, or is not the one that the list says, or fewer than
     *     a majority can be used; one line
     */
    public static SharedDiskSet find(SharedDiskSettings settings, KnownDisks known) throws UserMistakeException {
        checkDistinct(settings);
        List<Looked> all = lookAtAll(settings);
        if (all.stream().allMatch(each -> each.found() != null && each.found().isBlank())) {
            throw refusal(settings, "these disks are empty; format them for this cluster: zkDisk.sh format");
        }
        DiskLabel newest = newest(all);
        if (newest != null) {
            for (int number = 0; number < all.size(); number++) {
                all.set(number, compared(settings, number, all.get(number), newest, known));
            }
        }
        List<String> problems = all.stream().map(Looked::problem).toList();
        long used = all.stream().filter(Looked::isUsed).count();
        if (used <= all.size() / 2) {
            String first = all.stream()
                    .map(Looked::problem)
                    .filter(problem -> problem != null)
                    .findFirst()
                    .orElse("");
            throw refusal(
                    settings,
                    "of " + all.size() + " disks " + used + " can be used, a majority is needed. First problem: "
                            + first);
        }
        return new SharedDiskSet(settings, newest, problems);
    }

    private static UserMistakeException refusal(SharedDiskSettings settings, String problem) {
        return new UserMistakeException(Exit.CANNOT_START, settings.where() + ": " + problem);
    }

    private static void checkDistinct(SharedDiskSettings settings) throws UserMistakeException {
        try {
            DiskPaths.checkDistinct(
                    settings.paths().stream().filter(Files::exists).toList());
        } catch (IOException e) {
            throw UserMistakeException.inConfiguration("%s: %s", settings.where(), e.getMessage());
        }
    }

    private static List<Looked> lookAtAll(SharedDiskSettings settings) throws UserMistakeException {
        List<Callable<Looked>> looks = new ArrayList<>();
        for (Path path : settings.paths()) {
            looks.add(() -> look(settings, path));
        }
        long began = System.nanoTime();
        List<FutureTask<Looked>> tasks =
                DiskProbe.look(looks, DiskProbe.PATIENCE, DiskProbe.LIMIT, late -> sayWhatIsWaitedFor(settings, late));
        Duration waited = Duration.ofNanos(System.nanoTime() - began);
        List<Looked> all = new ArrayList<>();
        for (int number = 0; number < tasks.size(); number++) {
            all.add(looked(tasks.get(number), settings.paths().get(number), waited));
        }
        return all;
    }

    private static void sayWhatIsWaitedFor(SharedDiskSettings settings, List<Integer> late) {
        LOG.warn(
                "Of {} shared disks {} have not answered for {} s: {}. Without a majority this server cannot start; it"
                        + " is waited for, {} s in all",
                settings.paths().size(),
                late.size(),
                DiskProbe.PATIENCE.toSeconds(),
                late.stream()
                        .map(number -> settings.paths().get(number).toString())
                        .collect(Collectors.joining(", ")),
                DiskProbe.LIMIT.toSeconds());
    }

    private static Looked looked(FutureTask<Looked> task, Path path, Duration waited) throws UserMistakeException {
        if (!task.isDone()) {
            return new Looked(null, path + " has not answered for " + waited.toSeconds() + " s");
        }
        try {
            return task.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UserMistakeException mistake) {
                throw mistake;
            }
            throw new IllegalStateException(path + " was not looked at because of a defect", e.getCause());
        } catch (InterruptedException e) {
            throw new IllegalStateException("what is done is not waited for", e);
        }
    }

    private static Looked look(SharedDiskSettings settings, Path path) throws UserMistakeException {
        try (SharedDisk disk = ChannelDisk.openToRead(path, settings.oneMachine())) {
            if (disk.length() < settings.diskBytes()) {
                throw refusal(
                        settings,
                        path + " has " + disk.length() + " bytes, and needs " + settings.diskBytes()
                                + "; give it its size back, or a larger disk its place (" + REPLACE + ")");
            }
            SharedDiskFormat.Found found = settings.format().find(new DiskBlocks(disk), settings.protocolSettings());
            if (found.problem() != null) {
                throw refusal(
                        settings,
                        path + " is no disk of this cluster: " + found.problem()
                                + "; nothing was changed on it. Correct the list");
            }
            return new Looked(found, problem(path, found));
        } catch (UserMistakeException e) {
            throw e;
        } catch (NotDirectException e) {
            throw refusal(settings, e.getMessage());
        } catch (UncheckedIOException e) {
            return new Looked(null, e.getCause().getMessage());
        } catch (IOException e) {
            return new Looked(null, e.getMessage());
        }
    }

    private static String problem(Path path, SharedDiskFormat.Found found) {
        if (found.isBlank()) {
            return path + " is empty; give it the place of the one that it stands for: " + REPLACE;
        }
        if (!found.label().isWhole()) {
            return path + " was not filled to the end; do that: " + REPLACE;
        }
        if (found.firstIsDamaged()) {
            return path + " has a damaged first block, and the copy is whole; mend it: zkDisk.sh inspect --mend";
        }
        return null;
    }

    private static DiskLabel newest(List<Looked> all) {
        DiskLabel newest = null;
        for (Looked each : all) {
            DiskLabel label = each.found() == null ? null : each.found().label();
            if (label != null && (newest == null || label.generation() > newest.generation())) {
                newest = label;
            }
        }
        return newest;
    }

    private static Looked compared(
            SharedDiskSettings settings, int number, Looked looked, DiskLabel newest, KnownDisks known)
            throws UserMistakeException {
        DiskLabel label = looked.found() == null ? null : looked.found().label();
        if (label == null) {
            return looked;
        }
        Path path = settings.paths().get(number);
        if (known != null && known.clusterId() != label.clusterId()) {
            throw refusal(
                    settings,
                    path + " bears cluster " + label.cluster() + ", but this server's directory belongs"
                            + " to the disks of cluster " + newestName(known) + "; correct the list");
        }
        if (label.clusterId() != newest.clusterId()) {
            throw refusal(
                    settings,
                    path + " bears cluster " + label.cluster() + ", and others bear " + newest.cluster()
                            + "; list the disks of one cluster");
        }
        if (label.diskIds().size() != settings.paths().size()) {
            throw refusal(
                    settings,
                    path + " is one of " + label.diskIds().size() + " disks, and "
                            + settings.paths().size() + " are listed; list all disks of the cluster, and no others");
        }
        if (label.number() != number) {
            throw refusal(
                    settings,
                    path + " is disk " + (label.number() + 1) + " of its cluster and listed as disk " + (number + 1)
                            + "; list the disks in the order in which they were formatted");
        }
        if (looked.isUsed() && label.diskId() != newest.diskIds().get(number)) {
            return new Looked(looked.found(), path + " was replaced by another disk; list that one in its place");
        }
        return looked;
    }

    private static String newestName(KnownDisks known) {
        return String.format("%016x", known.clusterId());
    }

    /** @return what the disks bear, of the latest generation that there is */
    public DiskLabel label() {
        return newest;
    }

    /**
     * Looks whether the order on the disks knows a server.
     *
     * @param replicaId the server
     * @return whether it has written to one of those that can be used
     * @throws IOException if none of them can be read any more; one line
     */
    public boolean isUsedBy(int replicaId) throws IOException {
        for (int number = 0; number < problems.size(); number++) {
            if (problems.get(number) == null && isUsedBy(settings.paths().get(number), replicaId)) {
                return true;
            }
        }
        return false;
    }

    private boolean isUsedBy(Path path, int replicaId) throws IOException {
        try (SharedDisk disk = ChannelDisk.openToRead(path, settings.oneMachine())) {
            return settings.format().isUsedBy(new DiskBlocks(disk), settings.protocolSettings(), replicaId);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** @return what is wrong with the disks that are not used, a line for each */
    public List<String> problems() {
        return problems.stream().filter(problem -> problem != null).toList();
    }

    /** @return what opens the disks, in their order: also those that cannot be used yet */
    public List<DiskSource> sources() {
        List<DiskSource> sources = new ArrayList<>();
        for (int number = 0; number < settings.paths().size(); number++) {
            int which = number;
            sources.add(() -> open(which));
        }
        return sources;
    }

    private SharedDisk open(int number) throws IOException {
        Path path = settings.paths().get(number);
        SharedDisk disk = ChannelDisk.open(path, settings.oneMachine());
        try {
            check(path, number, disk);
            SharedDisk opened = disk;
            disk = null;
            return opened;
        } catch (UncheckedIOException e) {
            throw e.getCause();
        } finally {
            if (disk != null) {
                disk.close();
            }
        }
    }

    private void check(Path path, int number, SharedDisk disk) throws IOException {
        if (disk.length() < settings.diskBytes()) {
            throw new IOException(path + " has shrunk to " + disk.length() + " bytes");
        }
        SharedDiskFormat.Found found = settings.format().find(new DiskBlocks(disk), settings.protocolSettings());
        if (found.problem() != null) {
            throw new IOException(path + " is no disk of this cluster any more: " + found.problem());
        }
        String problem = problem(path, found);
        if (problem != null) {
            throw new IOException(problem);
        }
        DiskLabel label = found.label();
        if (label.clusterId() != newest.clusterId()
                || label.diskId() != newest.diskIds().get(number)) {
            throw new IOException(path + " is another disk than disk " + (number + 1) + " of this cluster");
        }
    }
}
