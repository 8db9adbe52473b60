package io.chainkeeper.benchmarks.options;

import io.chainkeeper.benchmarks.relay.Region;
import io.chainkeeper.benchmarks.server.EtcdServers;
import io.chainkeeper.benchmarks.server.ServerCommand;
import io.chainkeeper.benchmarks.server.SharedDisks;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Turns the runner's command line into {@link RunOptions}. */
public final class RunOptionsParser {
    /** What {@code --help} says. */
    public static final String USAGE = """
            Usage: benchmark.sh writes|reads|latency|wide-area|storm|idle [option ...]
              --protocols A,B        values of ordering.protocol to compare, the last is the base      chain,zab
                                     etcd: servers of etcd, if it is installed
              --replicas N           servers of each ensemble                                          3
              --regions R,R          where each server stands: %s; the last leads
                                     wide-area: frankfurt,sao-paulo,sydney,seoul,virginia
              --zones                chain.zones says where the servers stand
              --link-mbit M          network of each server in 10^6 bits/s, in network namespaces; 0 for loopback 0
              --cpu C                CPU quota of each server in cores, 0 for none      0.2; latency, idle: 0
              --quota-period-ms P    period of the quota                                               10
              --seconds N            length of each measured interval                                  20
              --intervals I          measured intervals of each kind in an ensemble, one after another    1
              --warmup-seconds N     bound of each warm-up (without the quota, then with it)          240
              --rounds R             measurements of each protocol, interleaved, fresh ensembles       3
              --sessions S           client sessions, spread over the replicas              4 per replica
              --idle-sessions N      further sessions that only say that they live        storm: 5000, others: 0
              --outstanding K        operations that each session keeps in flight   32; wide-area, storm: 1
              --value-bytes B        data of a znode                                                   128
              --keys N               znodes                                                            1000
              --znodes N             further znodes of the same size that nobody touches; memory per znode is told  0
              --watches N            persistent watches on the written znodes, spread over the sessions  0
              --read-ratio R         share of reads                                         reads: 0.95
              --reads KIND           linearizable (zab: sync before each read) or sequential  linearizable
              --levels K,K           also measure with so many operations in flight per session, for a curve
              --stages               also tell where the servers' time goes: their own metrics, CPU by threads
              --half-load            also measure latency at half of the measured throughput
              --jvm-options "..."    options of every server          -Xms512m -Xmx512m -XX:+UseSerialGC
                                                                      -XX:MetaspaceSize=64m
              --heap SIZE            heap of every server, such as 3g                               512m
              --config K=V,K=V       further lines of every zoo.cfg; disk.* only where servers share disks
              --disks D              shared disks of an ensemble with the protocol disk, an odd number  3
              --disk-delay-ms T,T    what each request to disk 1, 2, ... takes longer, to disks not named 0    0
              --lib DIR              jars of the servers
              --server-main CLASS    class that starts a server    %s
              --data-dir DIR         where the servers' data lies during the run        temporary directory
              --output FILE          machine-readable result (JSON)
              --keep                 leave the servers' data and logs behind
              --max-steal S          share of CPU lost to the hypervisor that voids a round            0.02
              --max-other-cpu C      cores used by other processes that void a round                   0.15
            """.formatted(Region.words(), ServerCommand.MAIN_CLASS);

    /** What only runs without faults have. */
    static final String INTERVALS = "--intervals";

    static final Set<String> NAMED = Set.of(
            "--protocols",
            "--replicas",
            "--cpu",
            "--regions",
            "--link-mbit",
            "--quota-period-ms",
            "--seconds",
            INTERVALS,
            "--warmup-seconds",
            "--rounds",
            "--sessions",
            "--idle-sessions",
            "--outstanding",
            "--value-bytes",
            "--keys",
            "--znodes",
            "--watches",
            "--read-ratio",
            "--reads",
            "--levels",
            "--jvm-options",
            "--heap",
            "--config",
            "--disks",
            "--disk-delay-ms",
            "--lib",
            "--server-main",
            "--data-dir",
            "--output",
            "--max-steal",
            "--max-other-cpu");
    private static final Set<String> FLAGS = Set.of("--half-load", "--stages", "--zones", "--keep");

    /** The line of zoo.cfg that says where servers stand. */
    public static final String ZONES = "chain.zones";

    /** The line of zoo.cfg that says how many batches are under way to shared disks. */
    public static final String LANES = "disk.lanes";

    /** The line of zoo.cfg that says how many commands such a batch has at most. */
    public static final String COMMANDS_OF_A_DISK_BATCH = "disk.maxBatchCommands";

    /** Shared disks of an ensemble, unless the command line says otherwise. */
    public static final int DISKS = 3;

    /** Client sessions per replica, unless the command line says otherwise. */
    public static final int SESSIONS_PER_REPLICA = 4;

    static final int MAX_REPLICAS = 15;
    private static final int MAX_INTERVALS = 100;
    private static final int MAX_SESSIONS = 1000;
    private static final int STORM_SESSIONS = 5_000;

