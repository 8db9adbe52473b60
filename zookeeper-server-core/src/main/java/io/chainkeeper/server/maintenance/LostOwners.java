package io.chainkeeper.server.maintenance;

import io.chainkeeper.command.Command;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.server.proposal.PatientProposer;
import io.chainkeeper.server.state.ReplicatedState;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds sessions that nobody would end: of a server that is no member any more without a {@code reconfig} having said
 * so, of an earlier start of a server, or of one that has gone silent when not all that it had begun was executed. The
 * leader has them ordered to be ownerless; then it counts their silence itself. No session ends by that: a client whose
 * server serves it in spite of all connects again. Used by the maintenance thread, at the leader, unless a method says
 * something else.
 */
final class LostOwners {
    /** How long an owner has to be lost without a break: longer than news of a member that is back are on their way. */
    static final long PATIENCE_MILLIS = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(LostOwners.class);

    /** Since when an owner is lost, and for how long it has to be. */
    private record Watch(long sinceMillis, long patienceMillis) {
        boolean isDue(long now) {
            return now - sinceMillis >= patienceMillis;
        }

        /** One that loses its sessions again and again is perhaps none that is gone. */
        Watch again(long now) {
            return new Watch(now, Math.min(2 * patienceMillis, 64 * PATIENCE_MILLIS));
        }
    }

    private final ReplicatedState replicated;
    private final IntPredicate isConfigured;
    private final LongSupplier clockMillis;
    private final PatientProposer proposer;
    private final Set<Integer> silent = ConcurrentHashMap.newKeySet();
    private final Map<Integer, Watch> lost = new HashMap<>();
    private long ledEpoch = Long.MIN_VALUE;

    /** Grows when what was known of silence counts no more. */
    private volatile int forgotten;

    private int forgottenSeen;
    private long lastLookMillis;

    /**
     * @param replicated the replicated state
     * @param isConfigured whether a server is part of the ensemble in force
     * @param clockMillis a monotonic clock
     * @param proposer the way into the order
     */
    LostOwners(
            ReplicatedState replicated, IntPredicate isConfigured, LongSupplier clockMillis, PatientProposer proposer) {
        this.replicated = replicated;
        this.isConfigured = isConfigured;
        this.clockMillis = clockMillis;
        this.proposer = proposer;
    }

    /** The order says to the leader that a member has gone silent, or is heard again. Ordering thread. */
    void silent(int member, boolean isSilent) {
        if (isSilent) {
            silent.add(member);
        } else {
            silent.remove(member);
        }
    }

    /**
     * The order says so, on its thread. Whoever begins to lead is told anew who is silent; who leads no more is not
     * told who is back.
     *
     * @param changed in the sequence in which the order says it, together with {@link #silent}
     */
    void statusChanged(OrderingStatus changed) {
        if (changed.role() != Role.LEADER || changed.epoch() != ledEpoch) {
            ledEpoch = changed.epoch();
            silent.clear();
            forgotten = forgotten + 1;
        }
    }

    /** Looks once; this replica leads and has caught up with the order. */
    void tick() {
        long now = clockMillis.getAsLong();
        int current = forgotten;
        if (current != forgottenSeen || now - lastLookMillis > PATIENCE_MILLIS / 2) {
            forgottenSeen = current;
            lost.clear(); // it may have stood still, and what it knows is old
        }
        lastLookMillis = now;
        Map<Integer, Long> found = find();
        lost.keySet().retainAll(found.keySet());
        found.forEach((owner, incarnation) -> {
            Watch watch = lost.computeIfAbsent(owner, id -> new Watch(now, PATIENCE_MILLIS));
            if (watch.isDue(now)) {
                lost.put(owner, watch.again(now));
                LOG.info("Replica {} serves sessions no more that it still owns: they become ownerless", owner);
                proposer.propose(
                        "orphan " + owner, 0, new Command.Orphan(proposer.wallClockMillis(), owner, incarnation));
            }
        });
    }

    /** Owners that are lost, and the newest incarnation of each that owns sessions which nobody would end. */
    private Map<Integer, Long> find() {
        Map<Integer, Long> found = new TreeMap<>();
        replicated.sessions().forEach((sessionId, state) -> {
            if (!state.ownerless() && isLost(state.owner(), state.ownerIncarnation())) {
                found.merge(state.owner(), state.ownerIncarnation(), Math::max);
            }
        });
        return found;
    }

    private boolean isLost(int owner, long incarnation) {
        return incarnation < replicated.incarnationOf(owner) || silent.contains(owner) || isNoMember(owner);
    }

    /** A server list may be edited before its server is stopped; as long as that votes it is a member. */
    private boolean isNoMember(int owner) {
        Membership membership = replicated.membership();
        boolean votes = membership != null && membership.replicaIds().contains(owner);
        return !votes && !isConfigured.test(owner);
    }
}
