package io.chainkeeper.ordering.acceptor;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.LogRecord;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.ordering.ProtocolContext.Start;
import io.chainkeeper.ordering.RecoveredState;
import io.chainkeeper.ordering.RuleSwitches;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Who this replica is to the others: its id together with the number of its disk, and whether it is a founder of the
 * cluster. So it says whether this acceptor log can be trusted to remember this replica's promises. A blank log may
 * belong to a new server or to one that has lost its disk, and a server that has lost its disk must not vote: what it
 * forgot may have been counted.
 *
 * <p>So a blank replica votes only if it helps to found the cluster, or once the order has admitted it under the
 * number of its disk. It becomes a founder when the replicas that were blank when they met this very disk are a quorum
 * together with it, and it has met nobody who has promised anything. A founder records, before it promises anything,
 * which disks it had met: it stands for these, and for no disk that takes their place later. The first election waits
 * until a quorum are founders, so that a replica that comes too late to be one always finds a leader that can admit it.
 * Why: docs/decisions/022-founding.md.
 *
 * <p>Not thread-safe; the protocol that owns it calls it.
 */
public final class ReplicaIdentity {
    /**
     * Metadata record: number of the disk, and a byte that is 1 if it took part in founding the cluster. If so, the
     * participants then follow: the membership before the first ordered one is theirs, whoever is configured by now.
     */
    public static final int DISK = 3;

    /**
     * Metadata record of a founder, before the one that says that it is a founder: ids and disk numbers of the replicas
     * that it had met. Founders of earlier releases have none and stand for nobody.
     */
    public static final int COMPANIONS = 6;

    private static final int COMPANION_BYTES = Integer.BYTES + Long.BYTES;

    /** The number of every disk that forgets with the process. */
    private static final long FORGETFUL_DISK = 1;

    /** Chance in a new number: a clock that was set back must not number the next disk like the lost one. */
    private static final int RANDOM_BITS = 20;

    private final ProtocolContext context;
    private final Effects effects;
    private final int minQuorumSize;
    private final RuleSwitches rules;
    private final List<Integer> initialParticipants = new ArrayList<>();
    private List<Member> companions = List.of();
    private FoundingPeers peers;
    private long disk;
    private boolean founder;

    /** Log sequence of the record that says that this is a founder; others rely on it only when that is durable. */
    private long founderSequence;

    private boolean founderIsDurable;
    private boolean blank;
    private boolean recorded;
    private boolean isDurable;
    private long recordSequence;

