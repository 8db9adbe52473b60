package io.chainkeeper.simulation.order;

import io.chainkeeper.command.Command;
import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.server.session.SessionState;
import io.chainkeeper.server.session.SessionTable;
import io.chainkeeper.server.state.EnsembleConfig;
import io.chainkeeper.simulation.checker.Operation;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.zookeeper.ZooDefs.OpCode;

/**
 * Follows the one order of commands about sessions, beside all replicas, and knows when each session was heard of last.
 * Checks that a session's requests take effect once and in the order they were sent in, that nobody proposes the end of
 * a session whose owner has heard of it within its timeout, not counting time in which the proposer stood still, and
 * that nobody else than its owner does, where it has one. A session expires only if whoever proposed that had seen how
 * it is; and at each position every replica has the sessions that the order has made.
 */
public final class SessionEvidence {
    /** Told of what the order does. */
    public interface Listener {
        /** An expiry that may take effect was proposed. */
        void expiryProposed(long sessionId);

        /** A session has ended in the order. */
        void ended(long sessionId);

        /** The first replica has executed a configuration. */
        void configured(EnsembleConfig configuration);
    }

    /** Knows when replicas stood still. */
    @FunctionalInterface
    public interface Stalls {
        /** For how long a replica could hear nobody since then. */
        long micros(int replica, long sinceMicros);
    }

    private final LongSupplier nowMicros;
    private final int fastClockPercent;
    private final Stalls stalls;
    private final Listener listener;
    private final OrderedSessions sessions;
    private final ConfigurationEvidence configurations;
    private final Map<Long, Long> heardMicros = new HashMap<>();
    private final Map<Long, TreeMap<Integer, Long>> executed = new HashMap<>();

    /** By session: the writes that a server has decided not to order. */
    private final Map<Long, Set<Integer>> refused = new HashMap<>();

    private final Map<Long, Long> expired = new HashMap<>();

    /** Up to which position who has proposed an expiry had executed the order, the last time that it did. */
    private final Map<Proposed, Long> proposedAt = new HashMap<>();

    private long ordered;

    /** An expiry of a session as its proposer saw it. */
    private record Proposed(int replica, long sessionId, int owner, long epoch) {
        static Proposed by(int replica, Command.Expire expire) {
            return new Proposed(replica, expire.sessionId(), expire.owner(), expire.epoch());
        }
    }

    /**
     * @param nowMicros virtual time
     * @param fastClockPercent by how much a replica's clock may be ahead, per time that passes
     * @param stalls of replicas, whose time does not count as a client's silence
     * @param membership in force after everything that was ordered
     * @param position that a command stands at while it is told of
     * @param listener told of what the order does
     */
    public SessionEvidence(
            LongSupplier nowMicros,
            int fastClockPercent,
            Stalls stalls,
            Supplier<Membership> membership,
            LongSupplier position,
            Listener listener) {
        this.nowMicros = nowMicros;
        this.fastClockPercent = fastClockPercent;
        this.stalls = stalls;
        this.listener = listener;
        this.sessions = new OrderedSessions(position);
        this.configurations = new ConfigurationEvidence(sessions, membership, listener::configured);
    }

    /** What the order makes of the configuration. */
    public ConfigurationEvidence configurations() {
        return configurations;
    }

    /** A command that was ordered. */
    public static Command decode(ByteSlice bytes) {
        try {
            return CommandCodec.decode(bytes);
        } catch (MalformedMessageException e) {
            throw new InvariantViolated("an ordered command does not decode: " + e.getMessage());
        }
    }

    /** Virtual time. */
    public long nowMicros() {
        return nowMicros.getAsLong();
    }

    /** A replica has processed something that a session's client has sent, and that it began with at some time. */
    public void heard(int replica, long sessionId, long atMicros) {
        OrderedSessions.Session session = sessions.get(sessionId);
        if (session != null && session.owner() == replica) {
            heardMicros.merge(sessionId, atMicros, Math::max);
        }
    }

