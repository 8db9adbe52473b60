package io.chainkeeper.server.session;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.RuleSwitches;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

/**
 * All sessions of the ensemble: replicated state, equal on every replica at the same position. Changed by the executor
 * thread only; may be read by any thread.
 */
public final class SessionTable {
    private static final int ENTRY_BYTES = 8 + 4 + 4 + 8 + 8;

    private final ConcurrentHashMap<Long, SessionState> sessions = new ConcurrentHashMap<>();
    private RuleSwitches rules = RuleSwitches.ALL_ON;

    /**
     * Takes a rule out; only the simulator does.
     *
     * @param rule that is not followed from now on
     */
    public void doWithout(SessionRule rule) {
        rules = RuleSwitches.without(rule);
    }

    /**
     * @param sessionId a session
     * @return its state, null if there is no such session
     */
    public SessionState get(long sessionId) {
        return sessions.get(sessionId);
    }

    /** @return number of sessions */
    public int size() {
        return sessions.size();
    }

    /**
     * Visits all sessions in no particular order; deterministic code must not depend on it.
     *
     * @param visitor called for each
     */
    public void forEach(BiConsumer<Long, SessionState> visitor) {
        sessions.forEach(visitor);
    }

    /**
     * Creates a session.
     *
     * @param sessionId its id
     * @param timeoutMillis negotiated timeout
     * @param owner replica that serves it, or {@link SessionState#NO_OWNER}
     * @param incarnation of the owner
     * @return false if there is one with this id already; it is left as it was
     */
    public boolean create(long sessionId, int timeoutMillis, int owner, long incarnation) {
        return sessions.putIfAbsent(sessionId, new SessionState(timeoutMillis, owner, incarnation, 0)) == null;
    }

    /**
     * Gives a session to a replica.
     *
     * @param sessionId the session
     * @param replica the new owner, which may be the old one
     * @param incarnation of the new owner
     * @param timeoutMillis newly negotiated timeout
     * @return the state before, or null if there is no such session
     */
    public SessionState attach(long sessionId, int replica, long incarnation, int timeoutMillis) {
        SessionState before = sessions.get(sessionId);
        if (before != null) {
            sessions.put(sessionId, before.attachedTo(replica, incarnation, timeoutMillis));
        }
        return before;
    }

    /**
     * @param rule asked for
     * @return whether it is followed, as all are in every server; any thread
     */
    public boolean follows(SessionRule rule) {
        return rules.isOn(rule);
    }

    /**
     * Decides about an expiry that was proposed some time ago.
     *
     * @param sessionId the session
     * @param owner its owner when the expiry was proposed
     * @param epoch its epoch then
     * @return whether the session still exists with that owner and epoch
     */
    public boolean mayExpire(long sessionId, int owner, long epoch) {
        SessionState state = sessions.get(sessionId);
        return state != null
                && (state.owner() == owner || !rules.isOn(SessionRule.EXPIRY_IS_OF_THE_PRESENT_OWNER))
                && (state.epoch() == epoch || !rules.isOn(SessionRule.EXPIRY_IS_OF_THE_PRESENT_EPOCH));
    }

    /**
     * Ends a session.
     *
     * @param sessionId the session
     */
    public void remove(long sessionId) {
        sessions.remove(sessionId);
    }

    /**
     * Takes its sessions from a replica.
     *
     * @param replica replica id
     * @param throughIncarnation sessions of later incarnations stay
     * @return ids of the sessions that are ownerless now, ascending
     */
    public List<Long> orphan(int replica, long throughIncarnation) {
        List<Long> orphaned = new ArrayList<>();
        sessions.forEach((sessionId, state) -> {
            if (state.owner() == replica && state.ownerIncarnation() <= throughIncarnation) {
                orphaned.add(sessionId);
            }
        });
        orphaned.sort(null);
        for (Long sessionId : orphaned) {
            sessions.computeIfPresent(sessionId, (id, state) -> state.orphaned());
        }
        return orphaned;
    }

    /** @return the table's bytes, the same on every replica at the same position */
    public ByteSlice encode() {
        Map<Long, SessionState> sorted = new TreeMap<>(sessions);
        ByteBuffer out = ByteBuffer.allocate(4 + sorted.size() * ENTRY_BYTES);
        out.putInt(sorted.size());
        sorted.forEach((sessionId, state) -> {
            out.putLong(sessionId).putInt(state.timeoutMillis()).putInt(state.owner());
            out.putLong(state.ownerIncarnation()).putLong(state.epoch());
        });
        return ByteSlice.of(out.array());
    }

    /**
     * Reads back what {@link #encode} wrote.
     *
     * @param bytes the table's bytes
     * @return the table
     * @throws MalformedMessageException if they are anything else
     */
    public static SessionTable decode(ByteSlice bytes) throws MalformedMessageException {
        SessionTable table = new SessionTable();
        ByteBuffer in = bytes.asByteBuffer();
        try {
            int count = in.getInt();
            if (count < 0 || in.remaining() != (long) count * ENTRY_BYTES) {
                throw new MalformedMessageException(
                        "session table of " + bytes.length() + " bytes claims " + count + " sessions");
            }
            for (int i = 0; i < count; i++) {
                long sessionId = in.getLong();
                table.sessions.put(sessionId, new SessionState(in.getInt(), in.getInt(), in.getLong(), in.getLong()));
            }
        } catch (BufferUnderflowException e) {
            throw new MalformedMessageException("session table of " + bytes.length() + " bytes is cut short");
        }
        return table;
    }
}
