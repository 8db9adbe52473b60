package io.chainkeeper.simulation.swarm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which part of what a seed draws happens: all of it, or less, when a run that fails is shrunk. What is left out
 * changes nothing of what the rest is drawn to be.
 *
 * @param faults names of those that happen, as {@link Decisions} gives them; null for all
 * @param requests names of those that clients make; null for all
 * @param absent ids of replicas that do not start before faults have stopped
 * @param safetyMicros length of the phase with faults; 0 for what the options say
 * @param chance number of another draw of all that is left to chance beside faults and requests, as how long things
 *     take; 0 for that of the seed
 */
public record Selection(Set<String> faults, Set<String> requests, Set<Integer> absent, long safetyMicros, int chance) {
    /** Everything that the seed draws. */
    public static final Selection ALL = new Selection(null, null, Set.of(), 0, 0);

    /** What a command line calls the parts of a selection. */
    public static final List<String> OPTIONS =
            List.of("--faults", "--requests", "--absent", "--safety-micros", "--chance");

    private static final String NONE = "none";

    boolean has(String fault) {
        return faults == null || faults.contains(fault);
    }

    boolean hasRequest(String request) {
        return requests == null || requests.contains(request);
    }

    /** The same with these faults only. */
    public Selection withFaults(List<String> kept) {
        return new Selection(new TreeSet<>(kept), requests, absent, safetyMicros, chance);
    }

    /** The same with these requests only. */
    public Selection withRequests(List<String> kept) {
        return new Selection(faults, new TreeSet<>(kept), absent, safetyMicros, chance);
    }

    /** The same without these replicas. */
    public Selection without(Set<Integer> replicas) {
        return new Selection(faults, requests, new TreeSet<>(replicas), safetyMicros, chance);
    }

    /** The same with a phase with faults of another length. */
    public Selection lasting(long micros) {
        return new Selection(faults, requests, absent, micros, chance);
    }

    /** The same with another draw of the rest. */
    public Selection withChance(int number) {
        return new Selection(faults, requests, absent, safetyMicros, number);
    }

    /**
     * The same with an option of the command line.
     *
     * @param option one of {@link #OPTIONS}
     * @param value as {@link #options} prints it
     * @throws IllegalArgumentException if the value is none
     */
    public Selection with(String option, String value) {
        return switch (option) {
            case "--faults" -> withFaults(names(value));
            case "--requests" -> withRequests(names(value));
            case "--absent" -> {
                Set<Integer> ids = new TreeSet<>();
                names(value).forEach(id -> ids.add(Integer.parseInt(id)));
                yield without(ids);
            }
            case "--safety-micros" -> lasting(Long.parseLong(value));
            case "--chance" -> withChance(Integer.parseInt(value));
            default -> throw new IllegalArgumentException("unknown option " + option);
        };
    }

    private static List<String> names(String value) {
        return value.equals(NONE) ? List.of() : Arrays.asList(value.split(","));
    }

    /** What a command line needs to select the same; empty if that is everything. */
    public String options() {
        List<String> words = new ArrayList<>();
        if (faults != null) {
            words.add(" --faults " + text(faults));
        }
        if (requests != null) {
            words.add(" --requests " + text(requests));
        }
        if (!absent.isEmpty()) {
            words.add(" --absent " + text(absent));
        }
        if (safetyMicros > 0) {
            words.add(" --safety-micros " + safetyMicros);
        }
        if (chance > 0) {
            words.add(" --chance " + chance);
        }
        return String.join("", words);
    }

    private static String text(Set<?> names) {
        return names.isEmpty()
                ? NONE
                : String.join(",", names.stream().map(String::valueOf).toList());
    }
}