    /**
     * A replica proposes the end of a session.
     *
     * @param replica its id
     * @param executed position that it has executed, or is executing
     * @param expire what it proposes
     */
    public void expiryProposed(int replica, long executed, Command.Expire expire) {
        proposedAt.put(Proposed.by(replica, expire), executed);
        if (!sessions.isOfThePresent(expire)) {
            return; // it will be refused
        }
        OrderedSessions.Session session = sessions.get(expire.sessionId());
        InvariantViolated.check(
                session.isOwnerless() || session.owner() == replica,
                "replica %d proposes the end of session 0x%x, which %s serves",
                replica,
                expire.sessionId(),
                session);
        long heard = heardMicros.get(expire.sessionId());
        long stalledMicros = stalls.micros(replica, heard);
        long silentMicros = nowMicros.getAsLong() - heard - stalledMicros;
        long leastMicros = session.timeoutMillis() * 10L * (100 - fastClockPercent) - 2_000;
        InvariantViolated.check(
                silentMicros >= leastMicros,
                "replica %d proposes the end of session 0x%x, %s, heard of %d ms ago, beside %d ms of stalls",
                replica,
                expire.sessionId(),
                session,
                silentMicros / 1000,
                stalledMicros / 1000);
        listener.expiryProposed(expire.sessionId());
    }

    /** Whoever proposed it had seen the last attach, orphan or creation of the session. */
    private void expire(Command.Expire expire, int proposer) {
        if (!sessions.isOfThePresent(expire)) {
            return;
        }
        Long executed = proposedAt.get(Proposed.by(proposer, expire));
        OrderedSessions.Session session = sessions.get(expire.sessionId());
        InvariantViolated.check(
                executed != null && executed >= session.since(),
                "session 0x%x, %s, ends though replica %d proposed that at position %s",
                expire.sessionId(),
                session,
                proposer,
                executed);
        expired.put(expire.sessionId(), ordered);
        end(expire.sessionId());
    }

    /** A replica has executed everything up to a position: its sessions are those of the order. */
    public void executed(int replica, long position, SessionTable table) {
        sessions.check(replica, position, table);
    }

    /** A command takes effect. */
    public void ordered(ProposedCommand proposed) {
        ordered++;
        Command command = decode(proposed.command());
        if (command instanceof Command.ClientRequest request) {
            request(request, proposed);
        } else if (command instanceof Command.Attach attach) {
            if (configurations.isOutside(proposed.proposer())) {
                return;
            }
            boolean isThere = sessions.attach(
                    attach.sessionId(), proposed.proposer(), proposed.incarnation(), attach.timeoutMillis());
            if (isThere) {
                heardMicros.put(attach.sessionId(), nowMicros.getAsLong());
            }
        } else if (command instanceof Command.Expire expire) {
            expire(expire, proposed.proposer());
        } else if (command instanceof Command.Orphan orphan) {
            orphan(orphan.replica(), orphan.incarnation());
        } else if (command instanceof Command.ReplicaStarted) {
            orphan(proposed.proposer(), proposed.incarnation() - 1);
        } else {
            configuration(command, proposed);
        }
        configurations.dropUnlessOwned();
    }

    private void configuration(Command command, ProposedCommand proposed) {
        if (command instanceof Command.ClusterFormed formed) {
            configurations.formed(formed);
        } else if (command instanceof Command.PlanEnsemble plan) {
            configurations.planned(plan, proposed);
        } else if (command instanceof Command.DropPlan drop) {
            configurations.dropped(drop);
        }
    }

