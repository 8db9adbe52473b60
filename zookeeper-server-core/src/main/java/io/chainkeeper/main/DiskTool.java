package io.chainkeeper.main;

import io.chainkeeper.config.AtomicFile;
import io.chainkeeper.config.SharedDiskSettings;
import io.chainkeeper.config.UserMistakeException;
import io.chainkeeper.config.UserMistakeException.Exit;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.DiskLabel;
import io.chainkeeper.ordering.SharedDiskFormat;
import io.chainkeeper.ordering.SharedDiskFormat.Blocks;
import io.chainkeeper.ordering.SharedDiskFormat.Found;
import io.chainkeeper.ordering.UnreadableDiskException;
import io.chainkeeper.shareddisk.ChannelDisk;
import io.chainkeeper.shareddisk.DiskBlocks;
import io.chainkeeper.shareddisk.DiskComparison.FoundDisk;
import io.chainkeeper.shareddisk.DiskPaths;
import io.chainkeeper.shareddisk.DiskReplacement;
import io.chainkeeper.shareddisk.OutdatedDisks;
import io.chainkeeper.shareddisk.SharedDisk;
import io.chainkeeper.shareddisk.WrongDisksException;
import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;

/**
 * The disks of a zoo.cfg as a command uses them, which opens each when it is needed. Used by one thread; {@link
 * #inspect} has threads of its own.
 */
final class DiskTool implements Closeable {
    /** What file systems, volumes and partitions say of themselves stands in so many bytes at either end of a disk. */
    private static final int LOOKED_AT_BYTES = 1 << 20;

    /** How long a disk may owe an answer until it hangs, as for a server that runs. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final SharedDiskSettings settings;
    private final SharedDiskFormat format;
    private final boolean writes;
    private final Map<Integer, SharedDisk> open = new ConcurrentSkipListMap<>();
    private final Map<Integer, DiskAnswers> answers = new ConcurrentHashMap<>();
    private final Set<Integer> hanging = new HashSet<>();

    /** What {@link #inspect} has found of disks that are whole and in their places. */
    private final Map<Integer, DiskLabel> inspected = new ConcurrentSkipListMap<>();

    /**
     * @param settings name the disks
     * @param writes whether the command writes
     * @throws UserMistakeException if one disk is listed twice
     */
    DiskTool(SharedDiskSettings settings, boolean writes) throws UserMistakeException {
        this.settings = settings;
        this.format = settings.format();
        this.writes = writes;
        try {
            DiskPaths.checkDistinct(
                    settings.paths().stream().filter(Files::exists).toList());
        } catch (IOException e) {
            throw new UserMistakeException(Exit.INVALID_CONFIGURATION, settings.where() + ": " + e.getMessage());
        }
    }

    int count() {
        return settings.paths().size();
    }

    private Path path(int number) {
        return settings.paths().get(number);
    }

    private SharedDisk disk(int number) throws IOException {
        SharedDisk disk = open.get(number);
        if (disk == null) {
            disk = writes
                    ? ChannelDisk.open(path(number), settings.oneMachine())
                    : ChannelDisk.openToRead(path(number), settings.oneMachine());
            open.put(number, disk);
            if (disk.length() < settings.diskBytes()) {
                throw new IOException(path(number) + " has " + disk.length() + " bytes, and needs "
                        + settings.diskBytes() + "; give a larger disk, or lower the numbers in zoo.cfg");
            }
        }
        return disk;
    }

    private DiskAnswers answers(int number) {
        return answers.computeIfAbsent(number, any -> new DiskAnswers());
    }

    private Blocks blocks(int number) throws IOException {
        return answers(number).of(new DiskBlocks(disk(number)));
    }

    private Found find(int number) throws IOException {
        return format.find(blocks(number), settings.protocolSettings());
    }

    private boolean isToBeMade(int number) {
        return settings.oneMachine() && Files.notExists(path(number));
    }

