package io.chainkeeper.ordering.membership;

import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.ProtocolContext;
import io.chainkeeper.ordering.ProtocolContext.Start;

/**
 * Says which membership to propose: brings the membership in force into line with the configured ensemble, one change
 * at a time. Only a matter of policy; whatever is proposed is safe.
 *
 * <p>A participant is admitted when it has caught up, under the number of its disk, so that a replica that has lost its
 * disk is admitted anew. Members that are no participants are removed, the proposing replica itself last. Members that
 * are silent stay, and count again as soon as they are back. Only where the user allows quorums below the majority of
 * the ensemble are they removed, because only there does it help (docs/decisions/006-membership-in-the-order.md). A
 * start of the sole survivor admits nobody: whoever starts it once more must be able to say that it was alone
 * (docs/decisions/054-a-forced-start-is-one-replicas.md).
 *
 * <p>Not thread-safe; the protocol that owns it calls it.
 */
public final class MembershipPolicy {
    /** What the proposing replica knows of the others. */
    public interface Evidence {
        /**
         * @param replicaId another replica
         * @return whether it has said lately that it does not vote, and of its disk often enough to count on it
         *     ({@link ProvenDisks})
         */
        boolean isLearning(int replicaId);

        /**
         * @param replicaId a replica that is learning
         * @return number of its disk
         */
        long disk(int replicaId);

        /**
         * @param replicaId a replica that is learning
         * @return whether so little is missing there that it can vote
         */
        boolean hasCaughtUp(int replicaId);

        /**
         * @param replicaId another replica
         * @return ticks since its last sign of life
         */
        long silentTicks(int replicaId);

        /**
         * @param member another replica, under the number of a disk
         * @return whether it shows signs of life, and votes with that disk or would once it is admitted with it
         */
        boolean mayVote(Member member);
    }

    /**
     * What the user has set.
     *
     * @param minQuorumSize a quorum has at least so many members, from 1
     * @param removesSilent whether members that are silent are removed, as far as the least quorum allows
     * @param silenceTicks how long a member that is no participant may be silent before it is removed before others
     * @param removalTicks how long any member may be silent before it is removed, if that is done at all
     */
    public record Limits(int minQuorumSize, boolean removesSilent, int silenceTicks, int removalTicks) {}

    private final int self;
    private final Limits limits;
    private final Evidence evidence;

    private final boolean isSoleSurvivor;
    private boolean hasProposed;

    /**
     * @param context of the replica that proposes
     * @param limits what the user has set
     * @param evidence asked whenever a membership is
     */
    public MembershipPolicy(ProtocolContext context, Limits limits, Evidence evidence) {
        this.self = context.replicaId();
        this.limits = limits;
        this.evidence = evidence;
        this.isSoleSurvivor = context.start() == Start.SOLE_SURVIVOR;
    }

    /**
     * @param now the membership in force
     * @param ensemble as configured
     * @return the membership to propose; null if there is nothing to change
     */
    public Membership next(Membership now, Ensemble ensemble) {
        if (isSoleSurvivor) {
            // It is in force here because the user said so; the order must say so too, and nothing else.
            return hasProposed ? null : now;
        }
        Membership wanted = withoutGone(now, ensemble);
        if (wanted.equals(now)) {
            wanted = withAdmitted(now, ensemble);
        }
        if (wanted.equals(now)) {
            wanted = withoutUnwanted(now, ensemble);
        }
        if (wanted.minQuorumSize() != limits.minQuorumSize()) {
            wanted = new Membership(limits.minQuorumSize(), wanted.members());
        }
        return wanted.equals(now) ? null : wanted;
    }

    /** What {@link #next} returned has been proposed. */
    public void proposed() {
        hasProposed = true;
    }

    private Membership withAdmitted(Membership now, Ensemble ensemble) {
        for (int id : ensemble.participants()) {
            if (id != self && evidence.isLearning(id) && evidence.hasCaughtUp(id)) {
                Member admitted = new Member(id, evidence.disk(id));
                Membership next = now.with(admitted);
                if (!admitted.equals(now.find(id)) && isAlive(next)) {
                    return next;
                }
            }
        }
        return now;
    }

    /** Silent members go first: each of them counts against every quorum. */
    private Membership withoutGone(Membership now, Ensemble ensemble) {
        boolean maySilent = limits.removesSilent() && now.members().size() > limits.minQuorumSize();
        for (Member member : now.members()) {
            int id = member.replicaId();
            boolean unwanted = !ensemble.participants().contains(id);
            long silentTicks = id == self ? 0 : evidence.silentTicks(id);
            boolean gone =
                    silentTicks > limits.removalTicks() && maySilent || silentTicks > limits.silenceTicks() && unwanted;
            if (gone && mayRemove(id, now)) {
                return now.without(id);
            }
        }
        return now;
    }

    private Membership withoutUnwanted(Membership now, Ensemble ensemble) {
        for (Member member : now.members()) {
            int id = member.replicaId();
            if (id != self && !ensemble.participants().contains(id) && mayRemove(id, now)) {
                return now.without(id);
            }
        }
        boolean selfUnwanted = now.contains(self) && !ensemble.participants().contains(self);
        return selfUnwanted && mayRemove(self, now) ? now.without(self) : now;
    }

    private boolean mayRemove(int id, Membership now) {
        return now.members().size() > 1 && isAlive(now.without(id));
    }

    /** Whether the members that show signs of life, and vote with their disks, are enough to decide something. */
    private boolean isAlive(Membership membership) {
        long alive = membership.members().stream()
                .filter(member -> member.replicaId() == self || evidence.mayVote(member))
                .count();
        return alive >= membership.quorum();
    }
}
