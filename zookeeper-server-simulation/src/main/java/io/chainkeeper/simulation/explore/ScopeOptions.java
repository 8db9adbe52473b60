package io.chainkeeper.simulation.explore;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Scopes as options of a command. */
final class ScopeOptions {
    private static final String START = "--start";
    private static final String WRITES = "--writes";
    private static final String READS = "--reads";
    private static final String TICKS = "--ticks";
    private static final String TICKS_AT_ONCE = "--ticks-at-once";
    private static final String CHECKPOINTS = "--checkpoints";
    private static final String PARTICIPANTS = "--participants";
    private static final String NEXT_PARTICIPANTS = "--next-participants";
    private static final String MAY_CRASH = "--may-crash";
    private static final String CRASHES = "--crashes";
    private static final String RESTARTS = "--restarts";
    private static final String BREAKS = "--breaks";
    private static final String DISKS = "--disks";
    private static final String DISK_FAILURES = "--disk-failures";
    private static final String IN_STEP = "--in-step";
    private static final String DETAILS = "--details";
    private static final String NO_DETAILS = "none";

    static final List<String> NAMES = List.of(
            START,
            WRITES,
            READS,
            TICKS,
            TICKS_AT_ONCE,
            CHECKPOINTS,
            PARTICIPANTS,
            NEXT_PARTICIPANTS,
            MAY_CRASH,
            CRASHES,
            RESTARTS,
            BREAKS,
            DISKS,
            DISK_FAILURES,
            IN_STEP,
            DETAILS);

    private ScopeOptions() {}

    /**
     * The scopes that options ask for, by name.
     *
     * @param named those that have a name
     * @throws IllegalArgumentException if a value is wrong; the message says which and what is right
     */
    static Map<String, Scope> read(Map<String, String> options, Map<String, Scope> named) {
        String name = options.get("--scope");
        if (name != null && !named.containsKey(name)) {
            throw new IllegalArgumentException("no scope is named " + name + "; there are " + named.keySet());
        }
        boolean own = NAMES.stream().anyMatch(options::containsKey);
        if (name == null && !own) {
            return named;
        }
        Map<String, Scope> one = new TreeMap<>();
        Scope base = name == null ? Scope.led() : named.get(name);
        one.put(name == null ? "scope" : name, own ? read(options, base) : base);
        return one;
    }

    private static Scope read(Map<String, String> options, Scope base) {
        List<Integer> writes =
                counts(options, WRITES, base.writes(), base.writes().size());
        int replicas = writes.size();
        boolean changes = base.changes() && replicas == base.replicas();
        List<Integer> first = changes ? base.participants() : Collections.nCopies(replicas, 1);
        List<Integer> participants = counts(options, PARTICIPANTS, first, replicas);
        return new Scope(
                options.containsKey(START) ? start(options.get(START)) : base.start(),
                writes,
                counts(options, READS, base.reads(), replicas),
                counts(options, TICKS, base.ticks(), replicas),
                number(options, TICKS_AT_ONCE, base.ticksAtOnce()),
                counts(options, CHECKPOINTS, base.checkpoints(), replicas),
                participants,
                counts(options, NEXT_PARTICIPANTS, changes ? base.nextParticipants() : participants, replicas),
                counts(options, MAY_CRASH, base.mayCrash(), replicas),
                number(options, CRASHES, base.maxCrashes()),
                number(options, RESTARTS, base.maxRestarts()),
                number(options, BREAKS, base.maxBreaks()),
                number(options, DISKS, base.disks()),
                number(options, DISK_FAILURES, base.maxDiskFailures()),
                counts(options, IN_STEP, base.inStep(), replicas),
                options.containsKey(DETAILS) ? details(options.get(DETAILS)) : base.details());
    }

    private static Scope.Start start(String text) {
        return constant(START, text, Scope.Start.values());
    }

    private static Set<Scope.Detail> details(String text) {
        Set<Scope.Detail> details = new TreeSet<>();
        for (String part : text.equals(NO_DETAILS) ? new String[0] : text.split(",", -1)) {
            details.add(constant(DETAILS, part, Scope.Detail.values()));
        }
        return details;
    }

    private static <E extends Enum<E>> E constant(String option, String text, E[] constants) {
        for (E constant : constants) {
            if (print(constant).equals(text.trim().toLowerCase(Locale.ROOT))) {
                return constant;
            }
        }
        throw new IllegalArgumentException(option + " knows "
                + Stream.of(constants).map(ScopeOptions::print).collect(Collectors.joining(", ")) + ", not " + text);
    }

    private static String print(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static String print(Set<Scope.Detail> details) {
        return details.isEmpty()
                ? NO_DETAILS
                : details.stream().map(ScopeOptions::print).collect(Collectors.joining(","));
    }

    private static List<Integer> counts(
            Map<String, String> options, String option, List<Integer> otherwise, int replicas) {
        String text = options.get(option);
        List<Integer> counts = new ArrayList<>();
        if (text == null) {
            for (int i = 0; i < replicas; i++) {
                counts.add(i < otherwise.size() ? otherwise.get(i) : 0);
            }
            return counts;
        }
        for (String part : text.split(",", -1)) {
            counts.add(number(option, part));
        }
        return counts;
    }

    /**
     * The value of an option that is a number.
     *
     * @throws IllegalArgumentException if it is something else
     */
    static int number(Map<String, String> options, String option, int otherwise) {
        String text = options.get(option);
        return text == null ? otherwise : number(option, text);
    }

    private static int number(String option, String text) {
        try {
            int number = Integer.parseInt(text.trim());
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new IllegalArgumentException(option + " needs numbers from 0, not " + text);
    }

    /** A scope as options. */
    static String print(Scope scope) {
        return START + " " + print(scope.start()) + " " + WRITES + " "
                + join(scope.writes()) + " " + READS + " " + join(scope.reads()) + " " + TICKS + " "
                + join(scope.ticks()) + " " + TICKS_AT_ONCE + " " + scope.ticksAtOnce() + " " + CHECKPOINTS + " "
                + join(scope.checkpoints()) + " " + PARTICIPANTS + " " + join(scope.participants()) + " "
                + NEXT_PARTICIPANTS + " " + join(scope.nextParticipants()) + " " + MAY_CRASH + " "
                + join(scope.mayCrash()) + " " + CRASHES + " " + scope.maxCrashes() + " " + RESTARTS + " "
                + scope.maxRestarts() + " " + BREAKS + " " + scope.maxBreaks() + " " + DISKS + " " + scope.disks() + " "
                + DISK_FAILURES + " " + scope.maxDiskFailures() + " " + IN_STEP + " "
                + join(scope.inStep()) + " " + DETAILS + " " + print(scope.details());
    }

    private static String join(List<Integer> counts) {
        return counts.stream().map(String::valueOf).collect(Collectors.joining(","));
    }
}
