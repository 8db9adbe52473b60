package io.chainkeeper.benchmarks.options;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Turns the command line of the modes failover and join into {@link FaultOptions}. */
public final class FaultOptionsParser {
    /** What {@code --help} says. */
    public static final String USAGE = """
            Usage: benchmark.sh failover|join [option ...]
              --protocols A,B        values of ordering.protocol                                    chain
              --replicas N,N         servers of an ensemble, 3 or more     failover: 3,5; join: 3
              --victims V,V          middle, tail, leader          failover: middle,tail,leader; join: middle
              --tree-mb M,M          data in the tree before the fault, 10^6 bytes      failover: 0; join: 10
              --suspicion-ms T       PROTOCOL.suspicionTimeoutMillis                                1000
              --seconds N            length of the intervals before the fault and after it          10
              --down-seconds N       how long the victim stays dead              failover: 10; join: 2
              --rejoin-seconds N     bound of the time until the victim is back                     600
              --faults N             how often in each ensemble, one after another                  1
              --rounds R             how often each combination is measured, fresh ensembles        3
              --sessions S           writers connected to each replica                              4
              --outstanding K        writes that each of them keeps in flight                       1
              --rate W               writes per second, all together, at most; 0: as many as succeed  0
              --output DIR           results: rounds.csv, throughput.csv, run.json
            and with the same meaning as above: --cpu (default 0), --heap, --jvm-options, --quota-period-ms,
            --warmup-seconds, --value-bytes, --keys, --config, --lib, --server-main, --data-dir, --keep,
            --max-steal, --max-other-cpu
            """;

    /** Fewer have no majority without the victim. */
    private static final int MIN_REPLICAS = 3;

    private static final int MAX_TREE_MEGABYTES = 100_000;

    private FaultOptionsParser() {}

    /**
     * @param args a command line
     * @return whether {@link #parse} is for it
     */
    public static boolean isFaultMode(List<String> args) throws UsageException {
        return !args.isEmpty() && Mode.of(args.get(0)).isFault();
    }

    /**
     * Parses a command line.
     *
     * @param args the mode and its options
     * @return the run
     * @throws UsageException if anything is unknown, missing or out of range
     */
    public static FaultOptions parse(List<String> args) throws UsageException {
        Mode mode = Mode.of(args.get(0));
        boolean failover = mode == Mode.FAILOVER;
        OptionReader options = new OptionReader(args.subList(1, args.size()), named(), Set.of("--keep"));
        List<Integer> replicas =
                options.wholes("--replicas", failover ? "3,5" : "3", MIN_REPLICAS, RunOptionsParser.MAX_REPLICAS);
        int most = replicas.stream().mapToInt(Integer::intValue).max().orElseThrow();
        RunOptions run = RunOptionsParser.options(mode, options, most);
        RunOptionsParser.checkEtcd(run);
        return new FaultOptions(
                run,
                replicas,
                options.wholes("--tree-mb", failover ? "0" : "10", 0, MAX_TREE_MEGABYTES),
                victims(options, mode),
                options.whole("--sessions", RunOptionsParser.SESSIONS_PER_REPLICA, 1, 100),
                options.whole("--rate", 0, 0, 1_000_000),
                options.whole("--suspicion-ms", 1000, 50, 120_000),
                options.whole("--down-seconds", failover ? 10 : 2, 1, 3600),
                options.whole("--rejoin-seconds", 600, 1, 86_400),
                options.whole("--faults", 1, 1, 1000));
    }

    private static Set<String> named() {
        Set<String> named = new HashSet<>(RunOptionsParser.NAMED);
        named.removeAll(Set.of(
                "--idle-sessions",
                "--regions",
                "--read-ratio",
                "--reads",
                "--levels",
                "--znodes",
                "--watches",
                RunOptionsParser.INTERVALS));
        named.addAll(Set.of(
                "--victims",
                "--tree-mb",
                "--rate",
                "--suspicion-ms",
                "--down-seconds",
                "--rejoin-seconds",
                "--faults"));
        return named;
    }

    private static List<Victim> victims(OptionReader options, Mode mode) throws UsageException {
        List<Victim> victims = new ArrayList<>();
        for (String word : options.words("--victims", mode == Mode.FAILOVER ? "middle,tail,leader" : "middle", ",")) {
            victims.add(Victim.of(word));
        }
        if (victims.isEmpty() || new HashSet<>(victims).size() != victims.size()) {
            throw new UsageException("--victims: give one or more different ones of middle, tail, leader");
        }
        if (mode == Mode.JOIN && victims.contains(Victim.LEADER)) {
            throw new UsageException("--victims leader: join measures a follower; give middle or tail");
        }
        return victims;
    }
}
