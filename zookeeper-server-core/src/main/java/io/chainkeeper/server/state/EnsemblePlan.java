package io.chainkeeper.server.state;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.Membership;
import java.util.List;

/**
 * A change of the ensemble that is under way: replicated, at most one at a time. While it stands every replica tells
 * the order that the planned participants are to vote; the {@code reconfig} itself is executed when they do.
 *
 * @param proposer replica that accepted the request
 * @param incarnation of the proposer
 * @param sessionId the client's session, owned by the proposer
 * @param cxid the client's number of the request
 * @param configuration what is to become of the ensemble; its version is that of the configuration it starts from
 */
public record EnsemblePlan(int proposer, long incarnation, long sessionId, int cxid, EnsembleConfig configuration) {
    /**
     * @param session a session
     * @param number a number of a request
     * @return whether this is the plan of that request
     */
    public boolean isOf(long session, int number) {
        return sessionId == session && cxid == number;
    }

    /**
     * Whether the order's members are in line with the plan: nobody votes who is not to, everybody who joins votes
     * already, and those who vote are a majority of those who are to. A configured participant that is down at the
     * moment does not stand in the way.
     *
     * @param membership who votes, null if the order has not changed it since the cluster was formed
     * @param current the configuration before
     * @return whether the request may be executed
     */
    public boolean reached(Membership membership, EnsembleConfig current) {
        List<Integer> before = current.participants();
        List<Integer> members = membership == null ? before : membership.replicaIds();
        List<Integer> planned = configuration.participants();
        boolean joined = planned.stream().allMatch(id -> before.contains(id) || members.contains(id));
        return joined && planned.containsAll(members) && members.size() > planned.size() / 2;
    }

    /** Checks what nobody can repair later. */
    public EnsemblePlan {
        InvariantViolated.check(!configuration.participants().isEmpty(), "a plan needs a participant");
    }
}
