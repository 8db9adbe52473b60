package io.chainkeeper.simulation.znode;

import io.chainkeeper.simulation.checker.WatchChecker;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** What a client knows of one session of its. */
final class ZnodeSession {
    private final long id;
    private final WatchChecker watches;
    private final List<List<Integer>> writes = new ArrayList<>();
    private final TreeSet<String> ephemeralPaths = new TreeSet<>();
    private boolean closing;

    /** @param id given by the server; 0 before */
    ZnodeSession(long id) {
        this.id = id;
        this.watches = new WatchChecker("session 0x" + Long.toHexString(id));
    }

    long id() {
        return id;
    }

    WatchChecker watches() {
        return watches;
    }

    void connectionBegins() {
        writes.add(new ArrayList<>());
    }

    /** A write was sent over the connection that began last. */
    void wrote(int xid) {
        writes.get(writes.size() - 1).add(xid);
    }

    /** Numbers of the writes sent, connection by connection. */
    List<List<Integer>> writes() {
        return writes;
    }

    /** Paths where the session has tried to create an ephemeral node. */
    TreeSet<String> ephemeralPaths() {
        return ephemeralPaths;
    }

    /** The client asks for the end; nothing else is asked from now on. */
    void close() {
        closing = true;
    }

    boolean isClosing() {
        return closing;
    }
}
