package io.chainkeeper.ordering;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * Who votes, from one position of the order on. Part of the order: a position whose value is a membership
 * ({@link BatchCodec#encode(Membership)}) puts it in force from the next position on.
 *
 * @param minQuorumSize a quorum has at least this many members, as far as there are so many
 * @param members in the order of the chain, without two of the same id
 */
public record Membership(int minQuorumSize, List<Member> members) {
    /** The largest replica id; ids fit into the top byte of a session id. */
    public static final int MAX_REPLICA_ID = 255;

    private static final int MEMBER_BYTES = Integer.BYTES + Long.BYTES;

    /** Checks that ids are distinct. */
    public Membership {
        members = List.copyOf(members);
        InvariantViolated.check(!members.isEmpty(), "a membership has at least one member");
        long distinct = members.stream().mapToInt(Member::replicaId).distinct().count();
        InvariantViolated.check(distinct == members.size(), "members %s are not distinct", members);
    }

    /**
     * The membership before the first ordered one.
     *
     * @param minQuorumSize see {@link Membership}
     * @param replicaIds the configured participants
     * @return their membership, no disk bound
     */
    public static Membership initial(int minQuorumSize, List<Integer> replicaIds) {
        return new Membership(
                minQuorumSize,
                replicaIds.stream().map(id -> new Member(id, Member.UNBOUND)).toList());
    }

    /** @return how many decide: the majority, or {@link #minQuorumSize} if that is more, but never more than all */
    public int quorum() {
        int majority = members.size() / 2 + 1;
        return Math.min(members.size(), Math.max(majority, minQuorumSize));
    }

    /**
     * @param replicaId a replica
     * @return its member, null if it does not vote
     */
    public Member find(int replicaId) {
        int index = indexOf(replicaId);
        return index < 0 ? null : members.get(index);
    }

    /**
     * @param replicaId a replica
     * @return whether it is a member, with whatever disk
     */
    public boolean contains(int replicaId) {
        return find(replicaId) != null;
    }

    /**
     * @param replicaId a replica
     * @return its place in the chain from 0, -1 if it is no member
     */
    public int indexOf(int replicaId) {
        for (int i = 0; i < members.size(); i++) {
            if (members.get(i).replicaId() == replicaId) {
                return i;
            }
        }
        return -1;
    }

    /**
     * @param member takes the place of the one with the same id, else the end of the chain
     * @return this membership with it
     */
    public Membership with(Member member) {
        List<Member> next = new ArrayList<>(members);
        int index = indexOf(member.replicaId());
        if (index >= 0) {
            next.set(index, member);
        } else {
            next.add(member);
        }
        return new Membership(minQuorumSize, next);
    }

    /**
     * @param replicaId a member that is not the only one
     * @return this membership without it
     */
    public Membership without(int replicaId) {
        return new Membership(
                minQuorumSize,
                members.stream()
                        .filter(member -> member.replicaId() != replicaId)
                        .toList());
    }

    /**
     * Tells whether one step leads from one membership to the other; only of such two do quorums always meet.
     *
     * @param other a membership
     * @return whether they differ by one replica, by the disk of one, or in no member
     */
    public boolean isOneChangeFrom(Membership other) {
        TreeSet<Integer> touched = new TreeSet<>();
        members.stream().filter(member -> !other.members.contains(member)).forEach(m -> touched.add(m.replicaId()));
        other.members.stream().filter(member -> !members.contains(member)).forEach(m -> touched.add(m.replicaId()));
        return touched.size() <= 1;
    }

    /** @return ids of the members in the order of the chain */
    public List<Integer> replicaIds() {
        return members.stream().map(Member::replicaId).toList();
    }

    /** @return number of bytes that {@link #put} writes */
    int encodedBytes() {
        return 2 * Integer.BYTES + members.size() * MEMBER_BYTES;
    }

    void put(ByteBuffer out) {
        out.putInt(minQuorumSize).putInt(members.size());
        members.forEach(member -> out.putInt(member.replicaId()).putLong(member.disk()));
    }

    static Membership get(ByteBuffer in) throws MalformedMessageException {
        int minQuorumSize = in.getInt();
        int count = in.getInt();
        if (count < 1 || count > in.remaining() / MEMBER_BYTES) {
            throw new MalformedMessageException("membership claims " + count + " members");
        }
        List<Member> members = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            members.add(new Member(in.getInt(), in.getLong()));
        }
        return new Membership(minQuorumSize, members);
    }

    /** @return the bytes for a checkpoint */
    public ByteSlice encode() {
        ByteBuffer out = ByteBuffer.allocate(encodedBytes());
        put(out);
        return ByteSlice.of(out.array());
    }

    /**
     * Reads back what {@link #encode} wrote.
     *
     * @param bytes from a checkpoint
     * @return the membership
     * @throws MalformedMessageException if they are anything else
     */
    public static Membership decode(ByteSlice bytes) throws MalformedMessageException {
        ByteBuffer in = bytes.asByteBuffer();
        try {
            Membership membership = get(in);
            if (in.hasRemaining()) {
                throw new MalformedMessageException("membership has " + in.remaining() + " bytes too many");
            }
            return membership;
        } catch (BufferUnderflowException | InvariantViolated e) {
            throw new MalformedMessageException("membership of " + bytes.length() + " bytes: " + e.getMessage());
        }
    }

    @Override
    public String toString() {
        return members + (quorum() == members.size() / 2 + 1 ? "" : " quorum " + quorum());
    }
}
