package io.chainkeeper.iss;

import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The {@code iss.*} keys of a zoo.cfg, and all bounds of the protocol derived from them. One place for both. Nothing
 * that replicas must agree on is taken from here without being ordered first, so servers may differ in them.
 *
 * @param windowBatches {@code iss.windowBatches}: batches of one leader proposed and not yet ordered, at most
 * @param maxBatchCommands {@code iss.maxBatchCommands}: commands in one position, at most
 * @param maxBatchBytes {@code iss.maxBatchBytes}: bytes of commands in one position, at most, unless a single command
 *     is larger
 * @param minSegmentPositions {@code iss.minSegmentPositions}: positions of each leader in an epoch, at least
 * @param maxSegmentPositions {@code iss.maxSegmentPositions}: positions of each leader in an epoch, at most
 * @param heartbeatTicks how often replicas say that they live
 * @param suspicionTicks how long a leader may be silent, or block the order, before others finish its segment
 * @param silenceTicks how long a member may be silent before it is reported
 * @param minQuorumSize {@code iss.minQuorumSize}: a quorum has at least this many members
 * @param removesSilent whether a member that is silent is removed, as far as the least quorum allows
 * @param leaderPolicy {@code iss.leaderPolicy}
 * @param rotating {@code iss.bucketPolicy=rotating}
 */
