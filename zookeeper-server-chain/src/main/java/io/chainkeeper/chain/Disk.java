package io.chainkeeper.chain;

import io.chainkeeper.chain.ChainMessage.Hello;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.ordering.ProtocolContext.Start;
import io.chainkeeper.ordering.RecoveredState;
import java.nio.ByteBuffer;

/**
 * Whether this replica's acceptor log can be trusted to remember its promises. A blank log may belong to a new server or
 * to one that has lost its disk, and the second must not vote: what it forgot may have been counted.
 *
 * <p>So a blank replica votes only if it helps to found the cluster, or once the order has admitted it under the number
 * of its disk. It becomes a founder when it has met enough others that have promised nothing to be a majority with them,
 * and nobody who has. The first election waits until a majority are founders, so that those who come too late to be one
 * always find a leader that can admit them.
 */
final class Disk {
    /** Metadata record: number of the disk, and a byte that is 1 if it took part in founding the cluster. */
    static final int DISK = 3;

    /** The number of all disks that forget with the process. */
    private static final long FORGETFUL_DISK = 1;

    private final ProtocolContext context;
    private final Effects effects;
    private final boolean[] blankPeers = new boolean[ReplicaState.IDS];
    private final boolean[] founders = new boolean[ReplicaState.IDS];
    private boolean metSomebodyNotBlank;
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
        ByteBuffer head = ByteBuffer.allocate(Long.BYTES + 1).putLong(number).put((byte) (founder ? 1 : 0));
        effects.append(new LogRecord(LogRecord.METADATA, DISK, ByteSlice.of(head.array()), ByteSlice.EMPTY));
    }

    boolean isFounder() {
        return founder;
    }

    /** What to tell a peer, given whether anything was promised or accepted here. */
    Hello hello(boolean nothingPromised) {
        return new Hello(
                nothingPromised && (blank || founder),
                founder,
                context.ensemble().participants());
    }

    /** A peer has told about itself; returns whether this replica is a founder now and was not before. */
    boolean met(int peer, Hello hello) {
        boolean sameParticipants =
                hello.participants().equals(context.ensemble().participants());
        if (!hello.promisedNothing()) {
            metSomebodyNotBlank = true;
        } else if (sameParticipants) {
            blankPeers[peer] = true;
        }
        founders[peer] = hello.founder() && sameParticipants;
        boolean before = founder;
        foundIfMajority();
        return founder && !before;
    }

    /** Whether so many have founded the cluster that one of them may be elected. */
    boolean isFounded() {
        return countOf(founders) + (founder ? 1 : 0) >= majorityOfParticipants();
    }

    private int countOf(boolean[] peers) {
        int count = 0;
        for (int id : context.ensemble().participants()) {
            count += peers[id] ? 1 : 0;
        }
        return count;
    }

    private int majorityOfParticipants() {
        return context.ensemble().participants().size() / 2 + 1;
    }

    private void foundIfMajority() {
        boolean participates = context.ensemble().participants().contains(context.replicaId());
        if (blank && !metSomebodyNotBlank && participates && countOf(blankPeers) + 1 >= majorityOfParticipants()) {
            found();
        }
    }

    private void found() {
        blank = false;
        founder = true;
        kept = true;
        append();
    }

    /** There is a leader, so others have founded the cluster. */
    void joined() {
        blank = false;
    }

    /** Whether this replica is the member. */
    boolean votesAs(Member member) {
        return member.disk() == number || member.disk() == Member.UNBOUND && founder;
    }
}
