package io.chainkeeper.benchmarks.faults;

import io.chainkeeper.benchmarks.host.WorkDirectory;
import io.chainkeeper.benchmarks.load.Clients;
import io.chainkeeper.benchmarks.load.Pace;
import io.chainkeeper.benchmarks.load.ReconnectingWriter;
import io.chainkeeper.benchmarks.load.SteadyWriters;
import io.chainkeeper.benchmarks.load.TreeLoader;
import io.chainkeeper.benchmarks.load.Warmup;
import io.chainkeeper.benchmarks.load.Workload;
import io.chainkeeper.benchmarks.load.WriteHistory;
import io.chainkeeper.benchmarks.options.FaultOptions;
import io.chainkeeper.benchmarks.options.Mode;
import io.chainkeeper.benchmarks.options.RunOptions;
import io.chainkeeper.benchmarks.options.Scenario;
import io.chainkeeper.benchmarks.rounds.Bench;
import io.chainkeeper.benchmarks.rounds.Phase;
import io.chainkeeper.benchmarks.rounds.VoidCheck;
import io.chainkeeper.benchmarks.server.Ensemble;
import io.chainkeeper.benchmarks.server.ServerProcess;
import io.chainkeeper.benchmarks.server.UsageSample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Measures one scenario: starts an ensemble, loads the tree, warms up, stops the victim under load, starts it again,
 * waits until it is back, does so again if asked for several faults, throws everything away. In mode failover the
 * victim is killed and comes back with its data; in mode join it is stopped in order and comes back with an empty
 * directory, and no writer is connected to it.
 */
public final class FaultRound {
    /** How often it is looked whether all writers still write. */
    private static final long HEALTH_MILLIS = 100;

    private final Bench bench;
    private final FaultOptions options;
    private final Scenario scenario;
    private final int round;
    private final List<Phase> phases = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private final List<FaultResult> results = new ArrayList<>();
    private Ensemble ensemble;
    private SteadyWriters writers;
    private int victim;

    /**
     * @param bench where it takes place
     * @param options the run
     * @param scenario what is measured
     * @param round 1, 2, 3, ...
     */
    public FaultRound(Bench bench, FaultOptions options, Scenario scenario, int round) {
        this.bench = bench;
        this.options = options;
        this.scenario = scenario;
        this.round = round;
    }

    /**
     * Runs the round, once.
     *
     * @return what was measured at each fault, the last perhaps what the ensemble did not do
     * @throws Exception if the run as a whole cannot go on
     */
    public List<FaultResult> run() throws Exception {
        Path parent = bench.work().path();
        Path directory = parent.resolve(
                parent.getFileName() + "-round" + round + "-" + scenario.protocol() + scenario.replicas() + "-"
                        + scenario.treeMegabytes() + "-" + scenario.victim().word());
        // Gone after the round: several rounds with a large tree would fill a disk.
        WorkDirectory data = bench.cleanup()
                .open(() -> new WorkDirectory(
                        Files.createDirectory(directory), options.run().keepDirectories()));
        try {
            ensemble = bench.cleanup()
                    .open(() -> Ensemble.start(
                            scenario.protocol(),
                            options.ensemble(scenario),
                            bench.command(),
                            bench.control(),
                            data.path()));
            measure();
        } catch (IOException | IllegalArgumentException e) {
            if (bench.cleanup().isClosed()) {
                throw e;
            }
            results.add(new FaultResult(
                    scenario, round, victim, Map.of(), List.of(), voidReasons(), notes, e.getMessage()));
        } finally {
            close(writers);
            close(ensemble);
            bench.cleanup().closeNow(data);
        }
        return results;
    }

    private void close(AutoCloseable resource) {
        if (resource != null) {
            bench.cleanup().closeNow(resource);
        }
    }

    private List<String> voidReasons() {
        return new VoidCheck(options.run().maxStealShare(), options.run().maxOtherCores()).reasons(phases);
    }

    private void measure() throws Exception {
        ensemble.awaitServing();
        preload();
        boolean join = options.run().mode() == Mode.JOIN;
        victim = scenario.victim().id(roles());
        startLoad(join ? ensemble.serversBut(victim) : ensemble.servers());
        boolean failed = false;
        for (int fault = 1; fault <= options.faultsPerRound() && !failed; fault++) {
            FaultResult result = measureFault(join, (round - 1) * options.faultsPerRound() + fault);
            results.add(result);
            phases.clear();
            failed = result.failure() != null;
        }
        writers.all().forEach(ReconnectingWriter::stop);
    }

    private FaultResult measureFault(boolean join, int number) throws Exception {
        long start = System.nanoTime();
        interval("before the fault", options.run().measuredSeconds(), ensemble.servers());
        victim = victimStill(join);
        if (!writers.at(0).isEmpty()) {
            throw new IOException(writers.at(0).size() + " writers had no connection before the fault");
        }
        List<WriteHistory> killed =
                SteadyWriters.histories(writers.at(ensemble.server(victim).clientPort()));
        List<WriteHistory> survivors = new ArrayList<>(writers.histories());
        survivors.removeAll(killed);
        long fault = System.nanoTime();
        stopVictim(join);
        interval("victim down", options.downSeconds(), ensemble.serversBut(victim));
        String marker = Rejoin.writeMarker(ensemble.serversBut(victim).get(0).address());
        if (join) {
            ensemble.wipe(victim);
        }
        long restart = System.nanoTime();
        String failure = null;
        Rejoin rejoin = null;
        try {
            rejoin = comeBack(marker);
        } catch (IOException e) {
            if (bench.cleanup().isClosed()) {
                throw e;
            }
            failure = "after the victim was started again: " + e.getMessage();
        }
        FaultFigures figures = new FaultFigures(options.run().mode(), start, fault, restart, rejoin, System.nanoTime());
        Map<String, Double> values = figures.of(survivors, killed, writers.unknown());
        report(values);
        return new FaultResult(
                scenario,
                number,
                victim,
                values,
                figures.throughput(writers.histories()),
                voidReasons(),
                List.copyOf(notes),
                failure);
    }

