package io.chainkeeper.simulation.checker;

import io.chainkeeper.ordering.InvariantViolated;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.zookeeper.Watcher.Event.EventType;

/**
 * The watches of one session as its client knows them: an event comes once per registration, before the client reads
 * what it announces, and none is missed.
 */
public final class WatchChecker {
    /** What a watch on data saw if there was no node. */
    public static final long ABSENT = -1;

    private final String client;
    /** Path to the zxid of the last change that was seen when the watch was set. */
    private final Map<String, Long> data = new TreeMap<>();

    private final Map<String, Long> children = new TreeMap<>();
    private long lastReplyZxid;
    private long events;

    /** @param client for messages */
    public WatchChecker(String client) {
        this.client = client;
    }

    /** A reply tells the latest change of a node, {@link #ABSENT} if there is none. */
    public void dataSeen(String path, long zxid, boolean watch) {
        seen(data, path, zxid, watch);
    }

    /** A reply tells the latest change of a node's list of children. */
    public void childrenSeen(String path, long zxid, boolean watch) {
        seen(children, path, zxid, watch);
    }

    private void seen(Map<String, Long> watches, String path, long zxid, boolean watch) {
        Long registered = watches.get(path);
        InvariantViolated.check(
                registered == null || registered == zxid,
                "watch: %s sees change 0x%x of %s before an event, its watch was set at change 0x%x",
                client,
                zxid,
                path,
                registered == null ? 0 : registered);
        if (watch) {
            watches.put(path, zxid);
        }
    }

    /** A reply has come; its zxid is the latest transaction that it can rest on, 0 if it says nothing of that. */
    public void replied(long zxid) {
        if (zxid == 0) {
            return; // as clients do: a ping that was answered out of turn
        }
        InvariantViolated.check(
                zxid >= lastReplyZxid, "%s got zxid 0x%x in a reply after zxid 0x%x", client, zxid, lastReplyZxid);
        lastReplyZxid = zxid;
    }

    /** An event has come. */
    public void event(EventType type, String path, long zxid) {
        events++;
        InvariantViolated.check(
                zxid <= 0 || zxid > lastReplyZxid,
                "watch: %s gets event %s of %s, zxid 0x%x, after a reply with zxid 0x%x",
                client,
                type,
                path,
                zxid,
                lastReplyZxid);
        Map<String, Long> watches = type == EventType.NodeChildrenChanged ? children : data;
        InvariantViolated.check(
                watches.remove(path) != null, "watch: %s gets event %s of %s without a watch", client, type, path);
    }

    /** Paths of watches on nodes that existed, or did not. */
    public List<String> dataPaths(boolean existing) {
        List<String> paths = new ArrayList<>();
        data.forEach((path, zxid) -> {
            if ((zxid != ABSENT) == existing) {
                paths.add(path);
            }
        });
        return paths;
    }

    /** Paths whose children are watched. */
    public List<String> childPaths() {
        return new ArrayList<>(children.keySet());
    }

    /** Everything has been delivered: a watch that is still set must have seen what there is now. */
    public void checkNoneMissed(Map<String, Long> dataNow, Map<String, Long> childrenNow) {
        checkUnchanged(data, dataNow);
        checkUnchanged(children, childrenNow);
    }

    private void checkUnchanged(Map<String, Long> watches, Map<String, Long> now) {
        watches.forEach((path, zxid) -> InvariantViolated.check(
                now.getOrDefault(path, ABSENT).equals(zxid),
                "watch: %s missed the event of %s: set at change 0x%x, the latest is 0x%x",
                client,
                path,
                zxid,
                now.getOrDefault(path, ABSENT)));
    }

    /** The zxid of the latest reply. */
    public long lastReplyZxid() {
        return lastReplyZxid;
    }

    /** How many events have come. */
    long events() {
        return events;
    }
}