    /** Each takes a descriptor here and a port of this machine. */
    private static final int MAX_IDLE_SESSIONS = 20_000;

    private static final int MAX_DISKS = 15;
    private static final int MAX_DISK_DELAY_MILLIS = 1_000;
    private static final int MAX_LINK_MEGABITS = 1_000_000;

    /** The paper's five sites; the leader, which stands last here, is its site A. */
    private static final String FIVE_REGIONS = "frankfurt,sao-paulo,sydney,seoul,virginia";

    /** More would only wait in ZooKeeper's request throttle. */
    private static final int MAX_OUTSTANDING = 1000;

    /** ZooKeeper's limit of a packet is 1 MiB; some of it is the request around the value. */
    private static final int MAX_VALUE_BYTES = 1_000_000;

    private static final Pattern HEAP = Pattern.compile("[1-9][0-9]{0,8}[kmgKMG]");

    private RunOptionsParser() {}

    /**
     * Parses a command line.
     *
     * @param args the mode and its options
     * @return the run
     * @throws UsageException if anything is unknown, missing or out of range
     */
    public static RunOptions parse(List<String> args) throws UsageException {
        if (args.isEmpty()) {
            throw new UsageException("no mode given; --help lists all");
        }
        Mode mode = Mode.of(args.get(0));
        OptionReader options = new OptionReader(args.subList(1, args.size()), NAMED, FLAGS);
        List<Region> regions = regions(options, mode);
        int replicas = options.whole("--replicas", regions.isEmpty() ? 3 : regions.size(), 1, MAX_REPLICAS);
        checkRegions(options, mode, regions, replicas);
        boolean saturating = mode == Mode.WRITES || mode == Mode.READS;
        if (!saturating && options.flag("--half-load")) {
            throw new UsageException("--half-load needs the mode writes or reads");
        }
        if (!saturating && !options.text("--levels", "").isEmpty()) {
            throw new UsageException("--levels needs the mode writes or reads");
        }
        if (mode != Mode.READS && !options.text("--read-ratio", "").isEmpty()) {
            throw new UsageException("--read-ratio needs the mode reads");
        }
        RunOptions run = options(mode, options, replicas);
        checkEtcd(run);
        if (mode == Mode.STORM && run.idleSessions() == 0) {
            throw new UsageException("--idle-sessions 0: storm needs some that come back");
        }
        if (run.watches() > (long) run.keys() * run.sessions()) {
            throw new UsageException("--watches " + run.watches() + ": " + run.sessions() + " sessions can hold "
                    + (long) run.keys() * run.sessions() + " different watches on " + run.keys()
                    + " znodes; raise --keys or --sessions");
        }
        return run;
    }

    /**
     * Reads what runs of all modes have in common.
     *
     * @param mode what is measured
     * @param options all options
     * @param replicas servers of an ensemble
     * @return the run
     * @throws UsageException if anything is missing or out of range
     */
    static RunOptions options(Mode mode, OptionReader options, int replicas) throws UsageException {
        return new RunOptions(
                mode,
                protocols(options, mode),
                replicas,
                regions(options, mode),
                options.whole("--link-mbit", 0, 0, MAX_LINK_MEGABITS),
                options.decimal("--cpu", mode.defaultCpuCores(), 0, 1024),
                options.whole("--quota-period-ms", 10, 1, 1000) * 1000L,
                options.whole("--seconds", mode.isFault() ? 10 : 20, 1, 3600),
                options.whole(INTERVALS, 1, 1, MAX_INTERVALS),
                options.whole("--warmup-seconds", 240, 1, 3600),
                options.whole("--rounds", 3, 1, 1000),
                options.whole("--sessions", SESSIONS_PER_REPLICA * replicas, 1, MAX_SESSIONS),
                options.whole("--idle-sessions", mode == Mode.STORM ? STORM_SESSIONS : 0, 0, MAX_IDLE_SESSIONS),
                options.whole("--outstanding", mode.hasFewInFlight() ? 1 : 32, 1, MAX_OUTSTANDING),
                options.whole("--value-bytes", 128, 0, MAX_VALUE_BYTES),
                options.whole("--keys", 1000, 1, 10_000_000),
                options.whole("--znodes", 0, 0, 10_000_000),
                options.whole("--watches", 0, 0, 10_000_000),
                options.decimal("--read-ratio", mode.defaultReadRatio(), 0, 1),
                options.choice("--reads", "linearizable", List.of("linearizable", "sequential"))
                        .equals("linearizable"),
                levels(options),
                options.flag("--half-load"),
                options.flag("--stages"),
                jvmOptions(options),
                serverConfig(options, mode),
                disks(options),
                serverLib(options),
                options.text("--server-main", ServerCommand.MAIN_CLASS),
                path("--data-dir", options.text("--data-dir", "")),
                options.text("--output", "").isEmpty() ? null : path("--output", options.text("--output", "")),
                options.flag("--keep"),
                options.decimal("--max-steal", RunOptions.DEFAULT_MAX_STEAL_SHARE, 0, 1),
                options.decimal("--max-other-cpu", RunOptions.DEFAULT_MAX_OTHER_CORES, 0, 1024));
    }

