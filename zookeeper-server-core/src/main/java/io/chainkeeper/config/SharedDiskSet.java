package io.chainkeeper.config;

import io.chainkeeper.config.UserMistakeException.Exit;
import io.chainkeeper.ordering.DiskLabel;
import io.chainkeeper.ordering.SharedDiskFormat;
import io.chainkeeper.shareddisk.ChannelDisk;
import io.chainkeeper.shareddisk.DiskBlocks;
import io.chainkeeper.shareddisk.DiskComparison;
import io.chainkeeper.shareddisk.DiskComparison.FoundDisk;
import io.chainkeeper.shareddisk.DiskPaths;
import io.chainkeeper.shareddisk.DiskSource;
import io.chainkeeper.shareddisk.NotDirectException;
import io.chainkeeper.shareddisk.SharedDisk;
import io.chainkeeper.shareddisk.WrongDisksException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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
    private final DiskComparison comparison;

    private SharedDiskSet(SharedDiskSettings settings, DiskComparison comparison) {
        this.settings = settings;
        this.comparison = comparison;
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
        List<FoundDisk> found = lookAtAll(settings);
        OptionalLong knownCluster = known == null ? OptionalLong.empty() : OptionalLong.of(known.clusterId());
        try {
            DiskComparison comparison =
                    DiskComparison.of(settings.format(), settings.protocolSettings(), found, knownCluster);
            return new SharedDiskSet(settings, comparison);
        } catch (WrongDisksException e) {
            throw refusal(settings, e.getMessage());
        }
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

    private static List<FoundDisk> lookAtAll(SharedDiskSettings settings) throws UserMistakeException {
        List<Callable<FoundDisk>> looks = new ArrayList<>();
        for (Path path : settings.paths()) {
            looks.add(() -> look(settings, path));
        }
        long began = System.nanoTime();
        List<FutureTask<FoundDisk>> tasks =
                DiskProbe.look(looks, DiskProbe.PATIENCE, DiskProbe.LIMIT, late -> sayWhatIsWaitedFor(settings, late));
        Duration waited = Duration.ofNanos(System.nanoTime() - began);
        List<FoundDisk> all = new ArrayList<>();
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

    private static FoundDisk looked(FutureTask<FoundDisk> task, Path path, Duration waited)
            throws UserMistakeException {
        if (!task.isDone()) {
            String failure = path + " has not answered for " + waited.toSeconds() + " s";
            return new FoundDisk(path.toString(), null, failure);
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

    private static FoundDisk look(SharedDiskSettings settings, Path path) throws UserMistakeException {
        try (SharedDisk disk = ChannelDisk.openToRead(path, settings.oneMachine())) {
            if (disk.length() < settings.diskBytes()) {
                throw refusal(
                        settings,
                        path + " has " + disk.length() + " bytes, and needs " + settings.diskBytes()
                                + "; give it its size back, or a larger disk its place (" + REPLACE + ")");
            }
            SharedDiskFormat.Found found = settings.format().find(new DiskBlocks(disk), settings.protocolSettings());
            return new FoundDisk(path.toString(), found, null);
        } catch (UserMistakeException e) {
            throw e;
        } catch (NotDirectException e) {
            throw refusal(settings, e.getMessage());
        } catch (UncheckedIOException e) {
            return new FoundDisk(path.toString(), null, e.getCause().getMessage());
        } catch (IOException e) {
            return new FoundDisk(path.toString(), null, e.getMessage());
        }
    }

    /** @return what the disks bear, of the latest generation that there is */
    public DiskLabel label() {
        return comparison.newest();
    }

    /**
     * Looks whether the order on the disks knows a server.
     *
     * @param replicaId the server
     * @return whether it has written to one of those that can be used
     * @throws IOException if one of these cannot be read any more; one line
     */
    public boolean isUsedBy(int replicaId) throws IOException {
        for (int number = 0; number < settings.paths().size(); number++) {
            if (comparison.problem(number) == null && isUsedBy(settings.paths().get(number), replicaId)) {
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
        return IntStream.range(0, settings.paths().size())
                .mapToObj(comparison::problem)
                .filter(Objects::nonNull)
                .toList();
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
            comparison.check(number, disk);
            SharedDisk opened = disk;
            disk = null;
            return opened;
        } finally {
            if (disk != null) {
                disk.close();
            }
        }
    }
}
