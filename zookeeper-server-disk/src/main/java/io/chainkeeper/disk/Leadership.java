package io.chainkeeper.disk;

import io.chainkeeper.disk.DiskMessage.Propose;
import io.chainkeeper.disk.layout.RingEntry;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.PrefixHash;
import io.chainkeeper.ordering.acceptor.Ballot;
import io.chainkeeper.ordering.proposer.ProposalQueue;
import java.util.ArrayDeque;
import java.util.Arrays;

/** Phase 2: what a leader has under way in its ballot. */
final class Leadership {
    private static final long NEVER = -1;

    private record Proposed(long position, long end, ByteSlice value) {}

    private final DiskState state;
    private final Ballot ballot;
    private final ProposalQueue queue;
    private final long adoptedTo;

    /** What others, or this server before, may have decided; null once all of it is proposed again. */
    private Scan adopting;

    /** Ascending in position and place. */
    private final ArrayDeque<Proposed> underWay = new ArrayDeque<>();

    private long last;
    private long lastHash;

    /** On the ring. Whoever takes over has room for them: {@link DiskSettings#takeoverBytes}. */
    private long bytesUnderWay;

    private boolean isMembershipUnderWay;

    /** What members are once everything is decided that is under way. */
    private Membership members;

    /** Since when this server is no member of what it has decided. */
    private long removedTick = NEVER;

    /**
     * Leads, beginning with what may have been decided: the last phase of taking over.
     *
     * @param state of this server
     * @param ballot that it leads
     * @param scan what a majority of the disks has above what is delivered
     * @param queue of commands, empty
     */
    Leadership(DiskState state, Ballot ballot, Scan scan, ProposalQueue queue) {
        this.state = state;
        this.ballot = ballot;
        this.queue = queue;
        this.last = state.decided;
        this.lastHash = state.agreement.hashes().at(state.decided);
        this.adoptedTo = Math.max(state.decided, scan.last());
        this.members = state.membership;
        this.adopting = scan;
        state.isLeading = true;
        adopt();
    }

    /**
     * Proposes again what may have been decided, no more at once than anything else: where leaders follow each other
     * and decide nothing, because the disks are too slow, their rings must not fill with copies of all of it.
     */
    private void adopt() {
        while (adopting != null && bytesUnderWay < state.settings.longestEntryBytes()) {
            if (last == adoptedTo) {
                adopting = null;
                return;
            }
            RingEntry adopted = adopting.at(last + 1);
            boolean isDecided = last + 1 <= adopting.decided();
            boolean isTaken = adopted != null && (isDecided || !isVoid(adopted.value()));
            append(isTaken ? adopted.value() : BatchCodec.NO_OP);
        }
    }

    /** Whether this goes on where it was ended: nothing was decided since, and it has proposed what comes next. */
    boolean continues() {
        return state.decided == (underWay.isEmpty() ? last : underWay.peek().position() - 1);
    }

    /**
     * Whether a membership that was proposed cannot have been decided. A leader proposes one change of the membership
     * in force behind all its earlier values. So where more than one member differs, the values before were not the
     * decided ones, and no position is decided before them. Taken up, such a membership would undo what another leader
     * has decided.
     */
    private boolean isVoid(ByteSlice value) {
        boolean isKnown = state.isMembershipOrdered || isMembershipUnderWay;
        if (!BatchCodec.isMembership(value) || !isKnown || !state.rules.isOn(SafetyRule.VOID_MEMBERSHIP_IS_DROPPED)) {
            return false;
        }
        return !BatchCodec.membershipIn(value).isOneChangeFrom(members);
    }

    /**
     * @param state of this server
     * @param scan what a majority of the disks has above what is delivered
     * @return whether the own ring has room for it
     */
    static boolean hasRoom(DiskState state, Scan scan) {
        long bytes = 0;
        int longest = 0;
        for (long position = state.decided + 1; position <= scan.last(); position++) {
            RingEntry entry = scan.at(position);
            int length =
                    entry == null ? BatchCodec.NO_OP.length() : entry.value().length();
            bytes += RingEntry.bytesFor(length);
            longest = Math.max(longest, length);
        }
        // Where the ring begins anew, less than one longest entry is left out.
        return state.ring.hasRoomFor(bytes + RingEntry.bytesFor(longest));
    }