    private void request(Command.ClientRequest request, ProposedCommand proposed) {
        long sessionId = request.sessionId();
        if (request.opcode() == OpCode.createSession) {
            if (configurations.isOutside(proposed.proposer())) {
                return;
            }
            int timeoutMillis = request.payload().asByteBuffer().getInt();
            sessions.create(sessionId, timeoutMillis, proposed.proposer(), proposed.incarnation());
            heardMicros.put(sessionId, nowMicros.getAsLong());
            return;
        }
        OrderedSessions.Session session = sessions.get(sessionId);
        boolean closes = request.opcode() == OpCode.closeSession;
        if (session == null || (session.owner() != proposed.proposer() && !closes)) {
            return; // the session has ended, or goes on elsewhere: an error without effect
        }
        TreeMap<Integer, Long> before = executed.computeIfAbsent(sessionId, id -> new TreeMap<>());
        InvariantViolated.check(
                before.isEmpty() || before.lastKey() < request.cxid(),
                "session 0x%x: request %d is executed after %s",
                sessionId,
                request.cxid(),
                before.keySet());
        before.put(request.cxid(), ordered);
        if (closes) {
            end(sessionId);
        } else if (request.opcode() == OpCode.reconfig) {
            // Nobody listens any more whether a server that has been removed hears its clients.
            configurations.requested(request, proposed).forEach(removed -> orphan(removed, Long.MAX_VALUE));
        }
    }

    private void end(long sessionId) {
        if (sessions.end(sessionId)) {
            listener.ended(sessionId);
        }
    }

    private void orphan(int replica, long throughIncarnation) {
        sessions.orphan(replica, throughIncarnation)
                .forEach(sessionId -> heardMicros.put(sessionId, nowMicros.getAsLong()));
    }

    /**
     * A server has decided not to order a write. Its client may never hear of it: the answer waits for its turn.
     *
     * @param sessionId that asked
     * @param xid the write's number
     */
    public void refused(long sessionId, int xid) {
        refused.computeIfAbsent(sessionId, id -> new TreeSet<>()).add(xid);
    }

    /**
     * Nothing of what a session was refused is executed. Its later writes may be: ZooKeeper executes them in order.
     *
     * @param sessionId the session
     */
    public void checkRefused(long sessionId) {
        for (int xid : refused.getOrDefault(sessionId, Set.of())) {
            InvariantViolated.check(
                    placeOf(sessionId, xid) == Operation.NO_PLACE,
                    "session 0x%x: request %d was refused, and is executed",
                    sessionId,
                    xid);
        }
    }

    /**
     * The writes that a session has sent over one connection, and that were not refused, took effect up to some point,
     * and none after it.
     *
     * @param sessionId the session
     * @param sent their numbers in the order they were sent in
     */
    public void checkPrefix(long sessionId, List<Integer> sent) {
        Set<Integer> effective =
                executed.getOrDefault(sessionId, new TreeMap<>()).keySet();
        Set<Integer> without = refused.getOrDefault(sessionId, Set.of());
        boolean gap = false;
        for (int xid : sent) {
            if (without.contains(xid)) {
                continue;
            }
            InvariantViolated.check(
                    !gap || !effective.contains(xid),
                    "session 0x%x: of the requests %s that it sent over one connection some were left out: %s",
                    sessionId,
                    sent,
                    effective);
            gap |= !effective.contains(xid);
        }
    }

    /** Who serves a session; {@link SessionState#NO_OWNER} if nobody does, or there is none. */
    public int ownerOf(long sessionId) {
        OrderedSessions.Session session = sessions.get(sessionId);
        return session == null ? SessionState.NO_OWNER : session.owner();
    }

    /** When a session was heard of last, or began anew to be watched. */
    public long heardMicros(long sessionId) {
        return heardMicros.getOrDefault(sessionId, 0L);
    }

    /** Where in the order a session's write took effect, or failed in its turn; 0 if it did neither. */
    public long placeOf(long sessionId, int xid) {
        return executed.getOrDefault(sessionId, new TreeMap<>()).getOrDefault(xid, Operation.NO_PLACE);
    }

    /** Where in the order a session expired; 0 if it did not. */
    public long placeOfExpiry(long sessionId) {
        return expired.getOrDefault(sessionId, Operation.NO_PLACE);
    }
}
