package io.chainkeeper.simulation.soak;

import io.chainkeeper.simulation.Protocols;
import io.chainkeeper.simulation.swarm.FaultCount;
import io.chainkeeper.simulation.swarm.SimulatedApplication;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The command behind {@code bin/simulate.sh --soak}: runs seeds in one process per core, which share nothing, so that
 * what ZooKeeper keeps in static fields is each one's own.
 *
 * <pre>
 * --seconds N        how long, default 3600; seeds that run then are finished
 * --directory DIR    where it remembers what it has run, and leaves stories of seeds that fail; default soak. A soak
 *                    goes on where the last one of this directory stopped: no seed is counted twice
 * --seed N           first seed of a new soak; default: drawn from the clock
 * --protocols P,..   default: all
 * --applications A,..  default: all
 * --workers W        processes, default one per core
 * --heap SIZE        of each worker, default 1g
 * </pre>
 *
 * Exit code 0: no seed has failed; 1: one has, now or earlier; 2: wrong arguments.
 */
public final class Soak {
    private static final long LINE_SECONDS = 10;
    private static final int MEBIBYTE = 1 << 20;
    private static final double MICROS_PER_SECOND = 1e6;

    private final List<String> works = new ArrayList<>();
    private final List<SoakProcess> processes = new ArrayList<>();
    private List<String> protocols = List.copyOf(Protocols.all().keySet());
    private List<String> applications = Arrays.stream(SimulatedApplication.values())
            .map(SimulatedApplication::optionValue)
            .toList();
    private Path directory = Path.of("soak");
    private long seconds = 3600;
    private long seed = System.nanoTime();
    private int workers = Runtime.getRuntime().availableProcessors();
    private String heap = "1g";
    private SoakState state;
    private IOException broken;

    private Soak() {}

    /** @param arguments see the class comment */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        Soak soak = new Soak();
        try {
            soak.parse(arguments);
        } catch (IllegalArgumentException e) {
            System.err.println("simulate --soak: " + e.getMessage());
            System.exit(2);
        }
        System.exit(soak.run() ? 0 : 1);
    }

    private void parse(String[] arguments) {
        for (int i = 0; i < arguments.length; i += 2) {
            if (i + 1 == arguments.length) {
                throw new IllegalArgumentException(arguments[i] + " needs a value");
            }
            String value = arguments[i + 1];
            switch (arguments[i]) {
                case "--seconds" -> seconds = Long.parseLong(value);
                case "--directory" -> directory = Path.of(value);
                case "--seed" -> seed = Long.parseLong(value);
                case "--protocols" -> protocols = List.of(value.split(","));
                case "--applications" -> applications = List.of(value.split(","));
                case "--workers" -> workers = Integer.parseInt(value);
                case "--heap" -> heap = value;
                default -> throw new IllegalArgumentException("unknown option " + arguments[i]);
            }
        }
        protocols.forEach(Protocols::named);
        applications.forEach(SimulatedApplication::named);
    }

    // ---------------------------------------------------------------- the run

    private boolean run() throws IOException, InterruptedException {
        state = SoakState.open(directory, seed);
        for (String protocol : protocols) {
            for (String application : applications) {
                if (!SimulatedApplication.named(application).concerns(Protocols.named(protocol))) {
                    continue;
                }
                works.add(state.work(protocol, application).name());
            }
        }
        long startNanos = System.nanoTime();
        long endNanos = startNanos + TimeUnit.SECONDS.toNanos(seconds);
        for (int i = 1; i <= workers; i++) {
            SoakProcess process = new SoakProcess(i, directory, heap, () -> next(endNanos), this::finished);
            processes.add(process);
            process.start();
        }
        Runtime.getRuntime().addShutdownHook(new Thread(this::save, "soak-save"));
        long nextLine = startNanos;
        while (processes.stream().anyMatch(Thread::isAlive)) {
            nextLine += TimeUnit.SECONDS.toNanos(LINE_SECONDS);
            awaitUntil(nextLine);
            print(startNanos);
        }
        printTable();
        return state.failures().isEmpty();
    }

    private void awaitUntil(long nanos) throws InterruptedException {
        for (SoakProcess process : processes) {
            long millis = TimeUnit.NANOSECONDS.toMillis(nanos - System.nanoTime());
            if (millis > 0) {
                process.join(millis);
            }
        }
    }

    /** What a worker is to run next; null if the time is over. */
    private synchronized SoakState.Seed next(long endNanos) {
        return System.nanoTime() < endNanos && broken == null ? state.begin(works) : null;
    }

    private synchronized void finished(SoakState.Seed begun, Report report) {
        state.finished(begun, report);
        if (!report.failure().isEmpty()) {
            System.out.println("FAILED " + begun.line() + ": " + report.failure());
        }
    }

    /** Also when the soak is ended from outside. */
    private synchronized void save() {
        try {
            state.save();
        } catch (IOException e) {
            broken = e;
        }
    }

    // ---------------------------------------------------------------- what is printed

    private synchronized void print(long startNanos) throws IOException {
        save();
        if (broken != null) {
            throw broken;
        }
        long seeds = 0;
        long events = 0;
        long cpuNanos = 0;
        Map<String, FaultCount> faults = new TreeMap<>();
        for (Work work : state.works()) {
            seeds += work.seeds;
            events += work.events;
            cpuNanos += work.cpuNanos;
            work.faults.forEach((kind, count) -> faults.merge(kind, count, FaultCount::plus));
        }
        System.out.printf(
                "%6d s: %d seeds, %d events, %d events per second of CPU, %d states, %d failed, heap %s MiB,"
                        + " faults due/effective %s%n",
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNanos),
                seeds,
                events,
                perSecond(events, cpuNanos),
                state.statesCovered(),
                state.failures().size(),
                processes.stream()
                        .map(process -> process.heapBytes() / MEBIBYTE)
                        .toList(),
                Report.text(faults));
    }

    private static long perSecond(long count, long cpuNanos) {
        return cpuNanos == 0 ? 0 : (long) (count * 1e9 / cpuNanos);
    }

    private synchronized void printTable() {
        System.out.printf(
                "%n| Protocol | Application | Seeds | Events | Events per second of CPU | Seeds per second of CPU |"
                        + " Failed | Faults due/effective |%n|---|---|---:|---:|---:|---:|---:|---|%n");
        for (Work work : state.works()) {
            System.out.printf(
                    "| %s | %s | %d | %d | %d | %.1f | %d | %s |%n",
                    work.protocol,
                    work.application,
                    work.seeds,
                    work.events,
                    perSecond(work.events, work.cpuNanos),
                    work.cpuNanos == 0 ? 0.0 : work.seeds * 1e9 / work.cpuNanos,
                    work.failed,
                    Report.text(work.faults).replace(",", ", ").replace(":", " "));
        }
        System.out.println();
        state.slowest()
                .forEach(settled -> System.out.printf(
                        "%.1f s after the last fault until everything was as demanded: %s%n",
                        settled.micros() / MICROS_PER_SECOND, settled.seed().line()));
        state.failures().forEach(failure -> System.out.println("failed: " + failure));
    }
}
