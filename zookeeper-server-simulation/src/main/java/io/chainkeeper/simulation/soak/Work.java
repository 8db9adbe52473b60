package io.chainkeeper.simulation.soak;

import io.chainkeeper.simulation.swarm.FaultCount;
import java.util.Map;
import java.util.TreeMap;

/** What a soak has run of one protocol under one application. Not safe for several threads. */
final class Work {
    final String protocol;
    final String application;
    final Map<String, FaultCount> faults = new TreeMap<>();
    long nextSeed;
    long seeds;
    long events;
    long cpuNanos;
    long virtualMicros;
    long operations;
    long answered;
    long failed;

    /** Seeds that workers run now, times what a seed has cost so far; no part of what is kept. */
    int running;

    Work(String protocol, String application, long firstSeed) {
        this.protocol = protocol;
        this.application = application;
        this.nextSeed = firstSeed;
    }

    String name() {
        return protocol + " " + application;
    }

    /** What it has cost, and will have when those are done that run. */
    double cost() {
        double perSeed = seeds == 0 ? 1 : (double) cpuNanos / seeds;
        return cpuNanos + running * perSeed;
    }

    void add(Report report) {
        seeds++;
        failed += report.failure().isEmpty() ? 0 : 1;
        events += report.events();
        cpuNanos += report.cpuNanos();
        virtualMicros += report.virtualMicros();
        operations += report.operations();
        answered += report.answered();
        report.faults().forEach((kind, count) -> faults.merge(kind, count, FaultCount::plus));
    }

    /** Numbers in one line, for the file. */
    String text() {
        return String.join(
                " ",
                String.valueOf(nextSeed),
                String.valueOf(seeds),
                String.valueOf(events),
                String.valueOf(cpuNanos),
                String.valueOf(virtualMicros),
                String.valueOf(operations),
                String.valueOf(answered),
                String.valueOf(failed),
                "faults=" + Report.text(faults));
    }

    /** @param words what {@link #text} has made, split at spaces, from the given place on */
    void read(String[] words, int from) {
        nextSeed = Long.parseLong(words[from]);
        seeds = Long.parseLong(words[from + 1]);
        events = Long.parseLong(words[from + 2]);
        cpuNanos = Long.parseLong(words[from + 3]);
        virtualMicros = Long.parseLong(words[from + 4]);
        operations = Long.parseLong(words[from + 5]);
        answered = Long.parseLong(words[from + 6]);
        failed = Long.parseLong(words[from + 7]);
        faults.putAll(Report.counts(words[from + 8].substring("faults=".length())));
    }
}
