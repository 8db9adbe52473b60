package io.chainkeeper.iss;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.Membership;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * What an epoch is like. The next epoch's configuration is a function of this one and of the value of this epoch's last
 * position. So all replicas agree on it, and a replica that knows it may tell others.
 *
 * @param epoch from 1
 * @param first its first position
 * @param segmentPositions positions of each segment
 * @param membership who decides in it
 * @param leaders initial leaders of its segments, in the order in which positions are dealt; the last is the
 *     coordinator
 * @param suspensions who is kept from leading, or was lately
 * @param rotating whether buckets go round the leaders, instead of staying with their home replica
 * @param coordinatorSince the epoch in which the coordinator began to be it
 */
record EpochConfig(
        long epoch,
        long first,
        int segmentPositions,
        Membership membership,
        List<Integer> leaders,
        List<Suspension> suspensions,
        boolean rotating,
        long coordinatorSince) {
    /** Positions of a segment of the first epoch. */
    static final int INITIAL_SEGMENT_POSITIONS = 16;

    /** No encoded configuration is shorter: its own numbers, then the lengths of members and note. */
    static final int LEAST_BYTES = 3 * Long.BYTES + 2 * Integer.BYTES;

    /** The largest back-off: 2 to this power epochs. */
    static final int MAX_SUSPENSION_LEVEL = 6;

    /**
     * A member that failed to finish its segment.
     *
     * @param replicaId who
     * @param level doubles the length of the suspension
     * @param epochsLeft epochs, from the one of this configuration on, in which it does not lead
     */
    record Suspension(int replicaId, int level, int epochsLeft) {}

    /** What the coordinator lays down for the next epoch in this one's last position. */
    record Note(int segmentPositions, List<Integer> leaders, List<Suspension> suspensions, boolean rotating) {
        Note {
            leaders = List.copyOf(leaders);
            suspensions = List.copyOf(suspensions);
        }
    }

    EpochConfig {
        leaders = List.copyOf(leaders);
        suspensions = List.copyOf(suspensions);
        InvariantViolated.check(!leaders.isEmpty(), "epoch %d has no leaders", epoch);
        InvariantViolated.check(
                segmentPositions >= 2, "segments of epoch %d have %d positions", epoch, segmentPositions);
    }

    /** The first epoch of a new cluster. */
    static EpochConfig initial(Membership membership) {
        return new EpochConfig(
                1, 1, INITIAL_SEGMENT_POSITIONS, membership, membership.replicaIds(), List.of(), false, 1);
    }

    /**
     * The epoch of a replica whose user gave up all others, if its log does not tell in which epoch the order is.
     *
     * @param prefix everything up to here is decided; there were fewer epochs than positions
     * @param survivors the membership
     */
    static EpochConfig surviving(long prefix, Membership survivors) {
        long epoch = prefix + 1;
        return new EpochConfig(
                epoch,
                prefix + 1,
                INITIAL_SEGMENT_POSITIONS,
                survivors,
                survivors.replicaIds(),
                List.of(),
                false,
                epoch);
    }

    long last() {
        return first + (long) leaders.size() * segmentPositions - 1;
    }

    /** The leader of the last segment: it alone proposes in the epoch's last position. */
    int coordinator() {
        return leaders.get(leaders.size() - 1);
    }

    boolean contains(long position) {
        return position >= first && position <= last();
    }

    int segmentOf(long position) {
        return (int) ((position - first) % leaders.size());
    }

    int indexOf(long position) {
        return (int) ((position - first) / leaders.size());
    }

    long position(int segment, int index) {
        return first + (long) index * leaders.size() + segment;
    }

    /** The segment that a replica leads at first, -1 if none. */
    int segmentLedBy(int replicaId) {
        return leaders.indexOf(replicaId);
    }

    /**
     * The leader of the bucket of all commands that a replica proposes. The bucket of a replica that does not lead goes
     * round the leaders in any case: a leader that is gone may be one again in every epoch.
     */
    int ownerOf(int proposer) {
        if (!rotating && leaders.contains(proposer)) {
            return proposer;
        }
        return leaders.get((int) ((proposer + epoch) % leaders.size()));
    }

    /** This epoch, decided by others: the user gave up all members but these. */
    EpochConfig with(Membership survivors) {
        return new EpochConfig(
                epoch, first, segmentPositions, survivors, leaders, suspensions, rotating, coordinatorSince);
    }

    /** Whether the coordinator has others coordinate, given the value of the last position: it is going to stop. */
    boolean isHandedOver(ByteSlice lastValue) {
        return BatchCodec.isNote(lastValue)
                && !decodeNote(BatchCodec.noteIn(lastValue)).leaders().contains(coordinator());
    }

    /** The next epoch, given the value of the last position. */
    EpochConfig next(ByteSlice lastValue) {
        if (BatchCodec.isMembership(lastValue)) {
            return nextWith(BatchCodec.membershipIn(lastValue));
        }
        if (BatchCodec.isNote(lastValue)) {
            Note note = decodeNote(BatchCodec.noteIn(lastValue));
            return following(note.segmentPositions(), membership, note.leaders(), note.suspensions(), note.rotating());
        }
        return nextWithoutCoordinator();
    }

    private EpochConfig nextWith(Membership changed) {
        List<Integer> next = new ArrayList<>();
        for (int id : changed.replicaIds()) {
            if (!membership.contains(id)) {
                next.add(id);
            }
        }
        for (int id : leaders) {
            if (changed.contains(id)) {
                next.add(id);
            }
        }
        List<Suspension> kept = suspensions.stream()
                .filter(s -> changed.contains(s.replicaId()))
                .toList();
        return following(segmentPositions, changed, next, kept, rotating);
    }

    /** The coordinator has failed: it is suspended, and everything else stays as it is. */
    private EpochConfig nextWithoutCoordinator() {
        List<Integer> next = new ArrayList<>(leaders.subList(0, leaders.size() - 1));
        List<Suspension> changed = new ArrayList<>();
        int level = 1;
        for (Suspension suspension : suspensions) {
            if (suspension.replicaId() == coordinator()) {
                level = Math.min(MAX_SUSPENSION_LEVEL, suspension.level() + 1);
            } else {
                changed.add(suspension);
            }
        }
        changed.add(new Suspension(coordinator(), level, 1 << level));
        if (next.isEmpty()) {
            next.addAll(membership.replicaIds());
            next.remove((Integer) coordinator());
        }
        return following(segmentPositions, membership, next, changed, rotating);
    }

    private EpochConfig following(
            int positions,
            Membership changed,
            List<Integer> nextLeaders,
            List<Suspension> nextSuspensions,
            boolean nextRotating) {
        List<Integer> able = nextLeaders.stream().filter(changed::contains).toList();
        if (able.isEmpty()) {
            able = changed.replicaIds();
        }
        long since = able.get(able.size() - 1) == coordinator() ? coordinatorSince : epoch + 1;
        return new EpochConfig(epoch + 1, last() + 1, positions, changed, able, nextSuspensions, nextRotating, since);
    }

    /** Whether it can stand at a position, where a note would lay down an epoch. */
    static void checkValue(ByteSlice value) throws MalformedMessageException {
        BatchCodec.check(value);
        if (BatchCodec.isNote(value)) {
            try {
                int positions = decodeNote(BatchCodec.noteIn(value)).segmentPositions();
                InvariantViolated.check(
                        positions >= 2 && positions <= IssSettings.LONGEST_SEGMENT_POSITIONS,
                        "segments of %d positions",
                        positions);
            } catch (BufferUnderflowException | IllegalArgumentException | InvariantViolated e) {
                throw new MalformedMessageException("note of " + value.length() + " bytes: " + e.getMessage());
            }
        }
    }

    /** Puts it in words. */
    String describe() {
        return "epoch " + epoch + ", positions " + first + " to " + last() + ", segments of " + segmentPositions
                + " positions, led by " + leaders + ", members " + membership
                + (suspensions.isEmpty()
                        ? ""
                        : ", suspended "
                                + suspensions.stream()
                                        .map(Suspension::replicaId)
                                        .toList());
    }

    // ---------------------------------------------------------------- bytes

    ByteSlice encode() {
        ByteSlice members = membership.encode();
        ByteSlice note = encode(new Note(segmentPositions, leaders, suspensions, rotating));
        ByteBuffer out = ByteBuffer.allocate(LEAST_BYTES + members.length() + note.length());
        out.putLong(epoch).putLong(first).putLong(coordinatorSince);
        out.putInt(members.length()).put(members.array(), members.offset(), members.length());
        out.putInt(note.length()).put(note.array(), note.offset(), note.length());
        return ByteSlice.of(out.array());
    }

    static EpochConfig decode(ByteSlice bytes) throws MalformedMessageException {
        ByteBuffer in = bytes.asByteBuffer();
        try {
            long epoch = in.getLong();
            long first = in.getLong();
            long since = in.getLong();
            int length = in.getInt();
            Membership membership = Membership.decode(bytes.slice(in.position(), length));
            in.position(in.position() + length);
            length = in.getInt();
            Note note = decodeNote(bytes.slice(in.position(), length));
            return new EpochConfig(
                    epoch,
                    first,
                    note.segmentPositions(),
                    membership,
                    note.leaders(),
                    note.suspensions(),
                    note.rotating(),
                    since);
        } catch (BufferUnderflowException
                | IllegalArgumentException
                | IndexOutOfBoundsException
                | InvariantViolated e) {
            throw new MalformedMessageException("epoch of " + bytes.length() + " bytes: " + e.getMessage());
        }
    }

    static ByteSlice encode(Note note) {
        int bytes = 3 * Integer.BYTES + 1 + note.leaders().size() * Integer.BYTES;
        ByteBuffer out = ByteBuffer.allocate(bytes + note.suspensions().size() * 3 * Integer.BYTES);
        out.putInt(note.segmentPositions()).put((byte) (note.rotating() ? 1 : 0));
        out.putInt(note.leaders().size());
        note.leaders().forEach(out::putInt);
        out.putInt(note.suspensions().size());
        note.suspensions()
                .forEach(s -> out.putInt(s.replicaId()).putInt(s.level()).putInt(s.epochsLeft()));
        return ByteSlice.of(out.array());
    }

    private static Note decodeNote(ByteSlice bytes) {
        ByteBuffer in = bytes.asByteBuffer();
        int positions = in.getInt();
        boolean rotating = in.get() != 0;
        int count = in.getInt();
        InvariantViolated.check(count >= 0 && count <= Membership.MAX_REPLICA_ID, "note names %d leaders", count);
        List<Integer> leaders = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            leaders.add(in.getInt());
        }
        count = in.getInt();
        InvariantViolated.check(count >= 0 && count <= Membership.MAX_REPLICA_ID, "note suspends %d", count);
        List<Suspension> suspensions = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            suspensions.add(new Suspension(in.getInt(), in.getInt(), in.getInt()));
        }
        return new Note(positions, leaders, suspensions, rotating);
    }

    @Override
    public String toString() {
        return "epoch " + epoch + " [" + first + ".." + last() + "] leaders " + leaders + " members " + membership;
    }
}