    private void report(Map<String, Double> values) {
        bench.progress()
                .printf(
                        Locale.ROOT,
                        "  server %d stopped: %.0f ms without a write, until %.0f ms after; %.0f writes/s before%n",
                        victim,
                        values.get("gap_all_ms"),
                        values.get("gap_all_end_ms"),
                        values.get("writes_before_per_s"));
    }

    private SortedMap<Integer, String> roles() {
        SortedMap<Integer, String> roles = new TreeMap<>();
        ensemble.servers().forEach(s -> roles.put(s.id(), ensemble.role(s)));
        return roles;
    }

    /** Looked up just before it is stopped; a leader that changed while the servers warmed up changes the chain. */
    private int victimStill(boolean join) throws IOException {
        int now = scenario.victim().id(roles());
        if (now != victim && join) {
            throw new IOException("the leader changed during the warm-up; repeat the round");
        }
        return now;
    }

    private void preload() throws Exception {
        Clients clients = bench.cleanup()
                .open(() -> Clients.open(List.of(ensemble.servers().get(0).address()), 1));
        try {
            clients.awaitConnected();
            clients.preload(workload());
            if (scenario.treeMegabytes() > 0) {
                long start = System.nanoTime();
                new TreeLoader(clients.zooKeeper(0)).load(scenario.treeMegabytes());
                clients.checkHealthy();
                bench.progress()
                        .println(
                                "  tree loaded in " + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start) + " s");
            }
        } finally {
            bench.cleanup().closeNow(clients);
        }
    }

    private Workload workload() {
        RunOptions run = options.run();
        return new Workload(run.keys(), run.valueBytes(), 0, false);
    }

    private void startLoad(List<ServerProcess> servers) throws Exception {
        int inFlight =
                servers.size() * options.sessionsPerReplica() * options.run().outstanding();
        writers = bench.cleanup()
                .open(() -> SteadyWriters.open(
                        servers,
                        options.sessionsPerReplica(),
                        workload(),
                        Pace.of(options.writesPerSecond(), inFlight)));
        writers.start(options.run().outstanding());
        double cores = bench.options().cpuCores();
        boolean steady = warmUp("warm-up without quota");
        if (cores > 0) {
            ensemble.cap(cores);
            steady = warmUp("warm-up with quota");
        }
        if (!steady) {
            notes.add("throughput or JIT compilers had not come to rest; raise --warmup-seconds");
        }
    }

    private boolean warmUp(String what) throws Exception {
        return new Warmup(options.run().warmupSeconds(), 0, bench.progress()).await(what, () -> {
            writers.checkHealthy();
            return sample(ensemble.servers());
        });
    }

    private void stopVictim(boolean join) throws IOException, InterruptedException {
        ServerProcess server = ensemble.server(victim);
        if (join) {
            server.stop();
        } else {
            server.kill();
            server.awaitExit();
        }
    }

    private Rejoin comeBack(String marker) throws IOException, InterruptedException {
        ServerProcess server = ensemble.restart(victim);
        if (bench.options().cpuCores() > 0) {
            server.cap(bench.options().cpuCores());
        }
        UsageSample before = sample(ensemble.servers());
        Rejoin rejoin = Rejoin.await(ensemble, victim, marker, options.rejoinSeconds(), this::checkOthers);
        bench.progress()
                .printf(
                        Locale.ROOT,
                        "  server %d caught up %.1f s after its start%n",
                        victim,
                        (rejoin.caughtUpNanos() - before.nanos()) / (double) TimeUnit.SECONDS.toNanos(1));
        pause(options.run().measuredSeconds());
        addPhase("victim comes back", before, sample(ensemble.servers()));
        return rejoin;
    }

    private void checkOthers() throws IOException {
        writers.checkHealthy();
        for (ServerProcess server : ensemble.serversBut(victim)) {
            server.checkAlive();
        }
    }

    private void interval(String name, int seconds, List<ServerProcess> servers)
            throws IOException, InterruptedException {
        UsageSample before = sample(servers);
        pause(seconds);
        addPhase(name, before, sample(servers));
    }

    private void pause(int seconds) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            Warmup.pause(Math.min(HEALTH_MILLIS, TimeUnit.NANOSECONDS.toMillis(left) + 1));
            writers.checkHealthy();
        }
    }

    private void addPhase(String name, UsageSample before, UsageSample after) {
        phases.add(new Phase(name, Phase.ALL_REPLICAS, List.of(), before.until(after), null, true));
    }

    private UsageSample sample(List<ServerProcess> servers) throws IOException {
        return UsageSample.take(bench.proc(), servers, writers.completed());
    }
}