    Ballot ballot() {
        return ballot;
    }

    private void append(ByteSlice value) {
        last++;
        lastHash = PrefixHash.next(lastHash, last, value);
        state.space.appends(RingEntry.bytesFor(value.length()));
        state.ring.append(last, ballot, state.decided, lastHash, value);
        bytesUnderWay += RingEntry.bytesFor(value.length());
        underWay.add(new Proposed(last, state.ring.end(), value));
        if (BatchCodec.isMembership(value)) {
            isMembershipUnderWay = true;
            members = BatchCodec.membershipIn(value);
        }
        for (int id = 1; id < DiskState.IDS; id++) {
            if (state.linkUp[id]) {
                state.effects.send(id, new Propose(ballot, last, state.decided, value));
            }
        }
    }

    /** A link is new: what is under way is told once more. */
    void tell(int peer) {
        for (Proposed each : underWay) {
            state.effects.send(peer, new Propose(ballot, each.position(), state.decided, each.value()));
        }
    }

    /** Delivers what a majority of the disks has, and has not seen a higher ballot behind. */
    void decide() {
        long[] counted = new long[state.disks.length];
        for (Disk disk : state.disks) {
            counted[disk.number()] = disk.isReady() ? disk.counted() : 0;
        }
        Arrays.sort(counted);
        long decidedEnd = counted[counted.length - state.majority()];
        while (!underWay.isEmpty() && underWay.peek().end() <= decidedEnd) {
            ByteSlice value = underWay.remove().value();
            bytesUnderWay -= RingEntry.bytesFor(value.length());
            state.deliver(value);
        }
        // Of several that were adopted the last one counts.
        isMembershipUnderWay &= underWay.stream().anyMatch(each -> BatchCodec.isMembership(each.value()));
        adopt();
        queue.decided(state.decided);
        if (isRemoved() && removedTick == NEVER) {
            removedTick = state.now;
        }
    }

    /** Whether all that is left to do is to have a member lead: what removes this server is decided, and the last. */
    boolean isRemoved() {
        return !members.contains(state.self) && underWay.isEmpty() && adopting == null;
    }

    /** Whether members had time to take over since this server is none. */
    boolean isRemovedForLong() {
        return isRemoved() && state.now - removedTick > state.settings.suspicionTicks();
    }

    /** Proposes what waits, as far as lanes and ring allow. */
    void propose() {
        while (queue.hasBatch() && mayPropose()) {
            append(queue.pollBatch(last + 1));
        }
    }

    /** Proposes a membership, if none is under way: also where the ring has no room for anything else. */
    boolean proposeMembership(Membership membership) {
        ByteSlice value = BatchCodec.encode(membership);
        boolean may = !isMembershipUnderWay && hasFreeLane() && state.hasRoomForMembership(value);
        if (may) {
            append(value);
        }
        return may;
    }

    private boolean mayPropose() {
        return hasFreeLane() && !state.isRingFull() && state.space.mayAppend();
    }

    /** Behind a membership without this server another one proposes: so a member that has that one has everything. */
    private boolean hasFreeLane() {
        return members.contains(state.self)
                && adopting == null
                && underWay.size() < state.settings.lanes()
                && bytesUnderWay < state.settings.longestEntryBytes();
    }

    /** Whatever anybody can have seen is not above this. */
    long readIndex() {
        return Math.max(state.decided, adoptedTo);
    }

    /** Up to this round of reads, a majority of the disks has shown that this server leads. */
    long confirmedRound() {
        if (!state.rules.isOn(SafetyRule.READ_BARRIER_READS_HEADERS)) {
            return state.round;
        }
        long[] rounds = new long[state.disks.length];
        for (Disk disk : state.disks) {
            rounds[disk.number()] = disk.isReady() ? disk.roundRead() : 0;
        }
        Arrays.sort(rounds);
        return rounds[rounds.length - state.majority()];
    }

    int underWay() {
        return underWay.size();
    }
}
