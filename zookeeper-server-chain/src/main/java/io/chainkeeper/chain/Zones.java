package io.chainkeeper.chain;

import io.chainkeeper.ordering.Membership;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Where replicas stand, {@code chain.zones}: the members of a zone follow one another in the chain, so that a value
 * crosses from zone to zone once for each of them. It begins with the leader's zone; the others follow as the setting
 * names them first, and begin anew behind the last, so that whoever writes them down as they lie, one beside the next,
 * has a short way round whichever of them leads. Immutable.
 */
final class Zones {
    /** What a user may give. */
    static final String SHAPE = "server ids from 1 to " + Membership.MAX_REPLICA_ID
            + " with the names of their zones, such as 1:eu,2:eu,3:us";

    private static final int MAX_NAME_LENGTH = 64;
    private static final int MAX_ID_LENGTH = 3;

    /** Number of the zone of each replica that has one, in the order in which the setting names zones. */
    private final Map<Integer, Integer> numbers = new TreeMap<>();

    private final int count;

    /** @param text what {@link #problem} found nothing wrong with */
    Zones(String text) {
        List<String> names = new ArrayList<>();
        for (String entry : entries(text)) {
            int colon = entry.indexOf(':');
            String name = entry.substring(colon + 1).trim();
            if (!names.contains(name)) {
                names.add(name);
            }
            numbers.put(Integer.valueOf(entry.substring(0, colon).trim()), names.indexOf(name));
        }
        count = names.size();
    }

    /** Returns what is wrong with a user's text, and what to give instead; null if nothing is. */
    static String problem(String text) {
        Map<Integer, String> zones = new TreeMap<>();
        for (String entry : entries(text)) {
            int colon = entry.indexOf(':');
            int id = colon < 0 ? -1 : number(entry.substring(0, colon).trim());
            if (id < 0 || !isName(entry.substring(colon + 1).trim())) {
                return "has '" + entry + "'; give " + SHAPE;
            }
            if (id < 1 || id > Membership.MAX_REPLICA_ID) {
                return "has the server id " + id + "; give " + SHAPE;
            }
            if (zones.put(id, entry) != null) {
                return "names server " + id + " twice; give each server one zone";
            }
        }
        return null;
    }

    /** Returns -1 for what is no id. */
    private static int number(String text) {
        boolean isNumber = !text.isEmpty()
                && text.length() <= MAX_ID_LENGTH
                && text.chars().allMatch(c -> c >= '0' && c <= '9');
        return isNumber ? Integer.parseInt(text) : -1;
    }

    private static boolean isName(String text) {
        return !text.isEmpty()
                && text.length() <= MAX_NAME_LENGTH
                && text.chars().allMatch(c -> c > ' ' && c < 127 && c != ':' && c != ',');
    }

    private static List<String> entries(String text) {
        return text.isEmpty() ? List.of() : List.of(text.split(",", -1));
    }

    /**
     * The place of a replica's zone in the chain of a leader: 0 is the leader's own zone. Replicas without a zone stand
     * behind all zones.
     */
    int place(int id, int leader) {
        Integer zone = numbers.get(id);
        if (zone == null) {
            return count;
        }
        return Math.floorMod(zone - numbers.getOrDefault(leader, 0), count);
    }
}
