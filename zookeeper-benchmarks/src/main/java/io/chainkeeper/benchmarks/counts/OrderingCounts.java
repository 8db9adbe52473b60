package io.chainkeeper.benchmarks.counts;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;

/**
 * Prints, as a table of Markdown, what each protocol costs at 3, 5 and 7 replicas: {@code bin/benchmark.sh counts}.
 * Nothing is timed, so it may run on a machine that is busy.
 */
public final class OrderingCounts {
    private static final int[] REPLICAS = {3, 5, 7};

    /** Clients with one command each, at each replica: as many as 4 sessions with 16 or 64 in flight. */
    private static final int[] CLIENTS = {0, 64, 256};

    private static final long WARM_UP_MICROS = 500_000;
    private static final long COUNTED_MICROS = 500_000;

    private static final int SEEDS = 5;

    private static final String SLOW_DISK = "slow disk";
    private static final String SLOW_PROCESSOR = "slow processor";

    private OrderingCounts() {}

    /**
     * Runs the program.
     *
     * @param args names of protocols; all of them if there are none
     */
    public static void main(String[] args) {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        Map<String, OrderingProtocolFactory> protocols = new TreeMap<>();
        ServiceLoader.load(OrderingProtocolFactory.class).forEach(factory -> protocols.put(factory.name(), factory));
        protocols.values().removeIf(factory -> factory.sharedDisks() != null); // the counted ensemble has no disks
        protocols.keySet().retainAll(args.length == 0 ? protocols.keySet() : List.of(args));
        out.println("| conditions | protocol | replicas | clients at each | commands in a batch | messages for a batch"
                + " | messages for a command | bytes for a command | records for a command | forces for a command"
                + " | answer, ms | commands/s |");
        out.println("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
        for (String conditions : List.of(SLOW_DISK, SLOW_PROCESSOR)) {
            protocols.values().forEach(factory -> print(factory, conditions, out));
        }
    }

    private static void print(OrderingProtocolFactory factory, String conditions, PrintStream out) {
        for (int replicas : REPLICAS) {
            for (int clients : CLIENTS) {
                Conditions under = conditions.equals(SLOW_DISK)
                        ? Conditions.slowDisk(replicas, clients)
                        : Conditions.slowProcessor(replicas, clients);
                Counts counts = count(factory, under);
                out.printf(
                        Locale.ROOT,
                        "| %s | %s | %d | %s | %.1f | %.1f | %.3f | %.0f | %.3f | %.4f | %.2f | %.0f |%n",
                        conditions,
                        factory.name(),
                        replicas,
                        clients == 0 ? "one in all" : String.valueOf(clients),
                        counts.commandsPerBatch(),
                        counts.messagesPerBatch(),
                        counts.messagesPerCommand(),
                        counts.bytesPerCommand(),
                        counts.recordsPerCommand(),
                        counts.forcesPerCommand(),
                        counts.answerMillis(),
                        counts.commandsPerSecond());
            }
        }
    }

    /** What is counted depends on how batches happen to meet: the mean of several draws. */
    private static Counts count(OrderingProtocolFactory factory, Conditions conditions) {
        Counts counts = new CountedEnsemble(factory, conditions, 1).count(WARM_UP_MICROS, COUNTED_MICROS);
        for (long seed = 2; seed <= SEEDS; seed++) {
            counts = counts.plus(new CountedEnsemble(factory, conditions, seed).count(WARM_UP_MICROS, COUNTED_MICROS));
        }
        return counts;
    }
}
