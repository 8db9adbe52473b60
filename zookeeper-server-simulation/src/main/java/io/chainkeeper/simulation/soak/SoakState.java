package io.chainkeeper.simulation.soak;

import io.chainkeeper.simulation.StateCoverage;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a soak remembers, in files of its directory that are replaced as a whole: which seeds were run, which were begun
 * and not finished, what they amounted to, and which states they covered. Used by one thread at a time.
 */
final class SoakState {
    private static final String COUNTS = "soak.txt";
    private static final String STATES = "states.bits";
    private static final String VERSION = "soak 2";
    private static final int SLOWEST = 20;

    /** A seed of a protocol under an application. */
    record Seed(String protocol, String application, long seed) implements Comparable<Seed> {
        private static final Comparator<Seed> ORDER = Comparator.comparing(Seed::protocol)
                .thenComparing(Seed::application)
                .thenComparingLong(Seed::seed);

        @Override
        public int compareTo(Seed other) {
            return ORDER.compare(this, other);
        }

        String line() {
            return protocol + " " + application + " " + seed;
        }

        /** @param words what {@link #line} has made, split at spaces, from the given place on */
        static Seed read(String[] words, int from) {
            return new Seed(words[from], words[from + 1], Long.parseLong(words[from + 2]));
        }
    }

    /** A seed that passed, and how long it took after its last fault. */
    record Settled(long micros, Seed seed) implements Comparable<Settled> {
        private static final Comparator<Settled> LONGEST_FIRST =
                Comparator.comparingLong(Settled::micros).reversed().thenComparing(Settled::seed);

        @Override
        public int compareTo(Settled other) {
            return LONGEST_FIRST.compare(this, other);
        }
    }

    private final Path directory;
    private final Map<String, Work> works = new TreeMap<>();
    private final TreeSet<Seed> running = new TreeSet<>();
    private final TreeSet<Seed> unfinished = new TreeSet<>();
    private final TreeSet<Settled> slowest = new TreeSet<>();
    private final List<String> failures = new ArrayList<>();
    private BitSet states = new BitSet(StateCoverage.HASHES);
    private long firstSeed;

    private SoakState(Path directory, long firstSeed) {
        this.directory = directory;
        this.firstSeed = firstSeed;
    }

    /**
     * What the directory holds, or the beginning of a soak.
     *
     * @param directory is made if it is not there
     * @param firstSeed of a new soak
     * @return the state
     * @throws IOException if files cannot be read or are of something else
     */
    static SoakState open(Path directory, long firstSeed) throws IOException {
        Files.createDirectories(directory);
        SoakState state = new SoakState(directory, firstSeed);
        if (Files.exists(directory.resolve(COUNTS))) {
            state.read(Files.readAllLines(directory.resolve(COUNTS)));
        }
        if (Files.exists(directory.resolve(STATES))) {
            state.states = BitSet.valueOf(Files.readAllBytes(directory.resolve(STATES)));
        }
        return state;
    }

    private void read(List<String> lines) throws IOException {
        if (lines.isEmpty() || !lines.get(0).equals(VERSION)) {
            throw new IOException(directory.resolve(COUNTS) + " is not of a soak that this version can go on with");
        }
        for (String line : lines.subList(1, lines.size())) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "first" -> firstSeed = Long.parseLong(words[1]);
                case "work" -> work(words[1], words[2]).read(words, 3);
                case "begun" -> unfinished.add(Seed.read(words, 1));
                case "settled" -> slowest.add(new Settled(Long.parseLong(words[1]), Seed.read(words, 2)));
                case "failed" -> failures.add(line.substring("failed ".length()));
                default -> throw new IOException("unknown line in " + directory.resolve(COUNTS) + ": " + line);
            }
        }
    }

    /** Writes everything, so that a soak that ends at any moment can be resumed. */
    void save() throws IOException {
        List<String> lines = new ArrayList<>(List.of(VERSION, "first " + firstSeed));
        works.values().forEach(work -> lines.add("work " + work.name() + " " + work.text()));
        running.forEach(seed -> lines.add("begun " + seed.line()));
        unfinished.forEach(seed -> lines.add("begun " + seed.line()));
        slowest.forEach(settled ->
                lines.add("settled " + settled.micros() + " " + settled.seed().line()));
        failures.forEach(failure -> lines.add("failed " + failure));
        replace(STATES, states.toByteArray());
        replace(COUNTS, (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private void replace(String name, byte[] content) throws IOException {
        Path temporary = directory.resolve(name + ".new");
        Files.write(temporary, content);
        try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
        Files.move(temporary, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }

    /** The work of a protocol under an application. */
    Work work(String protocol, String application) {
        return works.computeIfAbsent(protocol + " " + application, name -> new Work(protocol, application, firstSeed));
    }

    Iterable<Work> works() {
        return works.values();
    }

    /**
     * A seed to run next: one that was begun and not finished, or a fresh one of the work that has had the least time.
     *
     * @param among names of the works to choose from
     */
    Seed begin(List<String> among) {
        Seed left = unfinished.stream()
                .filter(seed -> among.contains(seed.protocol() + " " + seed.application()))
                .findFirst()
                .orElse(null);
        if (left != null) {
            unfinished.remove(left);
            running.add(left);
            work(left.protocol(), left.application()).running++;
            return left;
        }
        Work least = among.stream()
                .map(works::get)
                .min(Comparator.comparingDouble(Work::cost))
                .orElseThrow();
        least.running++;
        Seed fresh = new Seed(least.protocol, least.application, least.nextSeed++);
        running.add(fresh);
        return fresh;
    }

    /** A seed was run to its end. */
    void finished(Seed seed, Report report) {
        running.remove(seed);
        Work work = work(seed.protocol(), seed.application());
        work.running--;
        work.add(report);
        for (int hash : report.states()) {
            states.set(hash);
        }
        if (!report.failure().isEmpty()) {
            failures.add(seed.line() + " " + report.failure());
        }
        slowest.add(new Settled(report.settlingMicros(), seed));
        if (slowest.size() > SLOWEST) {
            slowest.pollLast();
        }
    }

    /** The seeds that came closest to the time that a run waits after its last fault, the slowest first. */
    Iterable<Settled> slowest() {
        return slowest;
    }

    /** How many different coarse states were seen. */
    int statesCovered() {
        return states.cardinality();
    }

    /** One line for each seed that failed. */
    List<String> failures() {
        return failures;
    }
}
