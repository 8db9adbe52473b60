package io.chainkeeper.chain;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.ordering.ProtocolContext.Start;
import io.chainkeeper.ordering.RecoveredState;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Whether this replica's acceptor log can be trusted to remember its promises. A blank log may belong to a new server or
 * to one that has lost its disk, and the second must not vote: what it forgot may have been counted.
 *
 * <p>So a blank replica votes only if it helps to found the cluster (it has met enough others that know of nothing to
 * be a majority with them, and nobody who knows of anything), or once the order has admitted it under the number of its
 * disk.
 */
final class Disk {
    /**
     * Metadata record: number of the disk, and a byte that is 1 if it took part in founding the cluster. If so, the
     * participants then follow: the membership before the first ordered one is theirs, whoever is configured by now.
     */
    static final int DISK = 3;

    /** The number of all disks that forget with the process. */
    private static final long FORGETFUL_DISK = 1;

    private final ProtocolContext context;
    private final Effects effects;
    private final boolean[] blankPeers = new boolean[ReplicaState.IDS];
    private boolean metSomebodyNotBlank;
    private final List<Integer> founders = new ArrayList<>();
    private long number;
    private boolean founder;
    private boolean blank;
    private boolean kept;

    Disk(ProtocolContext context, Effects effects) {
        this.context = context;
        this.effects = effects;
    }

    /** Reads what the log knows. */
    void start(RecoveredState recovered, boolean promisedNothing) {
        if (context.start() == Start.FORGETFUL) {
            number = FORGETFUL_DISK;
            founder = true;
            kept = true;
            return;
        }
        LogRecord record = recovered.metadata(DISK);
        if (record != null) {
            ByteBuffer head = record.head().asByteBuffer();
            number = head.getLong();
            founder = head.get() != 0;
            kept = true;
            while (founder && head.hasRemaining()) {
                founders.add(head.getInt());
            }
        } else {
            number = context.incarnation();
        }
        blank = promisedNothing
                && !founder
                && recovered.appliedPosition() == 0
                && recovered.lastPosition() == 0
                && recovered.membership() == null;
        if (context.start() == Start.SOLE_SURVIVOR) {
            found();
        } else {
            foundIfMajority();
        }
    }

    long number() {
        return number;
    }

    /** Makes the number durable; called when the first link is up, because before that a start must change nothing. */
    void keep() {
        if (!kept) {
            kept = true;
            append();
        }
    }

    private void append() {
        ByteBuffer head = ByteBuffer.allocate(Long.BYTES + 1 + founders.size() * Integer.BYTES);
        head.putLong(number).put((byte) (founder ? 1 : 0));
        founders.forEach(head::putInt);
        effects.append(new LogRecord(LogRecord.METADATA, DISK, ByteSlice.of(head.array()), ByteSlice.EMPTY));
    }

    /** Whether nothing is known here that could have been decided, given that nothing was accepted. */
    boolean mayFound() {
        return blank || founder;
    }

    /** A peer has said whether it knows of nothing that was accepted, and whom it takes for the participants. */
    void met(int peer, boolean peerIsBlank, List<Integer> participants) {
        if (!peerIsBlank) {
            metSomebodyNotBlank = true;
        } else if (participants.equals(context.ensemble().participants())) {
            blankPeers[peer] = true;
        }
        foundIfMajority();
    }

    private void foundIfMajority() {
        List<Integer> participants = context.ensemble().participants();
        if (!blank || metSomebodyNotBlank || !participants.contains(context.replicaId())) {
            return;
        }
        int met = 1;
        for (int id : participants) {
            met += blankPeers[id] ? 1 : 0;
        }
        if (met >= Membership.initial(1, participants).quorum()) {
            found();
        }
    }

    private void found() {
        blank = false;
        founder = true;
        kept = true;
        if (founders.isEmpty()) {
            founders.addAll(context.ensemble().participants());
        }
        append();
    }

    /** There is a leader, so others have founded the cluster. */
    void joined() {
        blank = false;
    }

    /** The participants of the membership before the first ordered one, as far as this replica can know them. */
    List<Integer> initialParticipants() {
        return founders.isEmpty() ? context.ensemble().participants() : List.copyOf(founders);
    }

    /** Whether this replica is the member. */
    boolean votesAs(Member member) {
        return member.disk() == number || member.disk() == Member.UNBOUND && founder;
    }
}
