package io.chainkeeper.simulation.fault;

import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.simulation.cluster.Cluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the others can still do without those that are gone for good: a membership changes by one at a time, in an order
 * that nobody knows beforehand, and each of them must be able to decide. Where disks are shared any one member can.
 */
final class Departures {
    private final Cluster cluster;

    /** @param cluster some of which are gone, or may be */
    Departures(Cluster cluster) {
        this.cluster = cluster;
    }

    /**
     * Whether whatever was asked for can still come, or be refused, if one more is gone.
     *
     * @param possible memberships that may be in force
     * @param id who would be gone
     */
    boolean mayBeGone(List<Membership> possible, int id) {
        Set<Integer> gone = new TreeSet<>(cluster.gone());
        gone.add(id);
        List<Ensemble> asked = new ArrayList<>(cluster.ensembles().known());
        asked.add(cluster.ensemble());
        boolean isParticipant =
                asked.stream().anyMatch(each -> each.participants().contains(id));
        return !(isParticipant && cluster.isDiskLost(id))
                && asked.stream().allMatch(next -> canAllBecome(possible, next, gone));
    }

    /**
     * Whether another ensemble can be reached without those that are gone.
     *
     * @param possible memberships that may be in force
     * @param next the other ensemble
     */
    boolean mayFollow(List<Membership> possible, Ensemble next) {
        Ensemble now = cluster.ensemble();
        boolean asksForTheGone = cluster.gone().stream().anyMatch(id -> !now.contains(id) && next.contains(id));
        return !asksForTheGone && canAllBecome(possible, next, cluster.gone());
    }

    private boolean canAllBecome(List<Membership> possible, Ensemble next, Set<Integer> gone) {
        return possible.stream().allMatch(membership -> canBecome(membership, next.participants(), gone));
    }

    /** The worst there may be in between: all of the gone, and of the others only those who stay. */
    private boolean canBecome(Membership membership, List<Integer> next, Set<Integer> gone) {
        List<Integer> present = membership.replicaIds();
        if (next.stream().anyMatch(id -> gone.contains(id) && !present.contains(id))) {
            return false;
        }
        List<Integer> worst = new ArrayList<>();
        for (int id : present) {
            boolean isLiving = next.contains(id) && cluster.hasVoted(id);
            if (gone.contains(id) || isLiving) {
                worst.add(id);
            }
        }
        long living = worst.stream().filter(id -> !gone.contains(id)).count();
        if (living == 0) {
            return false;
        }
        return cluster.sharedDisks().count() > 0
                || living
                        >= Membership.initial(membership.minQuorumSize(), worst).quorum();
    }
}
