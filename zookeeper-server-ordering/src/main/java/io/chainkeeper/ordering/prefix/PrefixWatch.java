package io.chainkeeper.ordering.prefix;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.PrefixHash;
import java.util.ArrayList;
import java.util.List;

/**
 * Compares this replica's prefix with what others say of theirs, wherever a prefix is handed on. Two replicas that
 * contradict each other do not work together: each treats the other as if the link to it were down, so nothing of a
 * wrong order is learned and nothing is decided by both. Which of the two is wrong cannot be told. A replica goes on as
 * long as the replicas that do not contradict it can be a majority, and {@link #check stops} when they cannot: so a
 * minority that is wrong stops, as soon as it has heard of enough others, and never stops the majority.
 */
public final class PrefixWatch {
    private static final int IDS = Membership.MAX_REPLICA_ID + 1;
    private static final int NOBODY = 0;

    private record Contradiction(Prefix own, Prefix theirs) {}

    private final int self;
    private final PrefixHashes hashes = new PrefixHashes();

    /** What others have said of positions that are not decided here yet, the first of each; else null. */
    private final Prefix[] awaited = new Prefix[IDS];

    /** Where each contradicts the own prefix; else null. */
    private final Contradiction[] contradictions = new Contradiction[IDS];

    /** The lowest position of {@link #awaited}. */
    private long nextAwaited = Long.MAX_VALUE;

    /** Replicas that have contradicted and were not told of yet, in the order in which they did. */
    private final List<Integer> unnoticed = new ArrayList<>();

    /** @param self this replica */
    public PrefixWatch(int self) {
        this.self = self;
    }

    /** @return the own hashes */
    public PrefixHashes hashes() {
        return hashes;
    }

    /**
     * The next position is decided here.
     *
     * @param value what it holds
     * @return hash of the prefix up to it
     */
    public long append(ByteSlice value) {
        long hash = hashes.append(value);
        if (hashes.last() >= nextAwaited) {
            compareAwaited();
        }
        return hash;
    }

    /**
     * Somebody says what it holds.
     *
     * @param peer who
     * @param prefix what it says
     * @return whether that, or what it said before, contradicts the own prefix: then it is not to be listened to
     */
    public boolean isContradictedBy(int peer, Prefix prefix) {
        if (contradictions[peer] == null && prefix.isKnown()) {
            if (prefix.position() <= hashes.last()) {
                compare(peer, prefix);
            } else if (awaited[peer] == null) {
                awaited[peer] = prefix;
                nextAwaited = Math.min(nextAwaited, prefix.position());
            }
        }
        return contradictions[peer] != null;
    }

    private void compare(int peer, Prefix prefix) {
        long own = hashes.at(prefix.position());
        if (own != PrefixHash.UNKNOWN && own != prefix.hash()) {
            contradictions[peer] = new Contradiction(new Prefix(prefix.position(), own), prefix);
            unnoticed.add(peer);
        }
    }

    private void compareAwaited() {
        nextAwaited = Long.MAX_VALUE;
        for (int id = 1; id < IDS; id++) {
            Prefix prefix = awaited[id];
            if (prefix != null && prefix.position() <= hashes.last()) {
                awaited[id] = null;
                if (contradictions[id] == null) {
                    compare(id, prefix);
                }
            } else if (prefix != null) {
                nextAwaited = Math.min(nextAwaited, prefix.position());
            }
        }
    }

    /**
     * A new link to somebody: what it said over an older one may have been said by an earlier start with another state.
     *
     * @param peer who
     */
    public void forget(int peer) {
        contradictions[peer] = null;
        awaited[peer] = null;
        unnoticed.remove((Integer) peer);
    }

    /**
     * @param peer who
     * @return whether it holds another order
     */
    public boolean isContradictedBy(int peer) {
        return contradictions[peer] != null;
    }

    /** @return whether {@link #pollContradiction} has somebody */
    public boolean hasContradiction() {
        return !unnoticed.isEmpty();
    }

    /**
     * @return a replica that contradicts and that this method has not returned for that before: it is to be treated as
     *     if its link were down, and to be told {@link #answerTo}; 0 if there is none
     */
    public int pollContradiction() {
        return unnoticed.isEmpty() ? NOBODY : unnoticed.remove(0);
    }

    /**
     * @param peer who contradicts
     * @return the own prefix up to the position that its own word was about, so that it can compare
     */
    public Prefix answerTo(int peer) {
        return contradictions[peer].own();
    }

    /**
     * @param peer who contradicts
     * @return both words, for people
     */
    public String difference(int peer) {
        Contradiction found = contradictions[peer];
        return "the hash of all values up to position " + found.own().position() + " is "
                + PrefixHash.text(found.own().hash()) + " at server " + self + " and "
                + PrefixHash.text(found.theirs().hash()) + " at server " + peer;
    }

    /**
     * Stops this replica if the replicas that do not contradict it are no majority.
     *
     * @param inForce who votes
     * @throws InvariantViolated if so
     */
    public void check(Membership inForce) {
        List<Integer> others = new ArrayList<>();
        for (int id : inForce.replicaIds()) {
            if (contradictions[id] != null) {
                others.add(id);
            }
        }
        int members = inForce.members().size();
        if (!others.isEmpty() && members - others.size() < members / 2 + 1) {
            throw new InvariantViolated("server " + self + " holds another order than servers " + others + ": "
                    + difference(others.get(0)) + ". Without them there is no majority of the " + members
                    + " members, so this server stops. Do not use what it holds: docs/operations.md,"
                    + " \"Divergence alarm\", says what to do");
        }
    }

    /** @return how many contradict the own prefix */
    public int contradictions() {
        int count = 0;
        for (Contradiction found : contradictions) {
            count += found == null ? 0 : 1;
        }
        return count;
    }
}
