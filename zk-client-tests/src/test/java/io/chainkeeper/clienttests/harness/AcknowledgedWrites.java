package io.chainkeeper.clienttests.harness;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a {@link LoadGenerator}'s clients sent and what they were told, and whether a tree agrees with it: nothing
 * acknowledged is lost, nothing is executed twice, and each client's writes are executed in its order. Thread-safe.
 */
public final class AcknowledgedWrites {
    private record Set(long number, String payload, int version) {}

    private final Map<String, Integer> sent = new TreeMap<>();
    private final Map<String, Integer> acknowledged = new TreeMap<>();
    private final Map<String, Set> lastSets = new TreeMap<>();
    private final Map<String, String> created = new TreeMap<>();
    private long acknowledgedInAll;
    private long unknownInAll;
    private long expiredSessions;

    synchronized void sent(String target) {
        sent.merge(target, 1, Integer::sum);
    }

    synchronized void acknowledged(String target) {
        acknowledged.merge(target, 1, Integer::sum);
        acknowledgedInAll++;
    }

    synchronized void acknowledgedSet(String path, long number, String payload, int version) {
        acknowledged(path);
        Set last = lastSets.put(path, new Set(number, payload, version));
        if (last != null && (last.version >= version || last.number >= number)) {
            throw new AssertionError(path + " got version " + version + " for write " + number + " after version "
                    + last.version + " for write " + last.number + " of the same session");
        }
    }

    synchronized void acknowledgedCreate(String path, String payload) {
        acknowledged(LoadGenerator.SEQUENCE);
        String other = created.put(path, payload);
        if (other != null) {
            throw new AssertionError("sequence znode " + path + " was given to " + other + " and to " + payload);
        }
    }

    synchronized void unknown() {
        unknownInAll++;
    }

    synchronized void sessionExpired() {
        expiredSessions++;
    }

    /** Returns how many writes were acknowledged so far. */
    public synchronized long acknowledgedCount() {
        return acknowledgedInAll;
    }

    /** Returns how many clients had to open a new session so far. */
    public synchronized long expiredSessionCount() {
        return expiredSessions;
    }

    @Override
    public synchronized String toString() {
        return acknowledgedInAll + " writes acknowledged, " + unknownInAll + " with unknown outcome, " + expiredSessions
                + " sessions expired";
    }

    /**
     * Compares with a tree that was read after the load had stopped.
     *
     * @throws AssertionError with the first contradiction
     */
    public synchronized void check(TreeDump tree) {
        lastSets.forEach((path, last) -> checkKey(tree, path, last));
        checkSequence(tree);
        TreeDump.Node left = tree.nodes().get(LoadGenerator.LEFT);
        TreeDump.Node right = tree.nodes().get(LoadGenerator.RIGHT);
        if (!left.data().equals(right.data())) {
            throw new AssertionError("a multi sets both, but " + LoadGenerator.LEFT + " is " + left.data() + " and "
                    + LoadGenerator.RIGHT + " is " + right.data());
        }
        checkCount(LoadGenerator.PAIR, left.stat().getVersion());
        checkCount(LoadGenerator.PAIR, right.stat().getVersion());
    }

    private void checkKey(TreeDump tree, String path, Set last) {
        TreeDump.Node node = tree.nodes().get(path);
        int version = node.stat().getVersion();
        checkCount(path, version);
        if (version < last.version) {
            throw new AssertionError(path + " has version " + version + ", but version " + last.version
                    + " was acknowledged for " + last.payload);
        }
        if (version == last.version && !node.data().equals(last.payload)) {
            throw new AssertionError(path + " holds " + node.data() + " at version " + version
                    + ", which was acknowledged for " + last.payload);
        }
        long number = Long.parseLong(node.data().substring(node.data().indexOf('#') + 1));
        if (number < last.number) {
            throw new AssertionError(path + " holds write " + number + " although the later write " + last.number
                    + " of the same client was acknowledged");
        }
    }

    private void checkSequence(TreeDump tree) {
        Map<String, String> byPayload = new HashMap<>();
        int count = 0;
        for (Map.Entry<String, TreeDump.Node> entry :
                tree.nodes().tailMap(LoadGenerator.SEQUENCE + "/").entrySet()) {
            if (!entry.getKey().startsWith(LoadGenerator.SEQUENCE + "/")) {
                break;
            }
            count++;
            String twin = byPayload.put(entry.getValue().data(), entry.getKey());
            if (twin != null) {
                throw new AssertionError("one create made both " + twin + " and " + entry.getKey());
            }
        }
        created.forEach((path, payload) -> {
            TreeDump.Node node = tree.nodes().get(path);
            if (node == null || !node.data().equals(payload)) {
                throw new AssertionError(
                        "acknowledged create of " + path + " by " + payload + ", but the tree has " + node);
            }
        });
        checkCount(LoadGenerator.SEQUENCE, count);
    }

    /** Every acknowledged write was executed once, every other one at most once. */
    private void checkCount(String target, int executed) {
        int least = acknowledged.getOrDefault(target, 0);
        int most = sent.getOrDefault(target, 0);
        if (executed < least || executed > most) {
            throw new AssertionError(target + " was written " + executed + " times; " + least
                    + " writes were acknowledged and " + most + " sent");
        }
    }
}
