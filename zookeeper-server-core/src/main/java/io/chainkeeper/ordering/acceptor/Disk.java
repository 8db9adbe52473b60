package io.chainkeeper.ordering.acceptor;

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
 * Whether this replica's acceptor log can be trusted to remember its promises. A blank log may belong to a new server
 * or to one that has lost its disk, and the second must not vote: what it forgot may have been counted.
 *
 * <p>So a blank replica votes only if it helps to found the cluster, or once the order has admitted it under the
 * number of its disk. It becomes a founder when it has met enough others that have promised nothing to be a majority
 * with them, and nobody who has. The first election waits until a majority are founders, so that those who come too
 * late to be one always find a leader that can admit them.
 */
public final class Disk {
    /**
     * Metadata record: number of the disk, and a byte that is 1 if it took part in founding the cluster. If so, the
     * participants then follow: the membership before the first ordered one is theirs, whoever is configured by now.
     */
    public static final int DISK = 3;

    /** The number of all disks that forget with the process. */
    private static final long FORGETFUL_DISK = 1;

    private final ProtocolContext context;
    private final Effects effects;
    private final int minQuorumSize;
    private final boolean[] blankPeers = new boolean[Membership.MAX_REPLICA_ID + 1];
    private final boolean[] founders = new boolean[Membership.MAX_REPLICA_ID + 1];
    private final List<Integer> initialParticipants = new ArrayList<>();
    private boolean metSomebodyNotBlank;
    private long number;
    private boolean founder;

    /** Log sequence of the record that says so; others rely on founders only when it is durable. */
    private long founderSequence;

    private boolean founderIsDurable;
    private boolean blank;
    private boolean kept;
    private boolean isDurable;
    private long keptSequence;

    /**
     * @param context who this replica is
     * @param effects where its records go
     * @param minQuorumSize of the membership before the first ordered one
     */
    public Disk(ProtocolContext context, Effects effects, int minQuorumSize) {
        this.context = context;
        this.effects = effects;
        this.minQuorumSize = minQuorumSize;
    }

    /**
     * Reads what the log knows.
     *
     * @param recovered what this replica's disk holds
     * @param promisedNothing whether no promise was found there
     */
    public void start(RecoveredState recovered, boolean promisedNothing) {
        if (context.start() == Start.FORGETFUL) {
            number = FORGETFUL_DISK;
            founder = true;
            founderIsDurable = true;
            isDurable = true;
            kept = true;
            return;
        }
        LogRecord record = recovered.metadata(DISK);
        if (record != null) {
            ByteBuffer head = record.head().asByteBuffer();
            number = head.getLong();
            founder = head.get() != 0;
            founderIsDurable = founder;
            isDurable = true;
            kept = true;
            while (founder && head.hasRemaining()) {
                initialParticipants.add(head.getInt());
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

    /** @return the number of this disk, from 1 */
    public long number() {
        return number;
    }

    /** Makes the number durable; called when the first link is up, because before that a start must change nothing. */
    public void keep() {
        if (!kept) {
            kept = true;
            keptSequence = append();
        }
    }

    private long append() {
        ByteBuffer head = ByteBuffer.allocate(Long.BYTES + 1 + initialParticipants.size() * Integer.BYTES);
        head.putLong(number).put((byte) (founder ? 1 : 0));
        initialParticipants.forEach(head::putInt);
        return effects.append(new LogRecord(LogRecord.METADATA, DISK, ByteSlice.of(head.array()), ByteSlice.EMPTY));
    }

    /** @return whether this disk took part in founding the cluster */
    public boolean isFounder() {
        return founder;
    }

    /**
     * @param nothingPromised whether nothing was promised or accepted here
     * @return what to tell a peer
     */
    public Introduction introduction(boolean nothingPromised) {
        return new Introduction(nothingPromised && (blank || founder), founderIsDurable, initialParticipants());
    }

    /**
     * A peer has told about itself.
     *
     * @param peer replica id
     * @param hello what it said
     */
    public void met(int peer, Introduction hello) {
        boolean sameParticipants = hello.participants().equals(initialParticipants());
        if (!hello.promisedNothing()) {
            metSomebodyNotBlank = true;
        } else if (sameParticipants) {
            blankPeers[peer] = true;
        }
        founders[peer] = hello.founder() && sameParticipants;
        foundIfMajority();
    }

    /** @return whether so many have founded the cluster that they can decide something */
    public boolean isFounded() {
        return countOf(founders) + (founder ? 1 : 0) >= quorumOfParticipants();
    }

    private int countOf(boolean[] peers) {
        int count = 0;
        for (int id : initialParticipants()) {
            count += peers[id] ? 1 : 0;
        }
        return count;
    }

    private int quorumOfParticipants() {
        return Membership.initial(minQuorumSize, initialParticipants()).quorum();
    }

    private void foundIfMajority() {
        boolean participates = context.ensemble().participants().contains(context.replicaId());
        if (blank && !metSomebodyNotBlank && participates && countOf(blankPeers) + 1 >= quorumOfParticipants()) {
            found();
        }
    }

    private void found() {
        blank = false;
        founder = true;
        kept = true;
        if (initialParticipants.isEmpty()) {
            initialParticipants.addAll(context.ensemble().participants());
        }
        founderSequence = append();
        keptSequence = founderSequence;
    }

    /**
     * Records are durable.
     *
     * @param logSequence up to here
     * @return whether that makes this replica one that others may take for a founder
     */
    public boolean durable(long logSequence) {
        isDurable |= kept && logSequence >= keptSequence;
        boolean before = founderIsDurable;
        founderIsDurable |= founder && logSequence >= founderSequence;
        return founderIsDurable && !before;
    }

    /** @return whether a crash leaves this replica its number */
    public boolean isDurable() {
        return isDurable;
    }

    /** There is a leader, so others have founded the cluster. */
    public void joined() {
        blank = false;
    }

    /** @return the participants of the membership before the first ordered one, as far as this replica can know them */
    public List<Integer> initialParticipants() {
        return initialParticipants.isEmpty() ? context.ensemble().participants() : List.copyOf(initialParticipants);
    }

    /**
     * @param member of a membership, with this replica's id
     * @return whether it is this replica with this disk
     */
    public boolean votesAs(Member member) {
        return member.disk() == number || member.disk() == Member.UNBOUND && founder;
    }
}
