package io.chainkeeper.benchmarks.rounds;

import io.chainkeeper.benchmarks.host.Cleanup;
import io.chainkeeper.benchmarks.host.WorkDirectory;
import io.chainkeeper.benchmarks.load.Clients;
import io.chainkeeper.benchmarks.load.ClosedLoop;
import io.chainkeeper.benchmarks.load.IdleSessions;
import io.chainkeeper.benchmarks.load.OpenLoop;
import io.chainkeeper.benchmarks.load.TreeLoader;
import io.chainkeeper.benchmarks.load.Warmup;
import io.chainkeeper.benchmarks.load.WarmupJudge;
import io.chainkeeper.benchmarks.load.Workload;
import io.chainkeeper.benchmarks.options.RunOptions;
import io.chainkeeper.benchmarks.server.Ensemble;
import io.chainkeeper.benchmarks.server.EtcdServers;
import io.chainkeeper.benchmarks.server.LiveHeap;
import io.chainkeeper.benchmarks.server.ServerCommand;
import io.chainkeeper.benchmarks.server.ServerProcess;
import io.chainkeeper.benchmarks.server.ServerProfile;
import io.chainkeeper.benchmarks.server.UsageSample;
import io.chainkeeper.benchmarks.statistics.Statistics;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Measures one protocol once: starts an ensemble, warms it up, measures, throws it away. */
public final class Round {
    /** How often an interval is measured, at least, before a disturbance from outside makes it void. */
    private static final int MIN_ATTEMPTS = 8;

    /** For how long short intervals are measured again before that. */
    private static final int ATTEMPTS_SECONDS = 60;

    /** The largest share of capped servers' CPU that compilers may take before the interval is measured again. */
    private static final double MAX_COMPILER_SHARE = 2 * WarmupJudge.MAX_COMPILER_SHARE;

    private static final long SETTLE_MILLIS = 3_000;
    private static final long IDLE_SETTLE_MILLIS = 10_000;

    /** Enough for one client's path through client and servers to be compiled. */
    private static final int LATENCY_WARMUP_OUTSTANDING = 4;

    private static final Path JCMD = Path.of(System.getProperty("java.home"), "bin", "jcmd");

    private final Bench bench;
    private final RunOptions options;
    private final Cleanup cleanup;
    private final PrintStream progress;

    /** @param bench where it takes place */
    public Round(Bench bench) {
        this.bench = bench;
        this.options = bench.options();
        this.cleanup = bench.cleanup();
        this.progress = bench.progress();
    }

    /**
     * Runs the round.
     *
     * @param protocol value of {@code ordering.protocol}
     * @param round its number, from 1
     * @return what was measured
     * @throws Exception if a server or a client fails
     */
    public RoundResult run(String protocol, int round) throws Exception {
        Path work = bench.work().path();
        Path directory = work.resolve(work.getFileName() + "-round" + round + "-" + protocol);
        // Gone after the round: with large values the next one might not find the room that this one had.
        WorkDirectory data =
                cleanup.open(() -> new WorkDirectory(Files.createDirectory(directory), options.keepDirectories()));
        try {
            return run(protocol, round, data.path());
        } finally {
            cleanup.closeNow(data);
        }
    }

    private RoundResult run(String protocol, int round, Path directory) throws Exception {
        Ensemble ensemble = cleanup.open(
                () -> Ensemble.start(protocol, options.ensemble(), bench.command(), bench.control(), directory));
        try {
            double secondsToServe = ensemble.awaitServing();
            Double heapBytesPerZnode = options.furtherZnodes() == 0 ? null : loadFurtherZnodes(ensemble);
            List<Phase> phases = measure(ensemble);
            return new RoundResult(
                    protocol,
                    round,
                    secondsToServe,
                    heapBytesPerZnode,
                    phases,
                    new VoidCheck(options.maxStealShare(), options.maxOtherCores()).reasons(phases));
        } catch (IOException e) {
            throw new IOException(protocol + ", round " + round + ": " + e.getMessage(), e);
        } finally {
            cleanup.closeNow(ensemble);
        }
    }

    /** Returns by how much the live heap of the largest server grew for each znode. */
    private double loadFurtherZnodes(Ensemble ensemble) throws Exception {
        long before = largestHeap(ensemble);
        Clients loader = connect(ensemble, ensemble.servers().subList(0, 1), 1);
        try {
            TreeLoader tree = new TreeLoader(loader.zooKeeper(0));
            tree.loadZnodes(options.furtherZnodes(), options.valueBytes());
            tree.displaceRecentTransactions();
        } finally {
            cleanup.closeNow(loader);
        }
        ensemble.awaitSameZxid();
        double perZnode = (largestHeap(ensemble) - before) / (double) options.furtherZnodes();
        progress.printf(
                Locale.ROOT,
                "  %s: %d further znodes, %.0f bytes of heap each%n",
                ensemble.protocol(),
                options.furtherZnodes(),
                perZnode);
        return perZnode;
    }