record IssSettings(
        int windowBatches,
        int maxBatchCommands,
        int maxBatchBytes,
        int minSegmentPositions,
        int maxSegmentPositions,
        int heartbeatTicks,
        int suspicionTicks,
        int silenceTicks,
        int minQuorumSize,
        boolean removesSilent,
        LeaderPolicy leaderPolicy,
        boolean rotating) {
    static final String WINDOW_BATCHES = "iss.windowBatches";
    static final String MAX_BATCH_COMMANDS = "iss.maxBatchCommands";
    static final String MAX_BATCH_BYTES = "iss.maxBatchBytes";
    static final String MIN_SEGMENT_POSITIONS = "iss.minSegmentPositions";
    static final String MAX_SEGMENT_POSITIONS = "iss.maxSegmentPositions";
    static final String HEARTBEAT_MILLIS = "iss.heartbeatMillis";
    static final String SUSPICION_MILLIS = "iss.suspicionTimeoutMillis";
    static final String SILENCE_MILLIS = "iss.memberSilenceMillis";
    static final String MIN_QUORUM_SIZE = "iss.minQuorumSize";
    static final String LEADER_POLICY = "iss.leaderPolicy";
    static final String BUCKET_POLICY = "iss.bucketPolicy";

    /** Who leads a segment. */
    enum LeaderPolicy {
        /** All members but those that failed to finish a segment lately, or are silent. */
        BACKOFF,
        /** All members. */
        ALL,
        /** One. */
        SINGLE
    }

    /** Heartbeats that a leader may miss, at least, before it is suspected. */
    private static final int HEARTBEATS_PER_SUSPICION = 4;

    /** Bytes of values in one Promise or Learn, unless a single value is larger. */
    static final int PART_BYTES = 1 << 20;

    /** Bytes of commands in one Forward, unless a single command is larger. */
    static final int FORWARD_BYTES = 1 << 20;

    /** Messages of the next epoch that are kept; what is dropped is asked for again. */
    static final int MAX_EARLY_MESSAGES = 4096;

    /** Bytes of messages of the next epoch that are kept. */
    static final long MAX_EARLY_BYTES = 16L << 20;

    /** Polls on behalf of reads that may be under way; later reads wait and share one. */
    static final int MAX_POLLS = 16;

    private static final int RECENT_POSITIONS = 8192;
    private static final long RECENT_BYTES = 32L << 20;

    private record Key(String name, int defaultValue, int least, int most) {}

    private static final Map<String, Key> KEYS = keys();

    private static final Map<String, String[]> CHOICES = choices();

    private static Map<String, String[]> choices() {
        Map<String, String[]> choices = new TreeMap<>();
        choices.put(LEADER_POLICY, new String[] {"backoff", "all", "single"});
        choices.put(BUCKET_POLICY, new String[] {"sticky", "rotating"});
        return choices;
    }

    private static Map<String, Key> keys() {
        Map<String, Key> keys = new TreeMap<>();
        for (Key key : new Key[] {
            new Key(WINDOW_BATCHES, 4, 1, 1024),
            new Key(MAX_BATCH_COMMANDS, 1024, 1, 65536),
            new Key(MAX_BATCH_BYTES, 256 << 10, 1024, 8 << 20),
            new Key(MIN_SEGMENT_POSITIONS, 64, 2, 65536),
            new Key(MAX_SEGMENT_POSITIONS, 1024, 2, 65536),
            new Key(HEARTBEAT_MILLIS, 200, 10, 10_000),
            new Key(SUSPICION_MILLIS, 1500, 50, 120_000),
            new Key(SILENCE_MILLIS, 3_000, 100, 600_000),
            new Key(MIN_QUORUM_SIZE, 1, 1, 255)
        }) {
            keys.put(key.name(), key);
        }
        return keys;
    }

    static Set<String> names() {
        Set<String> names = new TreeSet<>(KEYS.keySet());
        names.addAll(CHOICES.keySet());
        return names;
    }

    /** Returns null, or what is wrong with the user's values. */
    static String check(Map<String, String> values, int memberCount) {
        for (Key key : KEYS.values()) {
            String problem = check(values.get(key.name()), key, memberCount);
            if (problem != null) {
                return problem;
            }
        }
        for (Map.Entry<String, String[]> choice : CHOICES.entrySet()) {
            String text = values.get(choice.getKey());
            if (text != null && !Arrays.asList(choice.getValue()).contains(text.trim())) {
                return choice.getKey() + "=" + text + " is unknown; give one of "
                        + String.join(", ", choice.getValue());
            }
        }
        int heartbeat = number(values, HEARTBEAT_MILLIS);
        int suspicion = number(values, SUSPICION_MILLIS);
        if (suspicion < HEARTBEATS_PER_SUSPICION * heartbeat) {
            return SUSPICION_MILLIS + "=" + suspicion + " must be at least four times " + HEARTBEAT_MILLIS + "="
                    + heartbeat + "; raise the one or lower the other";
        }
        int least = number(values, MIN_SEGMENT_POSITIONS);
        int most = number(values, MAX_SEGMENT_POSITIONS);
        if (least > most) {
            return MIN_SEGMENT_POSITIONS + "=" + least + " must not exceed " + MAX_SEGMENT_POSITIONS + "=" + most
                    + "; raise the one or lower the other";
        }
        return null;
    }

    private static String check(String text, Key key, int memberCount) {
        if (text == null) {
            return null;
        }
        int most = key.name().equals(MIN_QUORUM_SIZE) ? memberCount : key.most();
        long value;
        try {
            value = Long.parseLong(text.trim());
        } catch (NumberFormatException e) {
            return key.name() + "=" + text + " is not a whole number; give one from " + key.least() + " to " + most;
        }
        if (value < key.least() || value > most) {
            return key.name() + "=" + text + " is out of range; give a number from " + key.least() + " to " + most;
        }
        return null;
    }

    static IssSettings of(Map<String, String> values, int memberCount, int tickMillis) {
        int heartbeatTicks = ticks(values, HEARTBEAT_MILLIS, tickMillis);
        // Both may be rounded to a tick; a leader must be allowed to miss some heartbeats all the same.
        int suspicionTicks =
                Math.max(HEARTBEATS_PER_SUSPICION * heartbeatTicks, ticks(values, SUSPICION_MILLIS, tickMillis));
        return new IssSettings(
                number(values, WINDOW_BATCHES),
                number(values, MAX_BATCH_COMMANDS),
                number(values, MAX_BATCH_BYTES),
                number(values, MIN_SEGMENT_POSITIONS),
                number(values, MAX_SEGMENT_POSITIONS),
                heartbeatTicks,
                suspicionTicks,
                ticks(values, SILENCE_MILLIS, tickMillis),
                number(values, MIN_QUORUM_SIZE),
                values.containsKey(MIN_QUORUM_SIZE) && number(values, MIN_QUORUM_SIZE) <= memberCount / 2,
                policy(choice(values, LEADER_POLICY)),
                choice(values, BUCKET_POLICY).equals("rotating"));
    }

    private static LeaderPolicy policy(String choice) {
        return switch (choice) {
            case "all" -> LeaderPolicy.ALL;
            case "single" -> LeaderPolicy.SINGLE;
            default -> LeaderPolicy.BACKOFF;
        };
    }

    private static String choice(Map<String, String> values, String name) {
        String text = values.get(name);
        return text == null ? CHOICES.get(name)[0] : text.trim();
    }

    private static int number(Map<String, String> values, String name) {
        String text = values.get(name);
        return text == null ? KEYS.get(name).defaultValue() : Integer.parseInt(text.trim());
    }

    private static int ticks(Map<String, String> values, String name, int tickMillis) {
        return Math.max(1, number(values, name) / tickMillis);
    }

    /** How long the link to a leader may be down before it counts as silent. */
    int linkSuspicionTicks() {
        return Math.max(1, heartbeatTicks / 2);
    }

    /** How long a candidate waits for answers. */
    int electionTicks() {
        return Math.max(2, suspicionTicks / 2);
    }

    /** How long a replica that asked for decided values waits for them. */
    int fetchTicks() {
        return Math.max(2, suspicionTicks / 3);
    }

    /** How long a member may be silent before it is removed, if silent members are removed at all. */
    int removalTicks() {
        return 4 * silenceTicks;
    }

    /** An epoch is made longer if it lasted less than half of this, and shorter if more than twice as long. */
    int epochTicks() {
        return 2 * suspicionTicks;
    }

    /** How many positions behind one may be that counts as having caught up. */
    int caughtUpPositions() {
        return Math.max(64, 8 * windowBatches);
    }

    /** Decided values that are kept in memory for those who are a little behind. */
    int recentPositions() {
        return RECENT_POSITIONS;
    }

    /** Bytes of decided values that are kept in memory for those who are a little behind. */
    long recentBytes() {
        return RECENT_BYTES;
    }
}
