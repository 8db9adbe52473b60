package io.chainkeeper.simulation.disk;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.DiskLabel;
import io.chainkeeper.ordering.SharedDiskFormat;
import io.chainkeeper.shareddisk.DiskBlocks;
import io.chainkeeper.shareddisk.DiskSource;
import io.chainkeeper.shareddisk.SharedDisk;
import io.chainkeeper.simulation.time.EventQueue;
import io.chainkeeper.simulation.time.Trace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The disks that all replicas of a run share, formatted, and the operator who replaces those that are lost: by what the
 * product's command does, and, as with that, anything may happen between two of its accesses, its own end included.
 * What is promised is kept: never is more than a minority lost that has not been replaced.
 */
public final class SharedDiskArray {
    /** The operator's machine, which is no replica. */
    private static final int OPERATOR = 0;

    private static final long CLUSTER = 0x4449534B;
    private static final int MAX_MICROS_PER_ACCESS = 4_000;
    private static final int ACCESSES_PER_END = 200;
    private static final long RETRY_MICROS = 50_000;

    private final List<SimulatedSharedDisk> disks = new ArrayList<>();
    private final SharedDiskFormat format;
    private final Map<String, String> settings;
    private final SplittableRandom random;
    private final EventQueue events;
    private final Trace trace;

    /** Number of the disks that were lost, and are not whole again. */
    private final List<Integer> lost = new ArrayList<>();

    private long lastId;
    private boolean isReplacing;
    private boolean calm;

    /** The operator's command has ended before its end. */
    private static final class CommandEnds extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /**
     * Adds to a protocol's settings the paths of disks, which are names only.
     *
     * @param count how many
     * @param format that knows the key; null if the protocol has no use for disks
     * @param given the other settings
     * @return all of them
     */
    public static Map<String, String> naming(int count, SharedDiskFormat format, Map<String, String> given) {
        Map<String, String> settings = new TreeMap<>(given);
        if (format != null) {
            settings.put(
                    format.pathsKey(),
                    IntStream.range(0, count).mapToObj(i -> "disk" + i).collect(Collectors.joining(",")));
        }
        return settings;
    }

    /**
     * Formats disks.
     *
     * @param count how many, odd
     * @param format what is on them; null if the protocol has no use for disks
     * @param settings of the protocol
     * @param random what is drawn; nothing if there is no disk
     * @param events virtual time
     * @param trace told of what becomes of disks
     * @return the disks, none without a format
     */
    public static SharedDiskArray of(
            int count,
            SharedDiskFormat format,
            Map<String, String> settings,
            SplittableRandom random,
            EventQueue events,
            Trace trace) {
        boolean hasAny = format != null;
        return new SharedDiskArray(hasAny ? count : 0, format, settings, hasAny ? random.split() : null, events, trace);
    }

