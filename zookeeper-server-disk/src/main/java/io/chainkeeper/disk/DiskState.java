package io.chainkeeper.disk;

import io.chainkeeper.disk.layout.DiskLayout;
import io.chainkeeper.disk.layout.RingEntry;
import io.chainkeeper.disk.layout.ServerHeader;
import io.chainkeeper.disk.layout.Superblock;
import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Effects;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.PrefixHash;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.ordering.RecoveredState;
import io.chainkeeper.ordering.acceptor.Ballot;
import io.chainkeeper.ordering.prefix.PrefixWatch;
import io.chainkeeper.ordering.proposer.ForwardQueue;
import java.util.ArrayList;
import java.util.List;

/** What all parts of one replica's protocol share: the disks, the own ring, ballots and watermarks, delivery. */
final class DiskState {
    /** Arrays indexed by replica id have this length. */
    static final int IDS = Membership.MAX_REPLICA_ID + 1;

    final ProtocolContext context;
    final DiskSettings settings;
    final SafetyRules rules;
    final Effects effects;
    final int self;
    final int slot;
    final DiskLayout layout;
    final PrefixWatch agreement;
    final ForwardQueue forwards;
    final Disk[] disks;
    final RingSpace space = new RingSpace(this);
    final boolean[] linkUp = new boolean[IDS];

    /** The own ring; null until it has been read on a majority of the disks. */
    OwnRing ring;

    Ensemble ensemble;
    Membership membership;

    /** Whether the order has said so; until then it is what this server's own file says. */
    boolean isMembershipOrdered;

    /** Ticks since start. */
    long now;

    /** Everything up to here is delivered here. */
    long decided;

    /** Everything up to here is decided, as somebody has said. */
    long known;

    /** Everything up to here is in the checkpoints of all members. */
    long freed;

    /** What others have freed. */
    long freedByOthers;

    /**
     * The own checkpoint: what a start needs nothing of the order for, whichever of its files it finds. A start does
     * not know that of itself, so it says what an earlier one has said.
     */
    long checkpoint;

    /** What this start has recovered; an older file than this may be all that the next one finds. */
    private long recovered;

    /** What each slot's checkpoint is, as its headers say. */
    final long[] checkpoints;

    /** The highest ballot that was seen anywhere. */
    Ballot highest = Ballot.NONE;

    /** The highest ballot that this server has tried to lead with. */
    Ballot own = Ballot.NONE;

    long heartbeat;

    /** Whether this server leads {@link #own}. */
    boolean isLeading;

    /** Grows when reads wait that the headers have to be read for. */
    long round;

    /** Tells when rings need a checkpoint of the application. */
    final CheckpointWish checkpointWish;

    private Superblock superblock;

    DiskState(
            ProtocolContext context,
            DiskSettings settings,
            SafetyRules rules,
            Effects effects,
            Disk.Listener listener) {
        this.context = context;
        this.settings = settings;
        this.rules = rules;
        this.effects = effects;
        this.self = context.replicaId();
        this.slot = DiskLayout.slotOf(self);
        this.layout = settings.layout();
        this.agreement = new PrefixWatch(self);
        this.forwards = new ForwardQueue(self, context.incarnation());
        configure(context.ensemble());
        this.checkpoints = new long[layout.slots()];
        this.checkpointWish = new CheckpointWish(settings);
        InvariantViolated.check(slot < layout.slots(), "server %d has no slot, disk.slots is %d", self, layout.slots());
        this.disks = new Disk[settings.disks()];
        for (int i = 0; i < disks.length; i++) {
            disks[i] = new Disk(i, this, listener);
        }
    }

    /** The own file names these servers. Until the order has said who is a member, it is who is a participant there. */
    void configure(Ensemble configured) {
        ensemble = configured;
        if (!isMembershipOrdered) {
            membership = Membership.initial(1, ensemble.participants());
        }
    }