    private static long largestHeap(Ensemble ensemble) throws IOException, InterruptedException {
        long largest = 0;
        for (ServerProcess server : ensemble.servers()) {
            largest = Math.max(largest, LiveHeap.bytes(JCMD, server.pid()));
        }
        return largest;
    }

    private List<Phase> measure(Ensemble ensemble) throws Exception {
        Workload workload = new Workload(
                options.keys(),
                options.valueBytes(),
                options.readRatio(),
                options.linearizableReads() && ensemble.protocol().equals(ServerCommand.ZAB));
        return switch (options.mode()) {
            case WRITES, READS -> measureSaturation(ensemble, workload);
            case LATENCY -> measureLatency(ensemble, workload);
            case WIDE_AREA -> measureWideArea(ensemble, workload);
            case STORM -> measureStorm(ensemble, workload);
            case IDLE -> measureIdle(ensemble, workload);
            case FAILOVER, JOIN -> throw new IllegalStateException(options.mode() + " is measured by FaultRuns");
        };
    }

    private Clients connect(Ensemble ensemble, List<ServerProcess> servers, int sessions) throws Exception {
        List<String> addresses = servers.stream().map(ServerProcess::address).toList();
        Clients clients = cleanup.open(() -> ensemble.protocol().equals(EtcdServers.NAME)
                ? Clients.openEtcd(addresses, sessions, options.linearizableReads())
                : Clients.open(addresses, sessions));
        try {
            clients.awaitConnected();
            return clients;
        } catch (IOException e) {
            cleanup.closeNow(clients);
            ensemble.checkAlive();
            throw e;
        }
    }

    /** A server that has not applied all of it yet would tell sequential readers that there is no such znode. */
    private static void preload(Ensemble ensemble, Clients clients, Workload workload) throws Exception {
        clients.preload(workload);
        ensemble.awaitSameZxid();
    }

    private List<Phase> measureSaturation(Ensemble ensemble, Workload workload) throws Exception {
        Clients clients = connect(ensemble, ensemble.servers(), options.sessions());
        IdleSessions idle = null;
        try {
            preload(ensemble, clients, workload);
            clients.watch(workload, options.watches());
            idle = openIdleSessions(ensemble);
            List<Phase> phases = new ArrayList<>();
            try (ClosedLoop load = new ClosedLoop(clients, workload, options.outstanding())) {
                boolean steady = warmUp(ensemble, clients, "without quota");
                if (options.cpuCores() > 0) {
                    ensemble.cap(options.cpuCores());
                    steady = warmUp(ensemble, clients, "with quota");
                }
                phases.addAll(intervals(Phase.SATURATION, Phase.ALL_REPLICAS, ensemble, clients, steady));
            }
            for (int level : options.levels()) {
                try (ClosedLoop load = new ClosedLoop(clients, workload, level)) {
                    Warmup.pause(SETTLE_MILLIS);
                    phases.addAll(intervals(
                            Phase.level(level),
                            Phase.ALL_REPLICAS,
                            ensemble,
                            clients,
                            phases.get(0).steady()));
                }
            }
            if (options.halfLoad()) {
                double rate = Statistics.median(phases.stream()
                                .filter(p -> p.name().equals(Phase.SATURATION))
                                .map(p -> p.use().operationsPerSecond())
                                .toList())
                        / 2;
                try (OpenLoop load = new OpenLoop(clients, workload, rate)) {
                    Warmup.pause(SETTLE_MILLIS);
                    phases.addAll(intervals(
                            Phase.HALF_LOAD,
                            Phase.ALL_REPLICAS,
                            ensemble,
                            clients,
                            phases.get(0).steady()));
                    load.checkSustained();
                }
            }
            return phases;
        } finally {
            closeIdleSessions(idle);
            cleanup.closeNow(clients);
        }
    }