    private SharedDiskArray(
            int count,
            SharedDiskFormat format,
            Map<String, String> settings,
            SplittableRandom random,
            EventQueue events,
            Trace trace) {
        this.format = format;
        this.settings = settings;
        this.random = random;
        this.events = events;
        this.trace = trace;
        List<Long> ids = new ArrayList<>();
        for (int number = 0; number < count; number++) {
            disks.add(new SimulatedSharedDisk("shared disk " + number, format.diskBytes(settings), random.split()));
            ids.add(++lastId);
        }
        for (int number = 0; number < count; number++) {
            DiskLabel label = new DiskLabel(CLUSTER, number, ids, 0, true);
            try {
                format.format(new DiskBlocks(disk(number).open(OPERATOR)), settings, label);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** How many there are. */
    public int count() {
        return disks.size();
    }

    /** One of them, by its number from 0. */
    public SimulatedSharedDisk disk(int number) {
        return disks.get(number);
    }

    // ---------------------------------------------------------------- servers

    /**
     * What a start of a server finds, as it looks at the disks before it begins.
     *
     * @param server replica id
     * @return opens each of them, and makes sure that it is the one that was found; null if so few can be used that the
     *     server refuses to start
     */
    public List<DiskSource> openFor(int server) {
        Map<Integer, DiskLabel> usable = usable(server);
        if (usable.size() <= count() / 2 && count() > 0) {
            trace.record(server, "does not start, shared disks that can be used:", usable.size(), null);
            return null;
        }
        List<DiskSource> sources = new ArrayList<>();
        DiskLabel newest = newest(usable);
        for (int number = 0; number < count(); number++) {
            int which = number;
            sources.add(() -> open(server, which, newest));
        }
        return sources;
    }

    private SharedDisk open(int server, int number, DiskLabel newest) throws IOException {
        SharedDisk disk = disk(number).open(server);
        try {
            DiskLabel label = format.find(new DiskBlocks(disk), settings).label();
            boolean isTheOne = label != null
                    && label.isWhole()
                    && label.diskId() == newest.diskIds().get(number);
            if (!isTheOne) {
                throw new IOException(disk(number) + " is another disk, or not filled yet");
            }
            return disk;
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** What those bear that answer, and are whole, and were not replaced; by their number. */
    private Map<Integer, DiskLabel> usable(int server) {
        Map<Integer, DiskLabel> all = new TreeMap<>();
        for (int number = 0; number < count(); number++) {
            try {
                DiskLabel label = format.find(new DiskBlocks(disk(number).open(server)), settings)
                        .label();
                if (label != null) {
                    all.put(number, label);
                }
            } catch (IOException | UncheckedIOException e) {
                // It does not answer, so it cannot be used.
            }
        }
        DiskLabel newest = newest(all);
        all.entrySet()
                .removeIf(each -> !each.getValue().isWhole()
                        || each.getValue().diskId() != newest.diskIds().get(each.getKey()));
        return all;
    }

    private static DiskLabel newest(Map<Integer, DiskLabel> labels) {
        DiskLabel newest = null;
        for (DiskLabel label : labels.values()) {
            newest = newest == null || label.generation() > newest.generation() ? label : newest;
        }
        return newest;
    }

    // ---------------------------------------------------------------- faults

    /** Of what was written and not forced, something arrives on each disk. */
    public void arriveLate() {
        disks.forEach(SimulatedSharedDisk::arriveLate);
    }

    /**
     * A disk is lost, and an empty one is in its place, unless too many are lost already.
     *
     * @param number of the disk, from 0
     * @param replacedAfterMicros when an operator begins to fill it
     */
    public void lose(int number, long replacedAfterMicros) {
        boolean mayBeLost = !lost.contains(number) && lost.size() < (count() - 1) / 2;
        if (mayBeLost) {
            trace.record(0, "lost is shared disk", number, null);
            lost.add(number);
            disk(number).replaceByEmpty();
            events.after(replacedAfterMicros, () -> replace(number));
        }
    }

    /** Faults have stopped: all answer, and an operator replaces those that are lost. */
    public void calm() {
        calm = true;
        for (SimulatedSharedDisk disk : disks) {
            disk.revive();
            disk.answerAll();
        }
    }

    // ---------------------------------------------------------------- the operator

    /**
     * An operator replaces a lost disk, and nothing goes wrong.
     *
     * @param number of the disk, from 0
     */
    public void replaceNow(int number) {
        calm = true;
        replace(number);
    }

    private void replace(int number) {
        if (!lost.contains(number)) {
            return;
        }
        boolean isDone = false;
        if (!isReplacing) {
            isReplacing = true;
            try {
                isDone = tryToReplace(number);
            } catch (CommandEnds e) {
                trace.record(0, "ends in the middle: the replacement of shared disk", number, null);
            } catch (IOException | UncheckedIOException e) {
                trace.record(0, "fails: the replacement of shared disk", number, e.getMessage());
            } finally {
                isReplacing = false;
            }
        }
        if (isDone) {
            lost.remove((Integer) number);
        } else {
            events.after(1 + random.nextLong(RETRY_MICROS), () -> replace(number));
        }
    }

    private boolean tryToReplace(int number) throws IOException {
        Map<Integer, DiskLabel> others = usable(OPERATOR);
        others.remove(number);
        if (others.size() < SharedDiskFormat.copiesNeeded(count())) {
            return false;
        }
        DiskLabel newest = newest(others);
        List<Long> ids = new ArrayList<>(newest.diskIds());
        ids.set(number, ++lastId);
        DiskLabel label = new DiskLabel(newest.clusterId(), number, ids, newest.generation() + 1, true);
        trace.record(0, "is replaced: shared disk", number, label);
        List<SharedDiskFormat.Blocks> sources = new ArrayList<>();
        for (int other : others.keySet()) {
            sources.add(new OperatorsBlocks(disk(other).open(OPERATOR)));
        }
        OperatorsBlocks target = new OperatorsBlocks(disk(number).open(OPERATOR));
        format.fence(sources, settings, label);
        format.fill(target, sources, settings, label);
        trace.record(0, "is filled: shared disk", number, null);
        return true;
    }

    /** Between two accesses others go on. */
    private final class OperatorsBlocks implements SharedDiskFormat.Blocks {
        private final DiskBlocks blocks;

        private OperatorsBlocks(SharedDisk disk) {
            this.blocks = new DiskBlocks(disk);
        }

        private void meanwhile() {
            long untilMicros = events.nowMicros() + random.nextInt(MAX_MICROS_PER_ACCESS);
            while (events.nowMicros() < untilMicros && events.step()) {
                // What happens meanwhile is checked where it happens.
            }
            if (!calm && random.nextInt(ACCESSES_PER_END) == 0) {
                throw new CommandEnds();
            }
        }

        @Override
        public ByteSlice read(long offset, int length) {
            meanwhile();
            return blocks.read(offset, length);
        }

        @Override
        public void write(long offset, ByteSlice bytes) {
            meanwhile();
            blocks.write(offset, bytes);
        }
    }
}