    void start(RecoveredState state) {
        decided = state.appliedPosition();
        known = decided;
        recovered = decided;
        agreement.hashes().begin(decided, state.appliedPrefixHash());
        if (state.membership() != null) {
            membership = state.membership();
            isMembershipOrdered = true;
        }
    }

    /** How many disks decide. */
    int majority() {
        int of = rules.isOn(SafetyRule.MAJORITY_OF_DISKS)
                ? disks.length
                : membership.members().size();
        return of / 2 + 1;
    }

    int readyDisks() {
        int count = 0;
        for (Disk disk : disks) {
            count += disk.isReady() ? 1 : 0;
        }
        return count;
    }

    /** Of these, how many do not hang. */
    int answeringDisks() {
        int count = 0;
        for (Disk disk : disks) {
            count += disk.isAnswering() ? 1 : 0;
        }
        return count;
    }

    boolean isMember() {
        return membership.contains(self);
    }

    long clusterId() {
        return superblock.clusterId();
    }

    /**
     * Whether a disk is the one that all servers mean by its number. As long as this server has counted none, a later
     * generation shows what it did not know: a disk was replaced, and those that do not say so were away then.
     *
     * @return null if it is, or why it is not used
     */
    String refusal(int number, Superblock found) {
        if (superblock == null || ring == null && found.generation() > superblock.generation()) {
            begin(number, found);
        }
        InvariantViolated.check(
                found.clusterId() == superblock.clusterId(),
                "shared disk %d belongs to another cluster than the others: correct disk.paths",
                number);
        InvariantViolated.check(
                found.generation() <= superblock.generation(),
                "a shared disk was replaced since this server started: start it again");
        if (found.equals(superblock.ofDisk(number)) && found.isWhole()) {
            return null;
        }
        return found.generation() < superblock.generation()
                ? "it was away when another disk was replaced: zkDisk.sh inspect --mend"
                : "it does not belong to the disks that this server knows";
    }

    /** Goes by this disk from now on: which disks there are it says. */
    private void begin(int number, Superblock found) {
        InvariantViolated.check(
                found.number() == number && found.diskIds().size() == disks.length,
                "shared disk %d says that it is disk %d of %d: give the same disk.paths, in the same order, on"
                        + " every server",
                number,
                found.number(),
                found.diskIds().size());
        InvariantViolated.check(
                superblock == null || found.clusterId() == superblock.clusterId(),
                "shared disk %d belongs to another cluster than the others: correct disk.paths",
                number);
        superblock = new Superblock(
                found.clusterId(),
                number,
                found.diskIds(),
                found.slots(),
                found.regionBytes(),
                found.generation(),
                true);
        for (Disk disk : disks) {
            disk.compareAgain();
        }
    }

    /** The header that this server is to write next. */
    ServerHeader header(long diskId, long sequence) {
        return new ServerHeader(
                slot, diskId, sequence, context.incarnation(), own, heartbeat, ring.tail(), freed, known, checkpoint);
    }

    void wantHeaders() {
        for (Disk disk : disks) {
            disk.wantHeader();
        }
    }

    // ---------------------------------------------------------------- the own part

    /** Takes up the own header and ring as soon as a majority of the disks has told them; then all of these count. */
    void joinDisks() {
        int open = 0;
        for (Disk disk : disks) {
            open += disk.isOpen() ? 1 : 0;
        }
        if (ring == null && open >= majority()) {
            recoverOwn();
        }
        for (Disk disk : disks) {
            if (ring != null && disk.isOpen()) {
                disk.join();
            }
        }
    }

    private void recoverOwn() {
        List<Disk> open = new ArrayList<>();
        for (Disk disk : disks) {
            if (disk.isOpen()) {
                ServerHeader header = disk.header();
                freed = Math.max(freed, header.freed());
                checkpoint = Math.max(checkpoint, Math.min(header.checkpoint(), recovered));
                heartbeat = Math.max(heartbeat, header.heartbeat());
                own = own.lessThan(header.ballot()) ? header.ballot() : own;
                open.add(disk);
            }
        }
        RingRecovery recovery = new RingRecovery(open, tail -> new OwnRing(clusterId(), slot, layout, tail));
        ring = rules.isOn(SafetyRule.RING_IS_TAKEN_UP_FROM_ONE_DISK)
                ? recovery.fromOneDisk(freed)
                : recovery.placeByPlace();
    }

