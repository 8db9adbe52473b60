package io.chainkeeper.server.session;

import java.io.PrintWriter;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.zookeeper.KeeperException.SessionExpiredException;
import org.apache.zookeeper.KeeperException.SessionMovedException;
import org.apache.zookeeper.server.ZKDatabase;
import org.apache.zookeeper.server.quorum.UpgradeableSessionTracker;

/**
 * ZooKeeper's view of the sessions: existence and owner come from the replicated {@link SessionTable}, liveness from
 * {@link OwnedSessions}. Owners are compared by replica id. Local sessions are not supported.
 */
public final class ReplicatedSessionTracker extends UpgradeableSessionTracker {
    private final SessionTable table;
    private final OwnedSessions owned;
    private final SessionIds ids;
    private final ZKDatabase database;

    /**
     * @param table all sessions
     * @param owned those served here
     * @param ids where ids for new sessions come from
     * @param database keeps the timeouts that snapshots hold
     */
    public ReplicatedSessionTracker(SessionTable table, OwnedSessions owned, SessionIds ids, ZKDatabase database) {
        this.table = table;
        this.owned = owned;
        this.ids = ids;
        this.database = database;
    }

    @Override
    public long createSession(int timeoutMillis) {
        long id = ids.next();
        owned.requested(id, timeoutMillis);
        return id;
    }

    @Override
    public boolean trackSession(long id, int timeoutMillis) {
        return true;
    }

    @Override
    public boolean commitSession(long id, int timeoutMillis) {
        return database.getSessionWithTimeOuts().put(id, timeoutMillis) == null;
    }

    @Override
    public void removeSession(long id) {
        database.getSessionWithTimeOuts().remove(id);
    }

    @Override
    public boolean touchSession(long id, int timeoutMillis) {
        return owned.touch(id);
    }

    @Override
    public void setSessionClosing(long id) {
        // The session is closed by the same command, before anything else can see it.
    }

    @Override
    public boolean isGlobalSession(long id) {
        return table.get(id) != null;
    }

    @Override
    public void checkSession(long id, Object owner) throws SessionExpiredException, SessionMovedException {
        SessionState state = table.get(id);
        if (state == null) {
            throw new SessionExpiredException();
        }
        if (owner == null || state.owner() != (Integer) owner) {
            throw new SessionMovedException();
        }
    }

    @Override
    public void checkGlobalSession(long id, Object owner) throws SessionExpiredException, SessionMovedException {
        checkSession(id, owner);
    }

    @Override
    public void setOwner(long id, Object owner) {
        // The command that creates or attaches the session sets its owner in the table.
    }

    @Override
    public void dumpSessions(PrintWriter out) {
        out.println("Global Sessions(" + table.size() + "):");
        Map<Long, SessionState> sorted = new TreeMap<>();
        table.forEach(sorted::put);
        sorted.forEach((id, state) -> out.println("0x" + Long.toHexString(id) + "\t" + state.timeoutMillis() + "ms"));
    }

    @Override
    public Map<Long, Set<Long>> getSessionExpiryMap() {
        return owned.expiryTimes();
    }

    @Override
    public Set<Long> globalSessions() {
        Set<Long> all = new TreeSet<>();
        table.forEach((id, state) -> all.add(id));
        return all;
    }

    @Override
    public void shutdown() {
        // Owns no thread.
    }
}
