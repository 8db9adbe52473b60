package io.chainkeeper.server.admin;

import io.chainkeeper.server.monitoring.LoadHistory;
import io.chainkeeper.server.monitoring.LoadHistory.Point;
import io.chainkeeper.server.monitoring.LoadHistory.Waits;
import io.chainkeeper.server.monitoring.OrderView;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * What the charts of the status page are drawn from: a column for each quantity, with one number for each point of
 * {@link LoadHistory}, the oldest first, and null where there is none. Any thread.
 */
final class LoadReport {
    private static final double TENTHS = 10;

    private final OrderView view;

    LoadReport(OrderView view) {
        this.view = view;
    }

    Map<String, Object> create() {
        List<Point> points = view.load().points();
        long now = view.monotonicMillis();
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("server_id", view.replicaId());
        report.put("period_millis", LoadHistory.PERIOD_MILLIS);
        report.put("span_millis", LoadHistory.PERIOD_MILLIS * LoadHistory.POINTS);
        report.put("age_millis", column(points, point -> Math.max(0, now - point.endedMillis())));
        report.put("executed_per_second", column(points, point -> rounded(point.executedPerSecond())));
        report.put("own_per_second", column(points, point -> rounded(point.ownPerSecond())));
        report.put("forced_per_second", column(points, point -> rounded(point.forcedPerSecond())));
        putWaits(report, "write_micros", points, Point::writes);
        putWaits(report, "read_micros", points, Point::reads);
        report.put("lag_millis", lags(points));
        report.put("heap_bytes", column(points, Point::heapBytes));
        report.put("heap_max_bytes", Runtime.getRuntime().maxMemory());
        return report;
    }

    private static void putWaits(
            Map<String, Object> report, String name, List<Point> points, Function<Point, Waits> waits) {
        report.put(name + "_p50", column(points, known(waits, Waits::medianMicros)));
        report.put(name + "_p99", column(points, known(waits, Waits::nearlyAllMicros)));
    }

    private static Function<Point, Object> known(Function<Point, Waits> waits, ToLongFunction<Waits> micros) {
        return point -> {
            long known = micros.applyAsLong(waits.apply(point));
            return known == LoadHistory.NONE ? null : known;
        };
    }

    private static Map<Integer, Object[]> lags(List<Point> points) {
        Map<Integer, Object[]> lags = new TreeMap<>();
        TreeSet<Integer> members = new TreeSet<>();
        points.forEach(point -> members.addAll(point.lagMillis().keySet()));
        members.forEach(member ->
                lags.put(member, column(points, point -> point.lagMillis().get(member))));
        return lags;
    }

    private static Object[] column(List<Point> points, Function<Point, Object> quantity) {
        return points.stream().map(quantity).toArray();
    }

    static double rounded(double number) {
        return Math.round(number * TENTHS) / TENTHS;
    }
}