    /** Refuses a disk that bears anything, wherever that usually stands. */
    void requireEmpty(int number) throws IOException {
        if (isToBeMade(number)) {
            return;
        }
        Found found = find(number);
        if (found.label() != null) {
            throw new IOException(path(number) + " is disk " + (found.label().number() + 1) + " of cluster "
                    + found.label().cluster() + "; nothing was changed. If that cluster is given up, clear the disk"
                    + " first: " + clearing(number));
        }
        requireZeros(number, 0);
        long end = disk(number).length() / SharedDisk.BLOCK_BYTES * SharedDisk.BLOCK_BYTES;
        requireZeros(number, Math.max(0, end - LOOKED_AT_BYTES));
    }

    private void requireZeros(int number, long from) throws IOException {
        long end = disk(number).length() / SharedDisk.BLOCK_BYTES * SharedDisk.BLOCK_BYTES;
        ByteSlice bytes = disk(number).read(from, (int) Math.min(LOOKED_AT_BYTES, end - from));
        for (int i = 0; i < bytes.length(); i++) {
            if (bytes.get(i) != 0) {
                throw new IOException(path(number) + " is not empty: byte " + (from + i)
                        + " is not zero, it may bear a file system or partitions; nothing was changed. If nobody needs"
                        + " what it holds, clear it first: " + clearing(number));
            }
        }
    }

    private String clearing(int number) {
        return "dd if=/dev/zero of=" + path(number) + " bs=1M (all of it)";
    }

    private void makeFile(int number) throws IOException {
        if (isToBeMade(number)) {
            try (RandomAccessFile file = new RandomAccessFile(path(number).toFile(), "rw")) {
                file.setLength(settings.diskBytes());
                file.getFD().sync();
                // What servers are promised by it must not be lost with its name.
                AtomicFile.forceDirectory(path(number).getParent());
            } catch (IOException e) {
                throw new IOException(path(number) + " cannot be made (" + e.getMessage() + ")", e);
            }
        }
    }

    void format(int number, DiskLabel label) throws IOException {
        makeFile(number);
        format.format(blocks(number), settings.protocolSettings(), label);
    }

    /** Finds two paths to one device, which nothing but what is on it can show. */
    void checkAreDifferent(DiskLabel label) throws IOException {
        for (int number = 0; number < count(); number++) {
            if (!label.ofDisk(number).equals(find(number).label())) {
                throw new IOException(path(number) + " does not hold what was written to it: another path of the list"
                        + " leads to the same disk. Clear the disks, correct the list, and format them again");
            }
        }
    }

    /** Returns how much damage there is; a disk that hangs is not waited for. */
    int inspect(int number, boolean mends, Consumer<String> lines) throws IOException {
        List<String> said = new ArrayList<>();
        Optional<Integer> damage = answers(number)
                .await("inspects-disk-" + (number + 1), () -> inspectNow(number, mends, said::add), PATIENCE);
        if (damage.isEmpty()) {
            hanging.add(number);
            lines.accept("UNUSABLE: it hangs, without an answer for " + PATIENCE.toSeconds()
                    + " s. The system may let this command end only when it answers");
            return 1;
        }
        said.forEach(lines);
        return damage.get();
    }

    private int inspectNow(int number, boolean mends, Consumer<String> lines) {
        try {
            Found found = find(number);
            if (found.label() == null) {
                lines.accept(found.isBlank() ? "empty" : "DAMAGE or something else: " + found.problem());
                return 1;
            }
            if (found.problem() != null) {
                lines.accept("not as zoo.cfg says: " + found.problem());
                return 1;
            }
            if (mends && (found.firstIsDamaged() || found.secondIsDamaged())) {
                format.mend(blocks(number), settings.protocolSettings());
                lines.accept("superblock mended by its other copy");
            }
            int damage = format.inspect(blocks(number), settings.protocolSettings(), lines);
            if (found.label().number() != number) {
                lines.accept("WRONG PLACE: listed as disk " + (number + 1));
                damage++;
            } else if (found.label().isWhole()) {
                inspected.put(number, found.label());
            }
            return damage;
        } catch (UncheckedIOException e) {
            lines.accept("UNUSABLE: " + e.getCause().getMessage());
            return 1;
        } catch (IOException e) {
            lines.accept("UNUSABLE: " + e.getMessage());
            return 1;
        }
    }