    /**
     * @param context who this replica is
     * @param effects where its records go
     * @param minQuorumSize of the membership before the first ordered one
     * @param rules that are followed
     */
    public ReplicaIdentity(ProtocolContext context, Effects effects, int minQuorumSize, RuleSwitches rules) {
        this.context = context;
        this.effects = effects;
        this.minQuorumSize = minQuorumSize;
        this.rules = rules;
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
            disk = FORGETFUL_DISK;
            founder = true;
            founderIsDurable = true;
            isDurable = true;
            recorded = true;
        } else if (record != null) {
            read(record.head().asByteBuffer(), recovered.metadata(COMPANIONS));
        } else {
            disk = newNumber();
        }
        peers = new FoundingPeers(new Member(context.replicaId(), disk), initialParticipants(), rules);
        blank = promisedNothing
                && !founder
                && recovered.appliedPosition() == 0
                && recovered.lastPosition() == 0
                && recovered.membership() == null;
        if (context.start() == Start.SOLE_SURVIVOR) {
            becomeFounder();
        } else {
            becomeFounderIfPossible();
        }
    }

    private void read(ByteBuffer head, LogRecord metBefore) {
        disk = head.getLong();
        founder = head.get() != 0 && rules.isOn(IdentityRule.FOUNDING_IS_REMEMBERED);
        founderIsDurable = founder;
        isDurable = true;
        recorded = true;
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

    /** @return the number of this replica's disk, from 1 */
    public long disk() {
        return disk;
    }

    /**
     * Records the number of the disk, unless the log has it. Called when the first link is up, because before that a
     * start must change nothing.
     */
    public void record() {
        if (!recorded) {
            recorded = true;
            recordSequence = append();
        }
    }

    private long append() {
        ByteBuffer head = ByteBuffer.allocate(Long.BYTES + 1 + initialParticipants.size() * Integer.BYTES);
        head.putLong(disk).put((byte) (founder ? 1 : 0));
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

    /** @return whether this disk took part in founding the cluster, and a crash does not make it forget that */
    public boolean isDurableFounder() {
        return founderIsDurable;
    }

    /** @return whether a crash would leave this replica all that {@link #hello} tells; until then it says nothing */
    public boolean maySayHello() {
        return isAllDurable() || !rules.isOn(IdentityRule.HELLO_IS_DURABLE);
    }

    private boolean isAllDurable() {
        return isDurable && founder == founderIsDurable;
    }

    /**
     * @param nothingPromised whether nothing was promised or accepted here
     * @return what to tell a peer if {@link #maySayHello}
     */
    public FoundingHello hello(boolean nothingPromised) {
        boolean promisedNothing = nothingPromised && (blank || founder);
        boolean saysFounder = founderIsDurable || founder && !rules.isOn(IdentityRule.HELLO_IS_DURABLE);
        return new FoundingHello(disk, promisedNothing, saysFounder, initialParticipants(), companions);
    }

    /**
     * A peer has told about itself.
     *
     * @param peer replica id
     * @param hello what the peer said
     */
    public void met(int peer, FoundingHello hello) {
        peers.met(peer, hello);
        becomeFounderIfPossible();
    }

    /** @return whether so many have founded the cluster that they can decide something */
    public boolean isFounded() {
        return peers.founders() + (founder ? 1 : 0) >= quorumOfParticipants();
    }

    private int quorumOfParticipants() {
        return Membership.initial(minQuorumSize, initialParticipants()).quorum();
    }

    private void becomeFounderIfPossible() {
        boolean participates = context.ensemble().participants().contains(context.replicaId());
        if (blank && participates && peers.mayFound(quorumOfParticipants())) {
            becomeFounder();
        }
    }

    private void becomeFounder() {
        blank = false;
        founder = true;
        recorded = true;
        if (initialParticipants.isEmpty()) {
            initialParticipants.addAll(context.ensemble().participants());
        }
        companions = peers.met();
        appendCompanions();
        founderSequence = append();
        recordSequence = founderSequence;
    }

    /**
     * Records are durable.
     *
     * @param logSequence up to here
     * @return whether that makes everything durable that {@link #hello} tells
     */
    public boolean durable(long logSequence) {
        boolean before = isAllDurable();
        isDurable |= recorded && logSequence >= recordSequence;
        founderIsDurable |= founder && logSequence >= founderSequence;
        return isAllDurable() && !before;
    }

    /** @return whether a crash leaves this replica the number of its disk */
    public boolean isDurable() {
        return isDurable;
    }

    /** There is a leader, so others have founded the cluster: from now on this replica cannot become a founder. */
    public void joined() {
        blank = false;
    }

    /** @return the participants of the membership before the first ordered one, as far as this replica can know them */
    public List<Integer> initialParticipants() {
        return initialParticipants.isEmpty() ? context.ensemble().participants() : List.copyOf(initialParticipants);
    }

    /**
     * @param member of a membership, with this replica's id
     * @return whether the member is this replica with this disk
     */
    public boolean votesAs(Member member) {
        boolean isSame = member.disk() == disk || member.disk() == Member.UNBOUND && founder;
        return isSame || !rules.isOn(IdentityRule.NEW_DISK_HAS_NO_VOTE);
    }

    /**
     * Puts in words what a record says of a disk.
     *
     * @param record a record of an acceptor log
     * @return one line; null if its kind is none of these
     */
    public static String describe(LogRecord record) {
        boolean isMetadata = record.position() == LogRecord.METADATA;
        ByteBuffer in = record.head().asByteBuffer();
        if (isMetadata && record.kind() == DISK) {
            long number = in.getLong();
            boolean founded = in.get() == 1;
            List<Integer> participants = new ArrayList<>();
            while (in.hasRemaining()) {
                participants.add(in.getInt());
            }
            return "disk " + number + (founded ? ", a founder, with participants " + participants : ", no founder");
        }
        if (isMetadata && record.kind() == COMPANIONS) {
            List<Member> met = new ArrayList<>();
            while (in.hasRemaining()) {
                met.add(new Member(in.getInt(), in.getLong()));
            }
            return "founded with " + met;
        }
        return null;
    }
}
