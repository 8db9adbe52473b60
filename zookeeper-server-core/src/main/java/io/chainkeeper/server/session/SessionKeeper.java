package io.chainkeeper.server.session;

import io.chainkeeper.command.Command;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Proposes the end of sessions whose clients are gone. Each owner watches its own sessions; ownerless ones are watched
 * by the manager, which is the leader of the order. It only proposes: whether a session ends is decided where the
 * proposal is executed, so a stalled, deposed or duplicated keeper does no harm. Used by one thread, through
 * {@link #tick}.
 */
public final class SessionKeeper {
    private static final Logger LOG = LoggerFactory.getLogger(SessionKeeper.class);

    /**
     * After a stall clients get as much time again as it took: what they sent meanwhile still has to be read, on a
     * machine that was too busy a moment ago.
     */
    private static final int GRACE_PER_STALL = 2;

    /**
     * What has been proposed is outstanding until it is executed; so a repeat is for what nobody has thought of. Where
     * the order takes longer than a short timeout, repeats could alone be more than it can take, and then it would
     * never get faster.
     */
    private static final long LEAST_REPEAT_MILLIS = 30_000;

    private final SessionTable table;
    private final OwnedSessions owned;
    private final LongSupplier clockMillis;
    private final int replicaId;
    private final long stallLimitMillis;
    private final LongSupplier stuckMillis;
    private final Predicate<Command.Expire> proposer;
    private final LongSupplier wallClockMillis;

    /** When the end of a session is due to be proposed, and how long to wait for it to be executed then. */
    private record Watch(long epoch, long deadlineMillis, long patienceMillis) {
        /** Has been proposed now. If that gets lost it is made again, each time after twice as long. */
        Watch proposed(long now) {
            long waitMillis = Math.max(patienceMillis, LEAST_REPEAT_MILLIS);
            return new Watch(epoch, now + waitMillis, 2 * waitMillis);
        }

        /** Somebody could not be heard for so long; at most a full timeout begins again. */
        Watch deferred(long now, long millis) {
            return new Watch(epoch, Math.min(now + patienceMillis, deadlineMillis + millis), patienceMillis);
        }
    }

    private final Map<Long, Watch> ownerless = new HashMap<>();

    /** Sessions served here whose end has been proposed. */
    private final Map<Long, Watch> ending = new HashMap<>();

    private boolean managed;
    private long managedEpoch;
    private long nextTickMillis;

    /** Until the latest tick proposals have waited for so long. */
    private long stuckForMillis;

    /** The thread has stood still in this tick: what was found out before is not true any more. */
    private boolean hasWaited;

    /** There was room for all that has been proposed in this tick. */
    private boolean hasRoom;

    /**
     * @param table all sessions
     * @param owned those served here
     * @param clockMillis the monotonic clock that {@code owned} uses
     * @param wallClockMillis stamped on proposals
     * @param replicaId this replica
     * @param stallLimitMillis a tick that comes later than this after its time means that this replica stalled: the
     *     time for which nobody could be heard does not count as silence; a fraction of the shortest timeout
     * @param stuckMillis for how long proposals have waited without anything being finished. Threads that propose for
     *     clients read nobody meanwhile, so beyond {@code stallLimitMillis} that is a stall as well.
     * @param proposer takes a proposal, or has no room for it, without waiting; it is made again with the next tick
     */
    public SessionKeeper(
            SessionTable table,
            OwnedSessions owned,
            LongSupplier clockMillis,
            LongSupplier wallClockMillis,
            int replicaId,
            long stallLimitMillis,
            LongSupplier stuckMillis,
            Predicate<Command.Expire> proposer) {
        this.table = table;
        this.owned = owned;
        this.clockMillis = clockMillis;
        this.wallClockMillis = wallClockMillis;
        this.replicaId = replicaId;
        this.stallLimitMillis = stallLimitMillis;
        this.stuckMillis = stuckMillis;
        this.proposer = proposer;
        this.nextTickMillis = clockMillis.getAsLong();
    }

    /**
     * Looks once at all sessions.
     *
     * @param serving whether clients can reach this replica at the moment
     * @param leading whether this replica leads the order, and so is the manager
     * @param orderingEpoch grows with every change of leader
     * @param periodMillis when the next tick is due
     * @return whether silence counts at the end of this tick, so that sessions that only this replica knows may end
     */
    public boolean tick(boolean serving, boolean leading, long orderingEpoch, long periodMillis) {
        long now = clockMillis.getAsLong();
        if (!serving) {
            owned.rearm();
        }
        if (!leading || !managed || managedEpoch != orderingEpoch) {
            ownerless.clear();
        }
        long stuck = stuckMillis.getAsLong();
        boolean isStuck = stuck > stallLimitMillis;
        long stalledMillis = Math.max(now - nextTickMillis, isStuck ? 0 : stuckForMillis);
        stuckForMillis = isStuck ? stuck + periodMillis : 0;
        if (stalledMillis > stallLimitMillis) {
            defer(now, stalledMillis, serving);
        }
        hasWaited = false;
        hasRoom = true;
        managed = leading;
        managedEpoch = orderingEpoch;
        ending.keySet().removeIf(sessionId -> {
            SessionState state = table.get(sessionId);
            return state == null || state.owner() != replicaId;
        });
        if (serving && !isStuck) {
            owned.expired().forEach(sessionId -> proposeOwned(sessionId, now));
        }
        if (leading && !isStuck) {
            watchOwnerless(now);
        }
        nextTickMillis = (hasWaited ? now : clockMillis.getAsLong()) + periodMillis;
        return serving && !isStuck && !hasWaited;
    }

    private void defer(long now, long stalledMillis, boolean serving) {
        long graceMillis = GRACE_PER_STALL * stalledMillis;
        if (serving) {
            LOG.warn("Stalled for {} ms: sessions get {} times that in addition", stalledMillis, GRACE_PER_STALL);
        }
        owned.defer(graceMillis);
        ownerless.replaceAll((sessionId, watch) -> watch.deferred(now, graceMillis));
    }

    private void proposeOwned(long sessionId, long now) {
        SessionState state = table.get(sessionId);
        // The thread may have stood still in this tick: whoever was heard meanwhile is not silent any more.
        if (state == null || state.owner() != replicaId || hasWaited || !owned.isSilent(sessionId)) {
            return;
        }
        Watch watch = ending.get(sessionId);
        if (watch == null || watch.epoch() != state.epoch()) {
            watch = new Watch(state.epoch(), now, state.timeoutMillis());
        }
        if (now >= watch.deadlineMillis()) {
            if (propose(sessionId, state)) {
                ending.put(sessionId, watch.proposed(now));
            }
        }
    }

    private void watchOwnerless(long now) {
        ownerless.keySet().removeIf(sessionId -> {
            SessionState state = table.get(sessionId);
            return state == null || !state.ownerless();
        });
        table.forEach((sessionId, state) -> {
            if (!state.ownerless()) {
                return;
            }
            Watch watch = ownerless.get(sessionId);
            if (watch == null || watch.epoch() != state.epoch()) {
                long deadlineMillis = clockMillis.getAsLong() + state.timeoutMillis();
                ownerless.put(sessionId, new Watch(state.epoch(), deadlineMillis, state.timeoutMillis()));
            } else if (now >= watch.deadlineMillis() && !hasWaited && propose(sessionId, state)) {
                ownerless.put(sessionId, watch.proposed(now));
            }
        });
    }

    private boolean propose(long sessionId, SessionState state) {
        long before = clockMillis.getAsLong();
        hasRoom = hasRoom
                && proposer.test(
                        new Command.Expire(wallClockMillis.getAsLong(), sessionId, state.owner(), state.epoch()));
        hasWaited |= clockMillis.getAsLong() - before > stallLimitMillis;
        return hasRoom;
    }
}
