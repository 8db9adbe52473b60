package io.chainkeeper.simulation.order;

import io.chainkeeper.command.Command;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.server.session.SessionState;
import io.chainkeeper.server.session.SessionTable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * Which sessions there are in the one order, who owns each, and since which position, worked out from the commands
 * alone, without the product's table. Checks that the table of every replica is the same at each position.
 */
final class OrderedSessions {
    /**
     * One session.
     *
     * @param timeoutMillis as its client asked for last
     * @param owner replica that serves it, or {@link SessionState#NO_OWNER}
     * @param incarnation of the owner, 0 without one
     * @param epoch how often it has been attached or orphaned
     * @param since position of the command that has done so last, or created it
     */
    record Session(int timeoutMillis, int owner, long incarnation, long epoch, long since) {
        boolean isOwnerless() {
            return owner == SessionState.NO_OWNER;
        }

        private boolean isLike(SessionState state) {
            return state != null
                    && state.timeoutMillis() == timeoutMillis
                    && state.owner() == owner
                    && state.ownerIncarnation() == incarnation
                    && state.epoch() == epoch;
        }
    }

    private final LongSupplier position;
    private final Map<Long, Session> living = new TreeMap<>();

    /** By session: from which position on it was how, null from where it had ended. */
    private final Map<Long, TreeMap<Long, Session>> histories = new HashMap<>();

    /** From which position on there were how many. */
    private final TreeMap<Long, Integer> counts = new TreeMap<>();

    /** @param position that a command stands at while it is told of */
    OrderedSessions(LongSupplier position) {
        this.position = position;
        counts.put(0L, 0);
    }

    /** The session of an id, null if there is none. */
    Session get(long sessionId) {
        return living.get(sessionId);
    }

    /** Creates a session, unless there is one of this id. */
    void create(long sessionId, int timeoutMillis, int owner, long incarnation) {
        if (!living.containsKey(sessionId)) {
            put(sessionId, new Session(timeoutMillis, owner, incarnation, 0, position.getAsLong()));
        }
    }

    /** A replica takes a session on; returns whether there is one. */
    boolean attach(long sessionId, int replica, long incarnation, int timeoutMillis) {
        Session before = living.get(sessionId);
        if (before != null) {
            put(sessionId, new Session(timeoutMillis, replica, incarnation, before.epoch() + 1, position.getAsLong()));
        }
        return before != null;
    }

    /** Takes its sessions from a replica, but those of later incarnations; returns which. */
    List<Long> orphan(int replica, long throughIncarnation) {
        List<Long> orphaned = new ArrayList<>();
        living.forEach((sessionId, session) -> {
            if (session.owner() == replica && session.incarnation() <= throughIncarnation) {
                orphaned.add(sessionId);
            }
        });
        for (long sessionId : orphaned) {
            Session before = living.get(sessionId);
            put(
                    sessionId,
                    new Session(
                            before.timeoutMillis(),
                            SessionState.NO_OWNER,
                            0,
                            before.epoch() + 1,
                            position.getAsLong()));
        }
        return orphaned;
    }

    /** Whether an expiry names a session as it is now. */
    boolean isOfThePresent(Command.Expire expire) {
        Session session = living.get(expire.sessionId());
        return session != null && session.owner() == expire.owner() && session.epoch() == expire.epoch();
    }

    /** A session ends; returns whether there was one. */
    boolean end(long sessionId) {
        if (living.remove(sessionId) == null) {
            return false;
        }
        note(sessionId, null);
        return true;
    }

    private void put(long sessionId, Session session) {
        living.put(sessionId, session);
        note(sessionId, session);
    }

    private void note(long sessionId, Session session) {
        histories.computeIfAbsent(sessionId, id -> new TreeMap<>()).put(position.getAsLong(), session);
        counts.put(position.getAsLong(), living.size());
    }

    /**
     * A replica has executed everything up to a position.
     *
     * @param replica its id
     * @param executed the position
     * @param table of its sessions
     */
    void check(int replica, long executed, SessionTable table) {
        table.forEach((sessionId, state) -> {
            Session expected = at(sessionId, executed);
            InvariantViolated.check(
                    expected != null && expected.isLike(state),
                    "sessions: at position %d replica %d has 0x%x as %s, which the order has made %s",
                    executed,
                    replica,
                    sessionId,
                    state,
                    expected == null ? "none" : expected);
        });
        int count = counts.floorEntry(executed).getValue();
        if (table.size() != count) {
            throw new InvariantViolated("sessions: at position " + executed + " replica " + replica + " lacks "
                    + lacking(executed, table) + ", which the order has not ended");
        }
    }

    private Session at(long sessionId, long executed) {
        TreeMap<Long, Session> history = histories.get(sessionId);
        Map.Entry<Long, Session> entry = history == null ? null : history.floorEntry(executed);
        return entry == null ? null : entry.getValue();
    }

    private List<String> lacking(long executed, SessionTable table) {
        return histories.keySet().stream()
                .sorted()
                .filter(sessionId -> at(sessionId, executed) != null && table.get(sessionId) == null)
                .map(sessionId -> "0x" + Long.toHexString(sessionId))
                .toList();
    }
}
