package io.chainkeeper.server.state;

import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.RuleSwitches;
import io.chainkeeper.release.FeatureLevel;
import io.chainkeeper.release.FeatureRange;
import io.chainkeeper.release.Release;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The feature level in force, and which levels each replica has said that its release knows. Part of the replicated
 * state, equal on every replica at the same position. Changed by the apply thread, may be read by any.
 *
 * <pre>
 * level    int, its release string
 * count    int, that many: replica int, oldest int, newest int, release string
 * string:  length byte, ASCII
 * </pre>
 */
public final class FeatureState {
    private static final int LEAST_ENTRY_BYTES = 3 * Integer.BYTES + 1;

    /**
     * What a replica runs.
     *
     * @param release name of its release
     * @param levels that this release knows
     */
    public record Runs(String release, FeatureRange levels) {}

    private volatile FeatureLevel level = FeatureLevel.NONE;
    private final SortedMap<Integer, Runs> runs = new TreeMap<>();
    private RuleSwitches rules = RuleSwitches.ALL_ON;

    /**
     * Takes a rule out; only the simulator does.
     *
     * @param rule that is not followed from now on
     */
    public void doWithout(FeatureRule rule) {
        rules = RuleSwitches.without(rule);
    }

    /**
     * @param rule asked for
     * @return whether it is followed, as all are in every server
     */
    public boolean follows(FeatureRule rule) {
        return rules.isOn(rule);
    }

    /** @return the level in force; {@link FeatureLevel#NONE} before the cluster has been formed */
    public FeatureLevel level() {
        return level;
    }

    /** @param formedAt the level that the cluster begins with */
    void formed(FeatureLevel formedAt) {
        level = formedAt;
    }

    /**
     * A replica says with its start what it runs.
     *
     * @param replica replica id
     * @param said what it runs
     */
    public synchronized void said(int replica, Runs said) {
        runs.put(replica, said);
    }

    /** @return what each replica has said last that it runs, by id; none of those of releases that did not say it */
    public synchronized SortedMap<Integer, Runs> runs() {
        return Collections.unmodifiableSortedMap(new TreeMap<>(runs));
    }

    /**
     * @param members replica ids
     * @return the highest level that all of them know; {@link FeatureRange#NO_LEVEL} if one has not said what it runs,
     *     or none is known to all
     */
    public synchronized int highestCommon(Collection<Integer> members) {
        int highest = Integer.MAX_VALUE;
        int lowest = FeatureRange.FIRST_LEVEL;
        for (int member : members) {
            Runs of = runs.get(member);
            if (of == null) {
                return FeatureRange.NO_LEVEL;
            }
            highest = Math.min(highest, of.levels().newest());
            lowest = Math.max(lowest, of.levels().oldest());
        }
        return highest < lowest || members.isEmpty() ? FeatureRange.NO_LEVEL : highest;
    }

    /**
     * @param servers ids of those that are configured
     * @param own what this replica knows
     * @return the highest level that those know who have said it by now, and this replica
     */
    public synchronized FeatureLevel forFounding(Collection<Integer> servers, FeatureRange own) {
        int highest = own.newest();
        for (int server : servers) {
            Runs of = runs.get(server);
            highest = of == null ? highest : Math.min(highest, of.levels().newest());
        }
        return FeatureLevel.of(Math.max(own.oldest(), highest));
    }

    /**
     * Raises the level if it is below the wanted one and all members know that; else nothing happens. It never falls.
     *
     * @param wanted the level that is to be in force
     * @param members replica ids
     * @return whether it is in force now and was not before
     */
    public boolean raise(FeatureLevel wanted, Collection<Integer> members) {
        if (level.number() == FeatureRange.NO_LEVEL
                || wanted.number() <= level.number()
                || follows(FeatureRule.LEVEL_RISES_WHERE_ALL_KNOW_IT) && wanted.number() > highestCommon(members)) {
            return false;
        }
        level = wanted;
        return true;
    }

    synchronized int encodedBytes() {
        int bytes = Integer.BYTES + stringBytes(level.release()) + Integer.BYTES;
        for (Runs of : runs.values()) {
            bytes += LEAST_ENTRY_BYTES + of.release().length();
        }
        return bytes;
    }

    private static int stringBytes(String text) {
        return 1 + text.length();
    }

    synchronized void put(ByteBuffer out) {
        out.putInt(level.number());
        put(level.release(), out);
        out.putInt(runs.size());
        for (Map.Entry<Integer, Runs> entry : runs.entrySet()) {
            FeatureRange levels = entry.getValue().levels();
            out.putInt(entry.getKey()).putInt(levels.oldest()).putInt(levels.newest());
            put(entry.getValue().release(), out);
        }
    }

    private static void put(String text, ByteBuffer out) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        out.put((byte) bytes.length).put(bytes);
    }

    /**
     * Reads back what {@link #put} wrote.
     *
     * @throws MalformedMessageException if it is anything else
     */
    static FeatureState get(ByteBuffer in) throws MalformedMessageException {
        FeatureState state = new FeatureState();
        state.level = new FeatureLevel(in.getInt(), string(in));
        int count = in.getInt();
        if (count < 0 || count > in.remaining() / LEAST_ENTRY_BYTES) {
            throw new MalformedMessageException("side state claims what " + count + " replicas run");
        }
        for (int i = 0; i < count; i++) {
            int replica = in.getInt();
            FeatureRange levels = new FeatureRange(in.getInt(), in.getInt());
            state.runs.put(replica, new Runs(string(in), levels));
        }
        return state;
    }

    private static String string(ByteBuffer in) throws MalformedMessageException {
        int length = in.get();
        if (length < 0 || length > Release.MAX_NAME_LENGTH) {
            throw new MalformedMessageException("side state names a release of " + length + " characters");
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return new String(bytes, StandardCharsets.US_ASCII);
    }
}