    private List<Phase> measureLatency(Ensemble ensemble, Workload workload) throws Exception {
        preloadAndWarmUp(ensemble, workload.withReadRatio(0.5));
        ensemble.cap(options.cpuCores());
        List<Phase> phases = new ArrayList<>();
        for (ServerProcess server : ensemble.servers()) {
            Clients client = connect(ensemble, List.of(server), 1);
            try {
                phases.addAll(oneClient(Phase.ONE_CLIENT_WRITES, server, ensemble, client, workload.withReadRatio(0)));
                phases.addAll(oneClient(Phase.ONE_CLIENT_READS, server, ensemble, client, workload.withReadRatio(1)));
            } finally {
                cleanup.closeNow(client);
            }
        }
        return phases;
    }

    private List<Phase> oneClient(
            String name, ServerProcess server, Ensemble ensemble, Clients client, Workload workload) throws Exception {
        try (ClosedLoop load = new ClosedLoop(client, workload, 1)) {
            boolean steady = warmUp(ensemble, client, name + " at replica " + server.id());
            return intervals(name, server.id(), ensemble, client, steady);
        }
    }

    private List<Phase> measureWideArea(Ensemble ensemble, Workload workload) throws Exception {
        ensemble.leadFrom(options.replicas());
        Clients clients = connect(ensemble, ensemble.servers(), options.sessions());
        try {
            preload(ensemble, clients, workload);
            ensemble.cap(options.cpuCores());
            List<Phase> phases = new ArrayList<>();
            for (boolean reads : new boolean[] {false, true}) {
                Workload kind = workload.withReadRatio(reads ? 1 : 0);
                String name = reads ? Phase.WIDE_AREA_READS : Phase.WIDE_AREA_WRITES;
                try (ClosedLoop load = new ClosedLoop(clients, kind, options.outstanding())) {
                    boolean steady = warmUp(ensemble, clients, name);
                    phases.addAll(intervals(name, Phase.ALL_REPLICAS, ensemble, clients, steady));
                }
            }
            return phases;
        } finally {
            cleanup.closeNow(clients);
        }
    }

    private List<Phase> measureStorm(Ensemble ensemble, Workload workload) throws Exception {
        Clients clients = connect(ensemble, ensemble.servers(), options.sessions());
        IdleSessions idle = null;
        try {
            preload(ensemble, clients, workload);
            idle = openIdleSessions(ensemble);
            ensemble.cap(options.cpuCores());
            List<Phase> phases = new ArrayList<>();
            try (ClosedLoop load = new ClosedLoop(clients, workload, options.outstanding())) {
                boolean steady = warmUp(ensemble, clients, Phase.BEFORE_STORM);
                phases.addAll(intervals(Phase.BEFORE_STORM, Phase.ALL_REPLICAS, ensemble, clients, steady));
                phases.add(oneInterval(Phase.STORM, Phase.ALL_REPLICAS, ensemble, clients, steady, idle));
            }
            return phases;
        } finally {
            closeIdleSessions(idle);
            cleanup.closeNow(clients);
        }
    }

