package io.chainkeeper.simulation.swarm;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.simulation.host.World;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Draws a protocol's zoo.cfg settings for a run: small windows and batches, short timeouts. Protocols differ in their
 * keys, so values are chosen by the unit that a key's name ends with; a key whose drawn value the protocol refuses
 * keeps its default.
 */
final class ProtocolSettings {
    private static final int[] COUNTS = {1, 2, 4, 16};
    private static final int[] BYTES = {1024, 4096, 65536};
    private static final int[] PART_BYTES = {16, 256, 65536};
    private static final String[] LEADER_POLICIES = {"backoff", "all", "single"};
    private static final String[] BUCKET_POLICIES = {"sticky", "rotating"};

    private ProtocolSettings() {}

    /**
     * Draws settings.
     *
     * @param scales of how many lengths heartbeats may be, from the shortest on
     */
    static Map<String, String> draw(
            SplittableRandom random, OrderingProtocolFactory factory, int replicas, int scales) {
        Map<String, String> settings = new TreeMap<>();
        // Timeouts keep their relations: all of them are one scale times what their meaning asks for.
        int scaleMillis = World.TICK_MILLIS * (2 + random.nextInt(scales));
        for (String key : new TreeSet<>(factory.settings().names())) {
            String value = draw(random, key, scaleMillis, replicas);
            if (value != null) {
                settings.put(key, value);
                if (factory.settings().check(settings, replicas) != null) {
                    settings.remove(key);
                }
            }
        }
        return settings;
    }

    private static String draw(SplittableRandom random, String key, int scaleMillis, int replicas) {
        if (key.endsWith("heartbeatMillis")) {
            return Integer.toString(scaleMillis);
        }
        if (key.endsWith("Millis")) {
            return Integer.toString(scaleMillis * (5 + random.nextInt(4)));
        }
        if (key.endsWith("QuorumSize")) {
            return random.nextInt(3) == 0 ? Integer.toString(1 + random.nextInt(replicas)) : null;
        }
        if (key.endsWith("leaderPolicy")) {
            return LEADER_POLICIES[random.nextInt(LEADER_POLICIES.length)];
        }
        if (key.endsWith("bucketPolicy")) {
            return BUCKET_POLICIES[random.nextInt(BUCKET_POLICIES.length)];
        }
        if (random.nextInt(3) == 0) {
            return null;
        }
        int[] bytes = key.endsWith("partBytes") ? PART_BYTES : BYTES;
        int[] choices = key.endsWith("Bytes") ? bytes : COUNTS;
        return Integer.toString(choices[random.nextInt(choices.length)]);
    }
}
