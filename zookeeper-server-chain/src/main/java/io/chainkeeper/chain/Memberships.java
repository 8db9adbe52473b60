package io.chainkeeper.chain;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.ordering.Occupancy.Slack;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntToLongFunction;

/**
 * Which membership is in force at which instance, as far as this replica has accepted the values that say so. What lies
 * above the decided instances is tentative: another ballot may put other values there.
 *
 * <p>Every instance is decided by a quorum of its own membership, and only after all before it. So a replica that
 * knows the values up to an instance knows who decides the next one (docs/decisions/006-membership-in-the-order.md).
 */
final class Memberships {
    /** Memberships that stay known after they have been superseded, for rounds that began under them. */
    private static final int KEPT = 16;

    private record Segment(long from, Membership membership) {}

    private final ArrayList<Segment> segments = new ArrayList<>();

    /** In force at all instances, whatever the order says: the user has said so. Null if nobody has. */
    private Membership forced;

    /** Whether the oldest membership is that of the order, and not only what the configuration of this replica says. */
    private boolean oldestIsKnown;

    /**
     * @param from first instance of interest
     * @param membership in force there
     */
    Memberships(long from, Membership membership) {
        segments.add(new Segment(from, membership));
    }

    /** Returns the membership in force at an instance; the oldest known one for instances before it. */
    Membership at(long instance) {
        return forced != null ? forced : orderedAt(instance);
    }

    /** Returns the membership that the order puts in force at an instance; the oldest known one before it. */
    Membership orderedAt(long instance) {
        for (int i = segments.size() - 1; i > 0; i--) {
            if (segments.get(i).from() <= instance) {
                return segments.get(i).membership();
            }
        }
        return segments.get(0).membership();
    }

    /** Returns whether {@link #at} knows who votes there, and does not only take it from the configuration. */
    boolean isKnownAt(long instance) {
        return forced != null
                || oldestIsKnown
                || segments.size() > 1 && segments.get(1).from() <= instance;
    }

    /** From now on this membership is in force, whatever the order says: the user says so. */
    void force(Membership membership) {
        forced = membership;
    }

    /** Returns whether the user has put just this membership in force. */
    boolean isForced(Membership membership) {
        return membership.equals(forced);
    }

    /** Returns what is in force behind a value that is a membership. */
    Membership behind(Membership value) {
        return forced != null ? forced : value;
    }

    /** Returns the membership in force after everything that was accepted. */
    Membership latest() {
        return forced != null ? forced : segments.get(segments.size() - 1).membership();
    }

    /** Returns the first instance at which the order puts its latest membership in force. */
    long latestFrom() {
        return segments.get(segments.size() - 1).from();
    }

    /** The value before {@code from} is a membership. */
    void put(long from, Membership membership) {
        InvariantViolated.check(
                from > latestFrom(), "membership from instance %d follows one from %d", from, latestFrom());
        segments.add(new Segment(from, membership));
    }

    /** Forgets what was tentative: memberships in force only above an instance. */
    void forgetAbove(long instance) {
        while (segments.size() > 1 && latestFrom() > instance) {
            segments.remove(segments.size() - 1);
        }
    }

    /**
     * Before anything was ordered this membership is in force.
     *
     * @param isKnown whether that is certain; if not, the membership is what the configuration says by now, perhaps
     *     long after the cluster was founded with other members
     */
    void begin(Membership membership, boolean isKnown) {
        replaceFrom(1, membership);
        oldestIsKnown = isKnown;
    }

    /** Whatever was known, from now on the order has this membership in force: a checkpoint says so. */
    void replaceFrom(long from, Membership membership) {
        segments.clear();
        segments.add(new Segment(from, membership));
        oldestIsKnown = true;
    }

    /** Drops old memberships that are neither in force above the decided instances nor among the latest. */
    void trim(long maxDecided) {
        while (segments.size() > KEPT && segments.get(1).from() <= maxDecided) {
            segments.remove(0);
            oldestIsKnown = true;
        }
    }

    /** Returns the memberships in force at any of the given instances, ascending. */
    List<Membership> between(long from, long to) {
        if (forced != null) {
            return List.of(forced);
        }
        List<Membership> found = new ArrayList<>(1);
        for (int i = 0; i < segments.size(); i++) {
            long end = i + 1 < segments.size() ? segments.get(i + 1).from() - 1 : Long.MAX_VALUE;
            long begin = i == 0 ? 0 : segments.get(i).from();
            if (begin <= to && end >= from) {
                found.add(segments.get(i).membership());
            }
        }
        return found;
    }

    /**
     * Returns up to where everything from an instance on has been reached by a quorum of its membership.
     *
     * @param reached what each replica has reached
     * @param from the first instance in question
     * @param to the last one whose membership is known
     */
    long reachedByQuorum(IntToLongFunction reached, long from, long to) {
        long all = from - 1;
        if (forced != null) {
            return Math.max(all, Math.min(to, reachedByQuorum(reached, forced)));
        }
        for (int i = 0; i < segments.size(); i++) {
            long end =
                    Math.min(to, i + 1 < segments.size() ? segments.get(i + 1).from() - 1 : Long.MAX_VALUE);
            if (end <= all) {
                continue;
            }
            long here = Math.min(end, reachedByQuorum(reached, segments.get(i).membership()));
            all = Math.max(all, here);
            if (here < end) {
                break;
            }
        }
        return all;
    }

    /** Returns the highest value that a quorum of a membership has reached. */
    static long reachedByQuorum(IntToLongFunction reached, Membership membership) {
        List<Member> members = membership.members();
        long[] sorted = new long[members.size()];
        for (int i = 0; i < sorted.length; i++) {
            sorted[i] = reached.applyAsLong(members.get(i).replicaId());
        }
        Arrays.sort(sorted);
        return sorted[sorted.length - membership.quorum()];
    }

    /** Tells how many memberships are known that are in force at decided instances, or right behind them. */
    void tellOccupancy(Occupancy occupancy, long maxDecided) {
        int decided = 0;
        while (decided < segments.size() && segments.get(decided).from() <= maxDecided + 1) {
            decided++;
        }
        occupancy.holds("memberships_known", decided, KEPT + 1, Slack.NONE);
    }

    @Override
    public String toString() {
        return forced == null ? segments.toString() : forced + " instead of " + segments;
    }
}
