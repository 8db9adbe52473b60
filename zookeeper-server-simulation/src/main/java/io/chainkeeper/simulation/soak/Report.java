package io.chainkeeper.simulation.soak;

import io.chainkeeper.simulation.swarm.FaultCount;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What a worker says of a seed that it has run. One line of words, so that it can be read from a pipe.
 *
 * @param events that happened
 * @param cpuNanos of the whole worker process since its last report
 * @param virtualMicros virtual time that passed
 * @param settlingMicros of it after the last fault; 0 if the seed failed
 * @param operations that clients asked for
 * @param answered of them
 * @param heapBytes in use in the worker
 * @param faults how many of each kind were due, and had an effect
 * @param states hashes of coarse states that the worker had not seen before
 * @param failure what was broken, in one line; empty if nothing
 */
record Report(
        long events,
        long cpuNanos,
        long virtualMicros,
        long settlingMicros,
        long operations,
        long answered,
        long heapBytes,
        Map<String, FaultCount> faults,
        int[] states,
        String failure) {
    /** What a line begins with that reports a seed; other lines say that the worker lives. */
    static final String BEGINNING = "seed ";

    private static final String NONE = "-";
    private static final int WORDS = 10;

    String line() {
        String hashes = Arrays.stream(states).mapToObj(Integer::toString).collect(Collectors.joining(","));
        return BEGINNING
                + String.join(
                        " ",
                        List.of(
                                String.valueOf(events),
                                String.valueOf(cpuNanos),
                                String.valueOf(virtualMicros),
                                String.valueOf(settlingMicros),
                                String.valueOf(operations),
                                String.valueOf(answered),
                                String.valueOf(heapBytes),
                                text(faults),
                                hashes.isEmpty() ? NONE : hashes,
                                failure));
    }

    static Report of(String line) {
        String[] words = line.substring(BEGINNING.length()).split(" ", WORDS);
        int[] states = words[8].equals(NONE)
                ? new int[0]
                : Arrays.stream(words[8].split(",")).mapToInt(Integer::parseInt).toArray();
        return new Report(
                Long.parseLong(words[0]),
                Long.parseLong(words[1]),
                Long.parseLong(words[2]),
                Long.parseLong(words[3]),
                Long.parseLong(words[4]),
                Long.parseLong(words[5]),
                Long.parseLong(words[6]),
                counts(words[7]),
                states,
                words[9]);
    }

    /** Kind by kind, how many were due and how many had an effect: {@code crash:12/10}. */
    static String text(Map<String, FaultCount> counts) {
        String text = counts.entrySet().stream()
                .map(each -> each.getKey() + ":" + each.getValue())
                .collect(Collectors.joining(","));
        return text.isEmpty() ? NONE : text;
    }

    static Map<String, FaultCount> counts(String text) {
        Map<String, FaultCount> counts = new TreeMap<>();
        if (!text.equals(NONE)) {
            for (String each : text.split(",")) {
                String[] parts = each.split(":");
                counts.put(parts[0], FaultCount.of(parts[1]));
            }
        }
        return counts;
    }
}