    /** What is asked of servers of another make is what they have, too. */
    static void checkEtcd(RunOptions run) throws UsageException {
        boolean simple = !run.mode().isFault()
                && run.mode() != Mode.WIDE_AREA
                && run.furtherZnodes() == 0
                && run.watches() == 0
                && run.idleSessions() == 0
                && !run.stages();
        if (run.protocols().contains(EtcdServers.NAME) && !simple) {
            throw new UsageException("--protocols etcd: is there for the modes writes, reads, latency and idle,"
                    + " without --znodes, --watches, --idle-sessions and --stages");
        }
    }

    private static List<Region> regions(OptionReader options, Mode mode) throws UsageException {
        List<Region> regions = new ArrayList<>();
        for (String word : options.words("--regions", mode == Mode.WIDE_AREA ? FIVE_REGIONS : "", ",")) {
            Region region = Region.of(word);
            if (region == null) {
                throw new UsageException("--regions " + word + ": give some of " + Region.words());
            }
            regions.add(region);
        }
        return regions;
    }

    private static void checkRegions(OptionReader options, Mode mode, List<Region> regions, int replicas)
            throws UsageException {
        if (mode != Mode.WIDE_AREA && (!regions.isEmpty() || options.flag("--zones"))) {
            throw new UsageException("--regions and --zones need the mode wide-area");
        }
        if (!regions.isEmpty() && regions.size() != replicas) {
            throw new UsageException("--regions names " + regions.size() + " places of " + replicas
                    + " servers; give one for each, in the order of their ids");
        }
        if (!regions.isEmpty() && options.whole("--link-mbit", 0, 0, MAX_LINK_MEGABITS) > 0) {
            throw new UsageException("--link-mbit does not go with --regions: relays have no limit of their own");
        }
    }

    private static List<Integer> levels(OptionReader options) throws UsageException {
        return options.text("--levels", "").isEmpty()
                ? List.of()
                : options.wholes("--levels", "1,4,16", 1, MAX_OUTSTANDING);
    }

    private static List<String> protocols(OptionReader options, Mode mode) throws UsageException {
        List<String> protocols =
                options.words("--protocols", mode.isFault() ? "chain" : "chain," + ServerCommand.ZAB, ",");
        if (protocols.isEmpty() || new HashSet<>(protocols).size() != protocols.size()) {
            throw new UsageException("--protocols: give one or more different names, such as chain,zab");
        }
        return protocols;
    }

    /** A heap given by its own option stands last, so it wins. */
    private static List<String> jvmOptions(OptionReader options) throws UsageException {
        List<String> jvmOptions =
                options.words("--jvm-options", "-Xms512m -Xmx512m -XX:+UseSerialGC -XX:MetaspaceSize=64m", " ");
        String heap = options.text("--heap", "");
        if (!heap.isEmpty()) {
            if (!HEAP.matcher(heap).matches()) {
                throw new UsageException("--heap " + heap + ": give a size such as 768m or 3g");
            }
            jvmOptions.addAll(List.of("-Xms" + heap, "-Xmx" + heap));
        }
        return jvmOptions;
    }

    private static Map<String, String> serverConfig(OptionReader options, Mode mode) throws UsageException {
        Map<String, String> lines = new LinkedHashMap<>();
        if (options.flag("--zones")) {
            List<Region> regions = regions(options, mode);
            lines.put(
                    ZONES,
                    IntStream.range(0, regions.size())
                            .mapToObj(i -> (i + 1) + ":" + regions.get(i).word())
                            .collect(Collectors.joining(",")));
        }
        for (String line : options.words("--config", "", ",")) {
            int equals = line.indexOf('=');
            if (equals < 1) {
                throw new UsageException("--config " + line + ": give KEY=VALUE");
            }
            lines.put(line.substring(0, equals), line.substring(equals + 1));
        }
        return lines;
    }

    private static SharedDisks disks(OptionReader options) throws UsageException {
        int count = options.whole("--disks", DISKS, 1, MAX_DISKS);
        if (count % 2 == 0) {
            throw new UsageException("--disks " + count + ": give an odd number");
        }
        List<Integer> delays = options.numbers("--disk-delay-ms", "", 0, MAX_DISK_DELAY_MILLIS);
        if (delays.size() > count) {
            throw new UsageException("--disk-delay-ms names " + delays.size() + " of " + count + " disks");
        }
        return new SharedDisks(count, delays);
    }

    private static Path serverLib(OptionReader options) throws UsageException {
        Path lib = path("--lib", options.text("--lib", ""));
        if (lib.toString().isEmpty() || !Files.isDirectory(lib)) {
            throw new UsageException("--lib '" + lib + "' is not a directory; give the one with the servers' jars");
        }
        return lib;
    }

    private static Path path(String option, String text) throws UsageException {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new UsageException(option + " '" + text + "' is not a path");
        }
    }
}
