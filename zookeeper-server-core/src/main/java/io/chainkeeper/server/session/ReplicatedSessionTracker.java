package io.chainkeeper.server.session;

import java.io.PrintWriter;
import java.util.List;
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
 * {@link OwnedSessions}. Owners are compared by replica id.
 *
 * <p>A local session is not in the table: only the replica that its client is connected to knows it, and answers for it
 * in what it proposes. Executing such a request looks for no session, on no replica.
 */
public final class ReplicatedSessionTracker extends UpgradeableSessionTracker {
    /** The owner that a request of a local session is executed with. */
    public static final Object LOCAL_OWNER = new Object();

    private final SessionTable table;
    private final OwnedSessions owned;
    private final SessionIds ids;
    private final ZKDatabase database;

    /**
     * @param table all sessions
     * @param owned those served here
     * @param ids where ids for new sessions come from
     * @param database keeps the timeouts that snapshots hold
     * @param localSessions {@code localSessionsEnabled}: whether new sessions are local; one whose id could be chosen
     *     again after a restart is an ordinary one all the same
     */
    public ReplicatedSessionTracker(
            SessionTable table, OwnedSessions owned, SessionIds ids, ZKDatabase database, boolean localSessions) {
        this.table = table;
        this.owned = owned;
        this.ids = ids;
        this.database = database;
        this.localSessionsEnabled = localSessions;
    }

    @Override
    public long createSession(int timeoutMillis) {
        long id = ids.next();
        if (localSessionsEnabled && !ids.mayRecur(id)) {
            owned.local(id, timeoutMillis);
        } else {
            owned.requested(id, timeoutMillis);
        }
        return id;
    }

    @Override
    public boolean isLocalSession(long id) {
        return localSessionsEnabled && owned.isLocal(id);
    }

    @Override
    public Set<Long> localSessions() {
        return owned.localSessions();
    }

    @Override
    public long getLocalSessionCount() {
        return localSessionsEnabled ? owned.localSessions().size() : 0;
    }

    /** @return local sessions whose clients were silent for their timeout; any thread */
    public List<Long> expiredLocalSessions() {
        return localSessionsEnabled ? owned.expiredLocal() : List.of();
    }

    @Override
    public int upgradeSession(long id) {
        return owned.upgrade(id);
    }

    /**
     * @param id a session whose client has asked for something
     * @return whether it was upgraded a moment ago: whatever is proposed for it now comes behind the command that makes
     *     it known to all replicas; any thread
     */
    public boolean isBeingUpgraded(long id) {
        return owned.isRequested(id);
    }

    /**
     * What was to make a local session known to all replicas is not ordered: it stays as it was.
     *
     * @param id the session
     */
    public void stayLocal(long id) {
        owned.stayLocal(id);
    }

    /**
     * The client of a local session goes on with it on a new connection to this replica.
     *
     * @param id the session
     * @param timeoutMillis negotiated timeout
     */
    public void resumeLocalSession(long id, int timeoutMillis) {
        owned.local(id, timeoutMillis);
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
        if (isLocalSession(id)) {
            owned.forget(id);
        }
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
        if (owner != LOCAL_OWNER) {
            checkGlobalSession(id, owner);
        }
    }

    @Override
    public void checkGlobalSession(long id, Object owner) throws SessionExpiredException, SessionMovedException {
        SessionState state = table.get(id);
        if (state == null) {
            throw new SessionExpiredException();
        }
        if (!(owner instanceof Integer replica) || state.owner() != replica) {
            throw new SessionMovedException();
        }
    }

    @Override
    public void setOwner(long id, Object owner) {
        // The command that creates or attaches the session sets its owner in the table.
    }

    @Override
    public void dumpSessions(PrintWriter out) {
        if (localSessionsEnabled) {
            Set<Long> local = owned.localSessions();
            out.println("Local Sessions(" + local.size() + "):");
            local.forEach(id -> out.println("0x" + Long.toHexString(id)));
        }
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
