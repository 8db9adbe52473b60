package io.chainkeeper.simulation.swarm;

import io.chainkeeper.ordering.OrderingProtocolFactory;
import io.chainkeeper.simulation.host.World;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.StringJoiner;
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
    private static final String LEADER_POLICY = "leaderPolicy";
    private static final String EVERYBODY_LEADS = "all";
    private static final String[] LEADER_POLICIES = {"backoff", EVERYBODY_LEADS, "single"};
    /** Stands in no value. */
    private static final String BETWEEN_REPLICAS = ";";

    private static final String[] BUCKET_POLICIES = {"sticky", "rotating"};

    /** Drawn behind everything else: see {@link #drawMemory}. */
    private static final String POSITIONS_IN_MEMORY = "PositionsInMemory";

    private static final String INSTANCES_IN_MEMORY = "maxInstancesInMemory";
    private static final String PART = "partBytes";
    private static final String SEGMENT = "SegmentPositions";
    private static final String WINDOW = "windowInstances";
    private static final String WINDOW_BATCHES = "windowBatches";
    private static final String ZONES = "zones";
    private static final String HEARTBEAT = "heartbeatMillis";
    private static final String MEMBER_SILENCE = "memberSilenceMillis";
    private static final long DEFAULT_MEMBER_SILENCE_MILLIS = 3_000;
    private static final String SUSPICION = "suspicionTimeoutMillis";
    private static final long DEFAULT_SUSPICION_MILLIS = 1_500;

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
            if (key.endsWith(POSITIONS_IN_MEMORY)) {
                continue;
            }
            String value = draw(random, key, scaleMillis, replicas);
            if (value != null) {
                settings.put(key, value);
                if (factory.settings().check(ofReplica(settings, 0), replicas) != null) {
                    settings.remove(key);
                }
            }
        }
        return settings;
    }

    /** So few positions in memory that replicas read the log for those that are behind. */
    static void drawMemory(SplittableRandom random, OrderingProtocolFactory factory, Map<String, String> settings) {
        for (String key : factory.settings().names()) {
            if (key.endsWith(POSITIONS_IN_MEMORY)) {
                settings.put(key, Integer.toString(COUNTS[random.nextInt(COUNTS.length)]));
            }
        }
    }

    /** So much of a log at once that what is accepted only is read with what is decided. */
    static void readLogsInLongParts(Map<String, String> settings) {
        settings.keySet().removeIf(key -> key.endsWith(PART));
    }

    /** Whether positions are dealt to several leaders, in epochs. */
    static boolean haveEpochs(OrderingProtocolFactory factory) {
        return factory.settings().names().stream().anyMatch(key -> key.endsWith(SEGMENT));
    }

    /** Epochs, and what is under way in them, as long as by default. */
    static void useDefaultLengths(Map<String, String> settings) {
        settings.keySet().removeIf(key -> key.endsWith(SEGMENT) || key.endsWith(WINDOW_BATCHES));
    }

    /** Epochs of the usual length, in which whoever is behind learns one value after the other. */
    static void learnOneByOne(OrderingProtocolFactory factory, Map<String, String> settings) {
        settings.keySet().removeIf(key -> key.endsWith(SEGMENT));
        for (String key : factory.settings().names()) {
            if (key.endsWith(PART)) {
                settings.put(key, "1");
            }
        }
    }

    /** As many positions under way as are ever drawn. */
    static void widen(OrderingProtocolFactory factory, Map<String, String> settings) {
        for (String key : factory.settings().names()) {
            if (key.endsWith(WINDOW)) {
                settings.put(key, Integer.toString(COUNTS[COUNTS.length - 1]));
            }
        }
    }

    /** Whether what stays in memory is as long as windows are, at least. */
    static boolean keepsWindows(OrderingProtocolFactory factory) {
        return factory.settings().names().stream().anyMatch(key -> key.endsWith(INSTANCES_IN_MEMORY));
    }

    /** As little stays in memory as may be. All come to the same order of the chain. */
    static void keepLittle(OrderingProtocolFactory factory, Map<String, String> settings) {
        settings.keySet().removeIf(key -> key.endsWith(ZONES));
        for (String key : factory.settings().names()) {
            if (key.endsWith(WINDOW) || key.endsWith(INSTANCES_IN_MEMORY)) {
                settings.put(key, "1");
            }
        }
    }

    /** A leader may be silent for so long. */
    static void waitForLeaders(OrderingProtocolFactory factory, Map<String, String> settings, int millis) {
        for (String key : factory.settings().names()) {
            if (key.endsWith(SUSPICION)) {
                settings.put(key, Integer.toString(millis));
            }
        }
    }

    /** What one replica finds in its zoo.cfg: of a value that has several, one after the other. */
    static Map<String, String> ofReplica(Map<String, String> drawn, int id) {
        Map<String, String> settings = new TreeMap<>(drawn);
        settings.replaceAll((key, value) -> {
            String[] values = value.split(BETWEEN_REPLICAS, -1);
            return values[id % values.length];
        });
        return settings;
    }

    /**
     * How long a write may wait because replicas go by zones of their own, and take each other for the ones ahead in a
     * ring: docs/chain.md. 0 if all have the same.
     */
    static long ringMicros(Map<String, String> drawn) {
        boolean differ = drawn.entrySet().stream()
                .anyMatch(
                        each -> each.getKey().endsWith(ZONES) && each.getValue().contains(BETWEEN_REPLICAS));
        long heartbeat = millis(drawn, HEARTBEAT);
        long silence = Math.max(2 * heartbeat, millis(drawn, SUSPICION) / 3);
        return differ ? 1_000 * (silence + heartbeat) : 0;
    }

    /** How long a member may be silent before that is reported: as drawn, or the default of all protocols. */
    static long memberSilenceMicros(Map<String, String> drawn) {
        long millis = millis(drawn, MEMBER_SILENCE);
        return 1_000 * (millis == 0 ? DEFAULT_MEMBER_SILENCE_MILLIS : millis);
    }

    /** How long a leader may be silent: as drawn, or the default of all protocols. */
    static long suspicionMicros(Map<String, String> drawn) {
        long millis = millis(drawn, SUSPICION);
        return 1_000 * (millis == 0 ? DEFAULT_SUSPICION_MILLIS : millis);
    }

    /** How long others wait for a leader that lives and does nothing, since its disk hangs: docs/iss.md. */
    static long idleLeaderMicros(Map<String, String> drawn) {
        return 2_000 * (millis(drawn, SUSPICION) + millis(drawn, HEARTBEAT));
    }

    /** Whether who is gone may lead again in the next epoch, each time: docs/iss.md. */
    static boolean letGoneLead(Map<String, String> drawn) {
        return drawn.entrySet().stream()
                .anyMatch(each ->
                        each.getKey().endsWith(LEADER_POLICY) && each.getValue().equals(EVERYBODY_LEADS));
    }

    private static long millis(Map<String, String> drawn, String name) {
        return drawn.entrySet().stream()
                .filter(each -> each.getKey().endsWith(name))
                .mapToLong(each -> Long.parseLong(each.getValue()))
                .max()
                .orElse(0);
    }

    private static String draw(SplittableRandom random, String key, int scaleMillis, int replicas) {
        if (key.endsWith(HEARTBEAT)) {
            return Integer.toString(scaleMillis);
        }
        if (key.endsWith("Millis")) {
            return Integer.toString(scaleMillis * (5 + random.nextInt(4)));
        }
        if (key.endsWith("QuorumSize")) {
            return random.nextInt(3) == 0 ? Integer.toString(1 + random.nextInt(replicas)) : null;
        }
        if (key.endsWith(LEADER_POLICY)) {
            return LEADER_POLICIES[random.nextInt(LEADER_POLICIES.length)];
        }
        if (key.endsWith("bucketPolicy")) {
            return BUCKET_POLICIES[random.nextInt(BUCKET_POLICIES.length)];
        }
        if (key.endsWith(ZONES)) {
            return random.nextBoolean() ? zones(random, replicas) : null;
        }
        if (random.nextInt(3) == 0) {
            return null;
        }
        int[] bytes = key.endsWith(PART) ? PART_BYTES : BYTES;
        int[] choices = key.endsWith("Bytes") ? bytes : COUNTS;
        return Integer.toString(choices[random.nextInt(choices.length)]);
    }

    /** Mostly one for all replicas, sometimes others from replica to replica, as while an operator hands them out. */
    private static String zones(SplittableRandom random, int replicas) {
        StringJoiner values = new StringJoiner(BETWEEN_REPLICAS);
        int count = random.nextInt(3) == 0 ? 2 + random.nextInt(3) : 1;
        for (int i = 0; i < count; i++) {
            StringJoiner zones = new StringJoiner(",");
            for (int id = 1; id <= replicas; id++) {
                int zone = random.nextInt(4);
                if (zone > 0) {
                    zones.add(id + ":z" + zone);
                }
            }
            values.add(zones.toString());
        }
        return values.toString();
    }
}
