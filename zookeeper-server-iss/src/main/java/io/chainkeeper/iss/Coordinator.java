package io.chainkeeper.iss;

import io.chainkeeper.iss.EpochConfig.Note;
import io.chainkeeper.iss.EpochConfig.Suspension;
import io.chainkeeper.iss.IssMessage.Status;
import io.chainkeeper.iss.IssSettings.LeaderPolicy;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.ProtocolContext.Start;
import java.util.ArrayList;
import java.util.List;

/**
 * What the coordinator of an epoch (its last leader) puts into the epoch's last position: a change of the membership,
 * or a note with the leaders and the length of the next epoch. Only a matter of policy; whatever it proposes is safe,
 * and if it fails to propose anything the next epoch goes on without it.
 *
 * <p>Participants are admitted when they have caught up, under the number of their disk; members that are no
 * participants are removed, one change per epoch (docs/decisions/006-membership-in-the-order.md says why members that
 * are silent stay).
 */
final class Coordinator {
    private final IssState state;

    private boolean survivorAnnounced;

    Coordinator(IssState state) {
        this.state = state;
    }

    /** Whether the epoch is to end although its positions are not used up. */
    boolean wantsEnd() {
        return state.epoch.endIsWanted() || nextMembership() != null;
    }

    /** The value of the epoch's last position. */
    ByteSlice lastValue() {
        Membership next = nextMembership();
        if (next != null) {
            survivorAnnounced = true;
            return BatchCodec.encode(next);
        }
        return BatchCodec.encodeNote(EpochConfig.encode(note()));
    }

    // ---------------------------------------------------------------- leaders

    private Note note() {
        EpochConfig config = state.epoch.config();
        List<Suspension> suspensions = new ArrayList<>();
        List<Integer> leaders = new ArrayList<>();
        for (Member member : config.membership().members()) {
            int id = member.replicaId();
            Suspension next = suspension(id, config);
            if (next != null) {
                suspensions.add(next);
            }
            boolean leads = id != state.self && (next == null || next.epochsLeft() == 0);
            if (leads && state.settings.leaderPolicy() != LeaderPolicy.SINGLE) {
                leaders.add(id);
            }
        }
        leaders.add(state.self); // last: whoever coordinates goes on to
        return new Note(segmentPositions(config), leaders, suspensions, state.settings.rotating());
    }

    /** Back-off doubles with each failure; an epoch that is finished without one takes a step back. */
    private Suspension suspension(int id, EpochConfig config) {
        if (state.settings.leaderPolicy() == LeaderPolicy.ALL || id == state.self) {
            return null;
        }
        Suspension before = config.suspensions().stream()
                .filter(s -> s.replicaId() == id)
                .findFirst()
                .orElse(new Suspension(id, 0, 0));
        int segment = config.segmentLedBy(id);
        if (segment >= 0 && state.epoch.segment(segment).isTakenOver()) {
            int level = Math.min(EpochConfig.MAX_SUSPENSION_LEVEL, before.level() + 1);
            return new Suspension(id, level, 1 << level);
        }
        boolean silent = !state.peers.linkUp[id]
                || state.peers.silentTicks(id, state.now) > state.settings.suspicionTicks()
                || !state.peers.status(id).votes();
        if (silent) {
            return new Suspension(id, before.level(), Math.max(1, before.epochsLeft()));
        }
        if (before.epochsLeft() > 0) {
            return new Suspension(id, before.level(), before.epochsLeft() - 1);
        }
        return before.level() <= 1 ? null : new Suspension(id, before.level() - 1, 0);
    }

    private int segmentPositions(EpochConfig config) {
        long ticks = state.epoch.ticks(state.now);
        int positions = config.segmentPositions();
        if (ticks < state.settings.epochTicks() / 2) {
            positions = 2 * positions;
        } else if (ticks > 2L * state.settings.epochTicks()) {
            positions = positions / 2;
        }
        return Math.max(
                state.settings.minSegmentPositions(), Math.min(state.settings.maxSegmentPositions(), positions));
    }

    // ---------------------------------------------------------------- membership

    /** Returns the membership to propose; null if there is nothing to change. */
    Membership nextMembership() {
        Membership now = state.epoch.config().membership();
        if (state.context.start() == Start.SOLE_SURVIVOR && !survivorAnnounced) {
            return now; // in force here because the user said so; the order must say so too
        }
        Membership wanted = removed(now, true);
        if (wanted.equals(now)) {
            wanted = admitted(now);
        }
        if (wanted.equals(now)) {
            wanted = removed(now, false);
        }
        if (wanted.minQuorumSize() != state.settings.minQuorumSize()) {
            wanted = new Membership(state.settings.minQuorumSize(), wanted.members());
        }
        return wanted.equals(now) ? null : wanted;
    }

    private Membership admitted(Membership now) {
        for (int id : state.ensemble.participants()) {
            Status status = state.peers.status(id);
            Member member = now.find(id);
            boolean isNew = member == null || member.disk() != status.disk();
            boolean caughtUp = status.prefix() + state.settings.caughtUpPositions() >= state.prefix;
            if (id != state.self && learns(id) && isNew && caughtUp) {
                Membership next = now.with(new Member(id, status.disk()));
                if (isAlive(next)) {
                    return next;
                }
            }
        }
        return now;
    }

    /** Whether a replica shows signs of life but does not vote. */
    private boolean learns(int id) {
        Status status = state.peers.status(id);
        return state.peers.linkUp[id]
                && state.peers.statusAge(id, state.now) <= state.settings.freshStatusTicks()
                && status.epoch() == state.epoch.number()
                && status.disk() != 0
                && !status.votes();
    }

    private long silentTicks(int id) {
        return id == state.self ? 0 : state.peers.silentTicks(id, state.now);
    }

    private Membership removed(Membership now, boolean onlySilent) {
        for (Member member : now.members()) {
            int id = member.replicaId();
            boolean unwanted = !state.ensemble.participants().contains(id);
            boolean gone = silentTicks(id) > state.settings.removalTicks() && mayRemoveSilent(now)
                    || silentTicks(id) > state.settings.silenceTicks() && unwanted;
            boolean remove = onlySilent ? gone : unwanted && id != state.self;
            if (remove && now.members().size() > 1 && isAlive(now.without(id))) {
                return now.without(id);
            }
        }
        boolean selfUnwanted = !state.ensemble.participants().contains(state.self) && now.contains(state.self);
        if (!onlySilent && selfUnwanted && now.members().size() > 1 && isAlive(now.without(state.self))) {
            return now.without(state.self);
        }
        return now;
    }

    private boolean mayRemoveSilent(Membership now) {
        return state.settings.removesSilent() && now.members().size() > state.settings.minQuorumSize();
    }

    /** Whether a membership can decide something with those who show signs of life and vote with their disks. */
    private boolean isAlive(Membership membership) {
        int alive = 0;
        for (Member member : membership.members()) {
            int id = member.replicaId();
            Status status = state.peers.status(id);
            boolean votes = id == state.self || status.votes() || status.disk() == member.disk();
            alive += votes && silentTicks(id) <= state.settings.suspicionTicks() ? 1 : 0;
        }
        return alive >= membership.quorum();
    }
}
