package io.chainkeeper.benchmarks.options;

import io.chainkeeper.benchmarks.server.ServerStatus;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.stream.Collectors;

/** A server, by its place in the chain: leader first, then the ids that follow, cyclically. */
public enum Victim {
    /** Half way between leader and tail. */
    MIDDLE,
    /** The last. */
    TAIL,
    /** The first. */
    LEADER;

    /** @return the name in the command line */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Victim of(String word) throws UsageException {
        for (Victim victim : values()) {
            if (victim.word().equals(word)) {
                return victim;
            }
        }
        throw new UsageException("unknown victim '" + word + "'; give one or more of "
                + Arrays.stream(values()).map(Victim::word).collect(Collectors.joining(", ")));
    }

    /**
     * Finds the server.
     *
     * @param roles what each server says that it is, by id; three or more
     * @return the id
     * @throws IllegalArgumentException if there is not exactly one leader
     */
    public int id(SortedMap<Integer, String> roles) {
        List<Integer> chain = chain(roles);
        return switch (this) {
            case LEADER -> chain.get(0);
            case MIDDLE -> chain.get(chain.size() / 2);
            case TAIL -> chain.get(chain.size() - 1);
        };
    }

    private static List<Integer> chain(SortedMap<Integer, String> roles) {
        List<Integer> leaders = roles.entrySet().stream()
                .filter(e -> e.getValue().equals(ServerStatus.LEADER))
                .map(Map.Entry::getKey)
                .toList();
        if (leaders.size() != 1) {
            throw new IllegalArgumentException("there must be one leader, but the servers say: " + roles);
        }
        List<Integer> chain = new ArrayList<>(roles.tailMap(leaders.get(0)).keySet());
        chain.addAll(roles.headMap(leaders.get(0)).keySet());
        return chain;
    }
}
