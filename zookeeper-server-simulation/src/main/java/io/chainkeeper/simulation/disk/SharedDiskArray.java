package io.chainkeeper.simulation.disk;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.DiskLabel;
import io.chainkeeper.ordering.SharedDiskFormat;
import io.chainkeeper.shareddisk.DiskBlocks;
import io.chainkeeper.shareddisk.DiskComparison;
import io.chainkeeper.shareddisk.DiskComparison.FoundDisk;
import io.chainkeeper.shareddisk.DiskReplacement;
import io.chainkeeper.shareddisk.DiskSource;
import io.chainkeeper.shareddisk.OutdatedDisks;
import io.chainkeeper.shareddisk.SharedDisk;
import io.chainkeeper.shareddisk.WrongDisksException;
import io.chainkeeper.simulation.time.EventQueue;
import io.chainkeeper.simulation.time.Trace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
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

    /** A ring of disks is thousands of accesses; behind the last fault two replacements are over in a few seconds. */
    private static final int CALM_HASTE = 20;

    private static final int MAX_MICROS_PER_ACCESS = 4_000;
    private static final int ACCESSES_PER_END = 200;
    private static final long RETRY_MICROS = 50_000;
    private static final long UNTIL_MENDED_MICROS = 1_000_000;

    private static final long OTHER_CLUSTER = CLUSTER + 1;

    private final List<SimulatedSharedDisk> disks = new ArrayList<>();
    private final SharedDiskFormat format;
    private final Map<String, String> settings;
    private final SplittableRandom random;
    private final EventQueue events;
    private final Trace trace;

    /** Servers whose directories say which cluster their disks are of. */
    private final Set<Integer> knowing = new TreeSet<>();

    /** What is found in the place of some disks, by number: disks of another cluster. */
    private final Map<Integer, SimulatedSharedDisk> strangers = new TreeMap<>();

    /** Number of the disks that were lost, and are not whole again. */
    private final List<Integer> lost = new ArrayList<>();

    /** Disks that were away when another one was replaced, until the operator has mended them. */
    private final Set<Integer> away = new TreeSet<>();

    /** Those that never answer again. */
    private final Set<Integer> gone = new TreeSet<>();

    private long lastId;
    private boolean isBusy;
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
        SplittableRandom drawn = hasAny ? random.split() : null;
        return new SharedDiskArray(hasAny ? count : 0, format, settings, drawn, events, trace);
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
            format(disk(number), new DiskLabel(CLUSTER, number, ids, 0, true));
        }
    }

    private void format(SimulatedSharedDisk disk, DiskLabel label) {
        try {
            format.format(new DiskBlocks(disk.open(OPERATOR)), settings, label);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
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
     * @return opens each of them, and makes sure that it is the one that was found; null if the server refuses to
     *     start: so few can be used, or one is of another cluster
     */
    public List<DiskSource> openFor(int server) {
        if (count() == 0) {
            return List.of();
        }
        DiskComparison comparison;
        try {
            comparison = compare(server);
        } catch (WrongDisksException e) {
            trace.record(server, "does not start", 0, e.getMessage());
            return null;
        }
        knowing.add(server);
        List<DiskSource> sources = new ArrayList<>();
        for (int number = 0; number < count(); number++) {
            int which = number;
            sources.add(() -> open(server, which, comparison));
        }
        return sources;
    }

    private DiskComparison compare(int server) throws WrongDisksException {
        OptionalLong known = knowing.contains(server) ? OptionalLong.of(CLUSTER) : OptionalLong.empty();
        return DiskComparison.of(format, settings, lookAtAll(server), known);
    }

    private List<FoundDisk> lookAtAll(int server) {
        return IntStream.range(0, count())
                .mapToObj(number -> look(server, number))
                .toList();
    }

    private FoundDisk look(int server, int number) {
        String name = disk(number).toString();
        try {
            return new FoundDisk(
                    name, format.find(new DiskBlocks(inPlaceOf(number).open(server)), settings), null);
        } catch (IOException e) {
            return new FoundDisk(name, null, e.getMessage());
        } catch (UncheckedIOException e) {
            return new FoundDisk(name, null, e.getCause().getMessage());
        }
    }

    private SharedDisk open(int server, int number, DiskComparison comparison) throws IOException {
        SharedDisk disk = inPlaceOf(number).open(server);
        comparison.check(number, disk);
        return disk;
    }

    private SimulatedSharedDisk inPlaceOf(int number) {
        return strangers.getOrDefault(number, disk(number));
    }

    /** A server's directory is lost, and what it knows of the disks with it. */
    public void forget(int server) {
        knowing.remove(server);
    }

    // ---------------------------------------------------------------- faults

    /** Of what was written and not forced, something arrives on each disk; whether there was anything. */
    public boolean arriveLate() {
        boolean arrives = false;
        for (SimulatedSharedDisk disk : disks) {
            arrives |= disk.arriveLate();
        }
        return arrives;
    }

    /**
     * A disk is lost, and an empty one is in its place, unless too many are lost already.
     *
     * @param number of the disk, from 0
     * @param replacedAfterMicros when an operator begins to fill it
     * @return whether it is lost now, and was not before
     */
    public boolean lose(int number, long replacedAfterMicros) {
        boolean mayBeLost = maySuffer(number);
        if (mayBeLost) {
            trace.record(0, "lost is shared disk", number, null);
            lost.add(number);
            disk(number).replaceByEmpty();
            events.after(replacedAfterMicros, () -> replace(number));
        }
        return mayBeLost;
    }

    private boolean maySuffer(int number) {
        boolean isThere = !lost.contains(number) && !gone.contains(number);
        return isThere && lost.size() + gone.size() < (count() - 1) / 2;
    }

    /**
     * A disk never answers anybody again, unless too many do not.
     *
     * @param number of the disk, from 0
     * @param hangs whether it gives no answer instead of refusing; then replicas are not told here
     * @return whether it is gone
     */
    public boolean leave(int number, boolean hangs) {
        if (!maySuffer(number) || strangers.containsKey(number)) {
            return false;
        }
        trace.record(0, "is gone for good: shared disk", number, hangs ? "it hangs" : "it refuses");
        gone.add(number);
        if (hangs) {
            disk(number).hang(OPERATOR, true);
        } else {
            disk(number).dieForGood();
        }
        return true;
    }

    /**
     * A disk of another cluster of the same kind is found in the place of a disk for a while. Who had that one open
     * must open it again.
     *
     * @param number of the disk, from 0
     * @param micros for so long
     * @param saysSo whether it says that it is another cluster's; if not, it passes for the right one
     * @return whether it is exchanged now, and was not before
     */
    public boolean exchange(int number, long micros, boolean saysSo) {
        if (strangers.containsKey(number) || gone.contains(number)) {
            return false;
        }
        trace.record(0, "is exchanged for a disk of another cluster: shared disk", number, null);
        SimulatedSharedDisk stranger =
                new SimulatedSharedDisk("a disk of another cluster", format.diskBytes(settings), random.split());
        format(stranger, labelOfStranger(number, saysSo));
        strangers.put(number, stranger);
        disk(number).unplug();
        events.after(micros, () -> putBack(number));
        return true;
    }

    private DiskLabel labelOfStranger(int number, boolean saysSo) {
        FoundDisk inPlace = look(OPERATOR, number);
        DiskLabel own = inPlace.found() == null ? null : inPlace.found().label();
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < count(); i++) {
            ids.add(++lastId);
        }
        DiskLabel strange = new DiskLabel(OTHER_CLUSTER, number, ids, 0, true);
        return saysSo || own == null ? strange : own;
    }

    private void putBack(int number) {
        SimulatedSharedDisk stranger = strangers.remove(number);
        if (stranger != null) {
            trace.record(0, "is back in its place: shared disk", number, null);
            stranger.unplug();
        }
    }

    /** Faults have stopped: all answer, and an operator replaces those that are lost and mends those that were away. */
    public void calm() {
        calm = true;
        for (SimulatedSharedDisk disk : disks) {
            disk.revive();
            disk.answerAll();
        }
        List.copyOf(strangers.keySet()).forEach(this::putBack);
        if (!away.isEmpty()) {
            events.after(1, this::mend);
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

    /** Whether none is lost, or all that were are replaced and filled to the end, and those count that were away. */
    public boolean areWhole() {
        return lost.isEmpty() && away.isEmpty();
    }

    private void replace(int number) {
        if (!lost.contains(number)) {
            return;
        }
        if (isDone("the replacement of shared disk", number, () -> tryToReplace(number))) {
            lost.remove((Integer) number);
        } else {
            events.after(1 + random.nextLong(RETRY_MICROS), () -> replace(number));
        }
    }

    /** What an operator tells the product's command to do, one thing after the other. */
    @FunctionalInterface
    private interface Errand {
        boolean run() throws IOException;
    }

    private boolean isDone(String what, int number, Errand errand) {
        boolean isDone = false;
        if (!isBusy) {
            isBusy = true;
            try {
                isDone = errand.run();
            } catch (CommandEnds e) {
                trace.record(0, "ends in the middle: " + what, number, null);
            } catch (IOException | UncheckedIOException e) {
                trace.record(0, "fails: " + what, number, e.getMessage());
            } finally {
                isBusy = false;
            }
        }
        return isDone;
    }

    private boolean tryToReplace(int number) throws IOException {
        DiskReplacement replacement;
        try {
            replacement = DiskReplacement.of(number, lookAtAll(OPERATOR));
        } catch (WrongDisksException e) {
            return false;
        }
        DiskLabel label = replacement.label(++lastId);
        trace.record(0, "is replaced: shared disk", number, label);
        List<SharedDiskFormat.Blocks> sources = new ArrayList<>();
        for (int other : replacement.others()) {
            sources.add(new OperatorsBlocks(disk(other).open(OPERATOR)));
        }
        OperatorsBlocks target = new OperatorsBlocks(disk(number).open(OPERATOR));
        format.fence(sources, settings, label);
        format.fill(target, sources, settings, label);
        trace.record(0, "is filled: shared disk", number, null);
        IntStream.range(0, count()).forEach(away::add);
        away.removeAll(replacement.others());
        away.remove(number);
        if (!away.isEmpty()) {
            events.after(random.nextLong(UNTIL_MENDED_MICROS), this::mend);
        }
        return true;
    }

    private void mend() {
        away.removeIf(number -> gone.contains(number) || lost.contains(number));
        for (int number : List.copyOf(away)) {
            if (strangers.isEmpty() && isDone("the mending of shared disk", number, () -> tryToMend(number))) {
                away.remove(number);
            }
        }
        if (!away.isEmpty()) {
            events.after(1 + random.nextLong(RETRY_MICROS), this::mend);
        }
    }

    private boolean tryToMend(int number) throws IOException {
        Map<Integer, DiskLabel> whole = new TreeMap<>();
        for (int other = 0; other < count(); other++) {
            FoundDisk found = look(OPERATOR, other);
            DiskLabel label = found.found() == null ? null : found.found().label();
            if (label != null && label.isWhole()) {
                whole.put(other, label);
            }
        }
        OutdatedDisks outdated = OutdatedDisks.of(whole);
        if (outdated.numbers().contains(number)) {
            format.raise(new OperatorsBlocks(disk(number).open(OPERATOR)), settings, outdated.newest());
            trace.record(0, "counts again: shared disk", number, outdated.newest());
        }
        return whole.containsKey(number);
    }

    /** Between two accesses others go on. */
    private final class OperatorsBlocks implements SharedDiskFormat.Blocks {
        private final DiskBlocks blocks;

        private OperatorsBlocks(SharedDisk disk) {
            this.blocks = new DiskBlocks(disk);
        }

        private void meanwhile() {
            long micros = random.nextInt(MAX_MICROS_PER_ACCESS);
            long untilMicros = events.nowMicros() + (calm ? micros / CALM_HASTE : micros);
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
