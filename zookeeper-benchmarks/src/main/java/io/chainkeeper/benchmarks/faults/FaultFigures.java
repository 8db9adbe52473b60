package io.chainkeeper.benchmarks.faults;

import io.chainkeeper.benchmarks.load.WriteHistory;
import io.chainkeeper.benchmarks.options.Mode;
import io.chainkeeper.benchmarks.statistics.Interval;
import io.chainkeeper.benchmarks.statistics.Latency;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * What a round in which a server was stopped says, from the moments of its events and of the writes. Moments are those
 * of {@link System#nanoTime}.
 *
 * @param mode failover or join
 * @param start the load was steady
 * @param fault the server was killed or stopped
 * @param restart it was started again
 * @param rejoin how it came back; null if it did not
 * @param end the round was over
 */
public record FaultFigures(Mode mode, long start, long fault, long restart, Rejoin rejoin, long end) {
    private static final double NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final double MICROS_PER_MILLI = TimeUnit.MILLISECONDS.toMicros(1);

    /** Length of the pieces in which throughput is counted. */
    static final long PIECE_MILLIS = 100;

    /**
     * The figures.
     *
     * @param survivors writers connected to other servers when the server was stopped
     * @param killed writers connected to it
     * @param unknown writes whose outcome no client knows
     * @return name, which is also a column of the CSV file, to value
     */
    public Map<String, Double> of(List<WriteHistory> survivors, List<WriteHistory> killed, long unknown) {
        List<long[]> surviving = survivors.stream().map(WriteHistory::successes).toList();
        List<long[]> orphaned = killed.stream().map(WriteHistory::successes).toList();
        List<long[]> each = Stream.concat(surviving.stream(), orphaned.stream()).toList();
        long[] all = Interval.merge(each);
        Interval before = new Interval(start, fault);
        Interval down = new Interval(fault, restart);
        Interval joining = new Interval(restart, rejoin == null ? end : rejoin.caughtUpNanos());
        Interval after = new Interval(joining.toNanos(), end);
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("gap_before_ms", millis(before.longestGapNanos(all)));
        figures.put("gap_all_ms", millis(down.longestGapNanos(all)));
        figures.put("gap_all_end_ms", millis(down.longestGap(all).toNanos() - fault));
        figures.put("gap_survivors_client_ms", worst(down, surviving));
        if (mode == Mode.FAILOVER) {
            figures.put("gap_killed_client_ms", worst(down, orphaned));
        }
        Interval back = new Interval(restart, end);
        figures.put("rejoin_gap_all_ms", millis(back.longestGapNanos(all)));
        figures.put("rejoin_gap_client_ms", worst(back, each));
        figures.put("writes_before_per_s", before.perSecond(all));
        figures.put("writes_down_per_s", down.perSecond(all));
        figures.put("writes_joining_per_s", joining.perSecond(all));
        if (rejoin != null) {
            figures.put("writes_after_per_s", after.perSecond(all));
        }
        if (mode == Mode.JOIN) {
            addLatencies(figures, "before", survivors, before);
            addLatencies(figures, "joining", survivors, joining);
            if (rejoin != null) {
                addLatencies(figures, "after", survivors, after);
            }
        }
        figures.put("unknown_writes", (double) unknown);
        addEvents(figures);
        return figures;
    }

    private void addEvents(Map<String, Double> figures) {
        figures.put("restart_s", new Interval(fault, restart).seconds());
        if (rejoin != null) {
            figures.put("serving_s", new Interval(restart, rejoin.servingNanos()).seconds());
            figures.put("caught_up_s", new Interval(restart, rejoin.caughtUpNanos()).seconds());
            figures.put("read_s", new Interval(restart, rejoin.readNanos()).seconds());
        }
    }

    private static void addLatencies(
            Map<String, Double> figures, String when, List<WriteHistory> histories, Interval interval) {
        Latency latency = WriteHistory.latency(histories, interval);
        figures.put("latency_" + when + "_p50_ms", latency.p50Micros() / MICROS_PER_MILLI);
        figures.put("latency_" + when + "_p99_ms", latency.p99Micros() / MICROS_PER_MILLI);
        figures.put("latency_" + when + "_max_ms", latency.maxMicros() / MICROS_PER_MILLI);
    }

    private static double worst(Interval interval, List<long[]> clients) {
        return millis(
                clients.stream().mapToLong(interval::longestGapNanos).max().orElse(0));
    }

    private static double millis(long nanos) {
        return nanos / NANOS_PER_MILLI;
    }

    /**
     * Throughput over the whole round.
     *
     * @param histories of all writers
     * @return piece by piece
     */
    public List<Piece> throughput(List<WriteHistory> histories) {
        long piece = TimeUnit.MILLISECONDS.toNanos(PIECE_MILLIS);
        // A border between two pieces lies on the fault, so that none mixes before with after.
        long first = fault - (fault - start) / piece * piece;
        long[] all =
                Interval.merge(histories.stream().map(WriteHistory::successes).toList());
        int[] counts = new Interval(first, end).counts(all, piece);
        List<Piece> pieces = new ArrayList<>();
        for (int i = 0; i < counts.length; i++) {
            long millis = TimeUnit.NANOSECONDS.toMillis(first - fault) + i * PIECE_MILLIS;
            pieces.add(new Piece(millis, counts[i] * TimeUnit.SECONDS.toMillis(1) / PIECE_MILLIS));
        }
        return pieces;
    }

    /**
     * Throughput in one piece of a round.
     *
     * @param millis its beginning, counted from the fault
     * @param writesPerSecond throughput in it
     */
    public record Piece(long millis, long writesPerSecond) {}
}