    /** Returns null if there are none. */
    private IdleSessions openIdleSessions(Ensemble ensemble) throws Exception {
        if (options.idleSessions() == 0) {
            return null;
        }
        List<String> addresses =
                ensemble.servers().stream().map(ServerProcess::address).toList();
        long start = System.nanoTime();
        IdleSessions idle = cleanup.open(() -> IdleSessions.open(addresses, options.idleSessions()));
        progress.printf(
                Locale.ROOT,
                "  %s: %d idle sessions, opened in %d s%n",
                ensemble.protocol(),
                options.idleSessions(),
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start));
        return idle;
    }

    private void closeIdleSessions(IdleSessions idle) {
        if (idle != null) {
            cleanup.closeNow(idle);
        }
    }

    private List<Phase> measureIdle(Ensemble ensemble, Workload workload) throws Exception {
        Clients clients = connect(ensemble, ensemble.servers(), options.sessions());
        try {
            preload(ensemble, clients, workload);
            ensemble.cap(options.cpuCores());
            Warmup.pause(IDLE_SETTLE_MILLIS);
            return intervals(Phase.IDLE, Phase.ALL_REPLICAS, ensemble, clients, true);
        } finally {
            cleanup.closeNow(clients);
        }
    }

    private void preloadAndWarmUp(Ensemble ensemble, Workload workload) throws Exception {
        Clients clients = connect(ensemble, ensemble.servers(), options.sessions());
        try {
            preload(ensemble, clients, workload);
            try (ClosedLoop load = new ClosedLoop(clients, workload, LATENCY_WARMUP_OUTSTANDING)) {
                warmUp(ensemble, clients, "all replicas");
            }
        } finally {
            cleanup.closeNow(clients);
        }
    }

    /** Returns whether the servers came to rest within the bound. */
    private boolean warmUp(Ensemble ensemble, Clients clients, String what) throws Exception {
        return new Warmup(options.warmupSeconds(), options.cpuCores() * options.replicas(), progress)
                .await(ensemble.protocol() + ", warm-up, " + what, () -> {
                    clients.checkHealthy();
                    // As before an interval: a server that is asked for the first time compiles much anew.
                    roles(ensemble);
                    profile(ensemble);
                    return sample(ensemble, clients);
                });
    }

    /** Measures as often as the user asked for. */
    private List<Phase> intervals(String name, int atReplica, Ensemble ensemble, Clients clients, boolean steady)
            throws Exception {
        List<Phase> phases = new ArrayList<>();
        for (int i = 0; i < options.intervals(); i++) {
            phases.add(interval(name, atReplica, ensemble, clients, steady));
        }
        return phases;
    }

    /**
     * Measures; anew, so many times at most, if something outside disturbed it, or if compilers, which work in bursts,
     * were at work again.
     */
    private Phase interval(String name, int atReplica, Ensemble ensemble, Clients clients, boolean steady)
            throws Exception {
        VoidCheck check = new VoidCheck(options.maxStealShare(), options.maxOtherCores());
        Phase phase = oneInterval(name, atReplica, ensemble, clients, steady);
        int attempts = Math.max(MIN_ATTEMPTS, ATTEMPTS_SECONDS / options.measuredSeconds());
        for (int attempt = 2; attempt <= attempts; attempt++) {
            List<String> reasons = new ArrayList<>(check.reasons(List.of(phase)));
            if (options.cpuCores() > 0 && phase.use().compilerShare() > MAX_COMPILER_SHARE) {
                reasons.add(String.format(
                        Locale.ROOT,
                        "%s: JIT compilers took %.0f %% of the servers' CPU (wanted: %.0f %%)",
                        name,
                        100 * phase.use().compilerShare(),
                        100 * MAX_COMPILER_SHARE));
            }
            if (reasons.isEmpty()) {
                break;
            }
            progress.printf(Locale.ROOT, "  measured again: %s%n", String.join("; ", reasons));
            phase = oneInterval(name, atReplica, ensemble, clients, steady);
        }
        return phase;
    }

    private Phase oneInterval(String name, int atReplica, Ensemble ensemble, Clients clients, boolean steady)
            throws Exception {
        return oneInterval(name, atReplica, ensemble, clients, steady, null);
    }

    /** All idle sessions, unless there are none, lose their connections when the interval begins. */
    private Phase oneInterval(
            String name, int atReplica, Ensemble ensemble, Clients clients, boolean steady, IdleSessions idle)
            throws Exception {
        List<String> roles = roles(ensemble);
        List<ServerProfile.Sample> profileBefore = profile(ensemble);
        long eventsBefore = clients.watchEvents().sum();
        clients.drain();
        UsageSample before = sample(ensemble, clients);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(options.measuredSeconds());
        IdleSessions.Storm storm = idle == null ? null : idle.storm();
        Warmup.pause(Math.max(0, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())));
        UsageSample after = sample(ensemble, clients);
        Clients.GroupedLatencies latencies = clients.drain(address -> region(ensemble, address));
        long events = clients.watchEvents().sum() - eventsBefore;
        List<ServerProfile> profiles = ServerProfile.between(profileBefore, profile(ensemble));
        clients.checkHealthy();
        UsageSample.Use use = before.until(after);
        progress.printf(
                Locale.ROOT, "  %s, %s: %.0f operations/s%n", ensemble.protocol(), name, use.operationsPerSecond());
        return new Phase(
                name,
                atReplica,
                roles,
                use,
                use.operations() == 0 ? null : latencies.all(),
                steady,
                events,
                options.regions().isEmpty() ? Collections.emptySortedMap() : latencies.groups(),
                storm,
                profiles);
    }

    private String region(Ensemble ensemble, String address) {
        return ensemble.servers().stream()
                .filter(server ->
                        server.address().equals(address) && !options.regions().isEmpty())
                .map(server -> options.regions().get(server.id() - 1).word())
                .findFirst()
                .orElse("");
    }

    private static List<String> roles(Ensemble ensemble) {
        return ensemble.servers().stream().map(ensemble::role).toList();
    }

    private List<ServerProfile.Sample> profile(Ensemble ensemble) throws IOException {
        return options.stages() ? ServerProfile.sample(ensemble, bench.proc()) : List.of();
    }

    private UsageSample sample(Ensemble ensemble, Clients clients) throws IOException {
        return UsageSample.take(
                bench.proc(), ensemble.servers(), clients.completed().sum());
    }
}