    /**
     * Finds disks that were away when another one was replaced, behind {@link #inspect} of all. Their labels are older.
     * Returns how many do not count.
     */
    int inspectGenerations(boolean mends, Consumer<String> lines) throws IOException {
        OutdatedDisks outdated = OutdatedDisks.of(inspected);
        int left = 0;
        for (int number : outdated.numbers()) {
            boolean isRaised = mends && raise(number, outdated.newest());
            left += isRaised ? 0 : 1;
            lines.accept(path(number)
                    + (isRaised
                            ? ": counts again, of generation "
                                    + outdated.newest().generation()
                            : ": does not count, it was away when another disk was replaced; let it count again:"
                                    + " zkDisk.sh inspect --mend"));
        }
        return left;
    }

    private boolean raise(int number, DiskLabel newest) throws IOException {
        Blocks disk = blocks(number);
        Optional<Boolean> isDone = answers(number)
                .await(
                        "raises-disk-" + (number + 1),
                        () -> {
                            format.raise(disk, settings.protocolSettings(), newest);
                            return true;
                        },
                        PATIENCE);
        if (isDone.isEmpty()) {
            hanging.add(number);
        }
        return isDone.isPresent();
    }

    /** What a disk can be replaced from. */
    DiskReplacement replacement(int number) throws IOException {
        List<FoundDisk> found = new ArrayList<>();
        for (int other = 0; other < count(); other++) {
            found.add(other == number ? new FoundDisk(path(other).toString(), null, "") : look(other));
        }
        try {
            return DiskReplacement.of(number, found);
        } catch (WrongDisksException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private FoundDisk look(int number) {
        String name = path(number).toString();
        try {
            return new FoundDisk(name, find(number), null);
        } catch (UncheckedIOException e) {
            return new FoundDisk(name, null, e.getCause().getMessage());
        } catch (IOException e) {
            return new FoundDisk(name, null, e.getMessage());
        }
    }

    /** Takes an empty disk, or one that was to be filled for the same place. */
    void requireReplaceable(int number, DiskLabel newest) throws IOException {
        DiskLabel label = isToBeMade(number) ? null : find(number).label();
        if (label != null && label.clusterId() == newest.clusterId() && label.number() == number) {
            if (!label.isWhole()) {
                return;
            }
            if (label.diskId() == newest.diskIds().get(number)) {
                throw new IOException(path(number) + " is disk " + (number + 1)
                        + " and whole: there is nothing to replace. If it fails, put an empty disk in its place");
            }
        }
        requireEmpty(number);
    }

    /** Returns bytes copied. */
    long replace(int number, List<Integer> others, DiskLabel label) throws IOException {
        makeFile(number);
        List<Blocks> sources = new ArrayList<>();
        for (int other : others) {
            sources.add(blocks(other));
        }
        Blocks target = blocks(number);
        format.fence(sources, settings.protocolSettings(), label);
        try {
            return format.fill(target, sources, settings.protocolSettings(), label);
        } catch (UnreadableDiskException e) {
            throw new IOException(
                    path(number) + " is not filled, because " + e.getMessage() + "; until it is, it does not count."
                            + " zkDisk.sh inspect says on which disk the damage is, if there is any; then run this"
                            + " again",
                    e);
        }
    }

    @Override
    public void close() throws IOException {
        for (Map.Entry<Integer, SharedDisk> each : open.entrySet()) {
            // To close what hangs waits for its answer.
            if (!hanging.contains(each.getKey())) {
                each.getValue().close();
            }
        }
    }
}