    /**
     * Frees the positions that a header of this server says to be freed: others must not look for them. The tail there
     * may be that of a ring that was given up, and what this ring has below it something else.
     */
    void freeAsIn(ServerHeader header) {
        freed = Math.max(freed, header.freed());
        ring.free(freed);
        if (!rules.isOn(SafetyRule.RING_IS_FREED_BY_POSITION)) {
            ring.freeTo(header.tail());
        }
    }

    // ---------------------------------------------------------------- what headers say

    /** Takes notice of headers; ballots, watermarks and checkpoints of others. */
    void take(Headers headers) {
        for (ServerHeader header : headers.bySlot()) {
            int id = header.slot();
            checkpoints[id] = Math.max(checkpoints[id], header.checkpoint());
            highest = highest.lessThan(header.ballot()) ? header.ballot() : highest;
        }
        ServerHeader mine = headers.bySlot().get(slot);
        InvariantViolated.check(
                mine.incarnation() <= context.incarnation(),
                "server %d was started a second time, or its clock is behind an earlier start: stop the other one, or"
                        + " set the clock",
                self);
        known = Math.max(known, headers.decided());
        freedByOthers = Math.max(freedByOthers, headers.freed());
    }

    /** Whether the own ring has no room for any proposal, with what is left out where the ring begins anew. */
    boolean isRingFull() {
        return !ring.hasRoomFor(2L * settings.longestEntryBytes() + settings.reserveBytes());
    }

    /** To remove the server that keeps a ring full is what frees it. Taking over keeps its room all the same. */
    boolean hasRoomForMembership(ByteSlice value) {
        return ring.hasRoomFor(settings.takeoverBytes() + 2 * RingEntry.bytesFor(value.length()));
    }

    /** Frees what is in the checkpoints of all members. */
    void free() {
        long least = checkpoint;
        for (int id : membership.replicaIds()) {
            least = Math.min(least, checkpointOf(id));
        }
        if (ring != null && least > freed) {
            freed = least;
            ring.free(freed);
        }
    }

    /** Which member's checkpoint keeps the ring from being freed; 0 if none is behind this one. */
    int heldBy() {
        int holder = 0;
        long least = checkpoint;
        for (int id : membership.replicaIds()) {
            if (checkpointOf(id) < least) {
                least = checkpointOf(id);
                holder = id;
            }
        }
        return holder;
    }

    /** Up to where the newest checkpoint of a member reaches, as far as known. */
    long checkpointOf(int id) {
        int of = DiskLayout.slotOf(id);
        if (id == self) {
            return checkpoint;
        }
        return of < layout.slots() ? checkpoints[of] : 0;
    }

    // ---------------------------------------------------------------- delivery

    /** The next position is decided. */
    void deliver(ByteSlice value) {
        decided++;
        known = Math.max(known, decided);
        long hash = agreement.append(value);
        forwards.delivered(value);
        checkpointWish.delivered(value.length());
        if (BatchCodec.isMembership(value)) {
            membership = BatchCodec.membershipIn(value);
            isMembershipOrdered = true;
        }
        effects.deliver(decided, value, hash);
    }

    /** The next position is decided, and this is what a ring says of it. */
    void deliver(RingEntry entry) {
        long before = agreement.hashes().at(decided);
        long hash = PrefixHash.next(before, entry.position(), entry.value());
        InvariantViolated.check(
                entry.prefixHash() == PrefixHash.UNKNOWN || hash == PrefixHash.UNKNOWN || hash == entry.prefixHash(),
                "agreement: server %d has proposed position %d behind another order than this server holds",
                entry.slot() + 1,
                entry.position());
        deliver(entry.value());
    }
}
