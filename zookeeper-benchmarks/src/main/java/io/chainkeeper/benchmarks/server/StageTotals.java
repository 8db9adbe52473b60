package io.chainkeeper.benchmarks.server;

import java.util.Map;
import java.util.TreeMap;

/**
 * Quantities that a server measures again and again, from its answer to {@code mntr}: how often and how much in total
 * since its start. Chainkeeper's are those of the order ({@code ordering_NAME_count}, {@code ordering_NAME_sum});
 * ZooKeeper's own are called {@code cnt_NAME} and {@code sum_NAME}.
 *
 * @param totals by name, without {@code zk_}
 */
public record StageTotals(Map<String, Total> totals) {
    private static final String PREFIX = "zk_";
    private static final String ORDERING = "ordering_";

    /**
     * @param count how often it was measured
     * @param sum of all values, in the unit that the name says or that ZooKeeper documents
     */
    record Total(double count, double sum) {}

    /**
     * A quantity in an interval.
     *
     * @param count how often it was measured
     * @param mean of these values
     */
    public record Stage(double count, double mean) {}

    /**
     * Reads an answer.
     *
     * @param answer text of the answer to {@code mntr}
     * @return what it holds of such quantities
     */
    static StageTotals parse(String answer) {
        Map<String, Double> counts = new TreeMap<>();
        Map<String, Double> sums = new TreeMap<>();
        answer.lines().map(line -> line.split("\t")).filter(f -> f.length == 2).forEach(fields -> {
            String key = fields[0].startsWith(PREFIX) ? fields[0].substring(PREFIX.length()) : fields[0];
            if (key.startsWith(ORDERING) && key.endsWith("_count")) {
                put(counts, withoutEnd(key, "_count"), fields[1]);
            } else if (key.startsWith(ORDERING) && key.endsWith("_sum")) {
                put(sums, withoutEnd(key, "_sum"), fields[1]);
            } else if (key.startsWith("cnt_")) {
                put(counts, key.substring("cnt_".length()), fields[1]);
            } else if (key.startsWith("sum_")) {
                put(sums, key.substring("sum_".length()), fields[1]);
            }
        });
        Map<String, Total> totals = new TreeMap<>();
        counts.forEach((name, count) -> {
            if (sums.containsKey(name)) {
                totals.put(name, new Total(count, sums.get(name)));
            }
        });
        return new StageTotals(totals);
    }

    private static String withoutEnd(String text, String end) {
        return text.substring(0, text.length() - end.length());
    }

    private static void put(Map<String, Double> numbers, String name, String text) {
        try {
            numbers.put(name, Double.parseDouble(text.trim()));
        } catch (NumberFormatException e) {
            numbers.remove(name); // a name that looks like a number's but is none
        }
    }

    /**
     * The difference to a later answer of the same server.
     *
     * @param later the answer
     * @return what was measured between the two; what was not measured at all is absent
     */
    Map<String, Stage> until(StageTotals later) {
        Map<String, Stage> stages = new TreeMap<>();
        later.totals.forEach((name, after) -> {
            Total before = totals.getOrDefault(name, new Total(0, 0));
            double count = after.count() - before.count();
            if (count > 0) {
                stages.put(name, new Stage(count, (after.sum() - before.sum()) / count));
            }
        });
        return stages;
    }
}
