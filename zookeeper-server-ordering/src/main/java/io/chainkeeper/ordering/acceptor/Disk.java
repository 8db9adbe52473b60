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
 * number of its disk. It becomes a founder when others that were blank when they met this very disk are a quorum with
 * it, and it has met nobody who has promised anything. A founder remembers, before it promises anything, which disks
 * it had met: it stands for these, and for no disk that takes their place later. The first election waits until a
 * quorum are founders, so that those who come too late to be one always find a leader that can admit them. Why:
 * docs/decisions/022-founding.md.
 */
public final class Disk {
    /**
     * Metadata record: number of the disk, and a byte that is 1 if it took part in founding the cluster. If so, the
     * participants then follow: the membership before the first ordered one is theirs, whoever is configured by now.
     */
    public static final int DISK = 3;

    /**
     * Metadata record of a founder, before the one that says that it is one: ids and disk numbers of those that it had
     * met. Founders of earlier releases have none and stand for nobody.
     */
    public static final int COMPANIONS = 6;

    private static final int COMPANION_BYTES = Integer.BYTES + Long.BYTES;

    /** The number of all disks that forget with the process. */
    private static final long FORGETFUL_DISK = 1;

    /** Chance in a new number: a clock that was set back must not number the next disk like the one that is lost. */
    private static final int RANDOM_BITS = 20;

    private final ProtocolContext context;
    private final Effects effects;
    private final int minQuorumSize;
    private final List<Integer> initialParticipants = new ArrayList<>();
    private List<Member> companions = List.of();
    private FoundingPeers peers;
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
        LogRecord record = recovered.metadata(DISK);
        if (context.start() == Start.FORGETFUL) {
            number = FORGETFUL_DISK;
            founder = true;
            founderIsDurable = true;
            isDurable = true;
            kept = true;
        } else if (record != null) {
            read(record.head().asByteBuffer(), recovered.metadata(COMPANIONS));
        } else {
            number = newNumber();
        }
        peers = new FoundingPeers(new Member(context.replicaId(), number), initialParticipants());
        blank = promisedNothing
                && !founder
                && recovered.appliedPosition() == 0
                && recovered.lastPosition() == 0
                && recovered.membership() == null;
        if (context.start() == Start.SOLE_SURVIVOR) {
            found();
        } else {
            foundIfPossible();
        }
    }

    private void read(ByteBuffer head, LogRecord metBefore) {
        number = head.getLong();
        founder = head.get() != 0;
        founderIsDurable = founder;
        isDurable = true;
        kept = true;
        while (founder && head.hasRemaining()) {
            initialParticipants.add(head.getInt());
        }
        if (founder && metBefore != null) {
            List<Member> met = new ArrayList<>();
            ByteBuffer in = metBefore.head().asByteBuffer();
            while (in.hasRemaining()) {
                met.add(new Member(in.getInt(), in.getLong()));
            }
            companions = List.copyOf(met);
        }
    }

    private long newNumber() {
        long drawn = context.incarnation() << RANDOM_BITS | context.random().nextInt(1 << RANDOM_BITS);
        return Math.max(1, drawn & Long.MAX_VALUE);
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

    private void appendCompanions() {
        ByteBuffer head = ByteBuffer.allocate(companions.size() * COMPANION_BYTES);
        companions.forEach(member -> head.putInt(member.replicaId()).putLong(member.disk()));
        effects.append(new LogRecord(LogRecord.METADATA, COMPANIONS, ByteSlice.of(head.array()), ByteSlice.EMPTY));
    }

    /** @return whether this disk took part in founding the cluster */
    public boolean isFounder() {
        return founder;
    }

    /** @return whether it did, and a crash does not make it forget that */
    public boolean isDurableFounder() {
        return founderIsDurable;
    }

    /** @return whether a crash would leave this replica all that it tells others of itself; before, it says nothing */
    public boolean mayIntroduce() {
        return isDurable && founder == founderIsDurable;
    }

    /**
     * @param nothingPromised whether nothing was promised or accepted here
     * @return what to tell a peer if {@link #mayIntroduce}
     */
    public Introduction introduction(boolean nothingPromised) {
        boolean promisedNothing = nothingPromised && (blank || founder);
        return new Introduction(number, promisedNothing, founderIsDurable, initialParticipants(), companions);
    }

    /**
     * A peer has told about itself.
     *
     * @param peer replica id
     * @param hello what it said
     */
    public void met(int peer, Introduction hello) {
        peers.met(peer, hello);
        foundIfPossible();
    }

    /** @return whether so many have founded the cluster that they can decide something */
    public boolean isFounded() {
        return peers.founders() + (founder ? 1 : 0) >= quorumOfParticipants();
    }

    private int quorumOfParticipants() {
        return Membership.initial(minQuorumSize, initialParticipants()).quorum();
    }

    private void foundIfPossible() {
        boolean participates = context.ensemble().participants().contains(context.replicaId());
        if (blank && participates && peers.mayFound(quorumOfParticipants())) {
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
        companions = peers.met();
        appendCompanions();
        founderSequence = append();
        keptSequence = founderSequence;
    }

    /**
     * Records are durable.
     *
     * @param logSequence up to here
     * @return whether that makes {@link #mayIntroduce} true
     */
    public boolean durable(long logSequence) {
        boolean before = mayIntroduce();
        isDurable |= kept && logSequence >= keptSequence;
        founderIsDurable |= founder && logSequence >= founderSequence;
        return mayIntroduce() && !before;
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
