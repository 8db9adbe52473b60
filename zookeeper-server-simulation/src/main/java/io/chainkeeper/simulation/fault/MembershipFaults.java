package io.chainkeeper.simulation.fault;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.order.OrderChecker;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What an operator may do to the ensemble, and which disks may be lost, without losing the cluster for good: those who
 * still have their disks must be able to decide, and blank replicas alone must never be a majority, because a majority
 * of blank replicas founds a new cluster.
 */
final class MembershipFaults {
    private final Cluster cluster;
    private final boolean removesSilent;
    private final Departures departures;

    /**
     * @param cluster whose ensemble changes
     * @param removesSilent whether the protocol may remove members by itself
     */
    MembershipFaults(Cluster cluster, boolean removesSilent) {
        this.cluster = cluster;
        this.removesSilent = removesSilent;
        this.departures = new Departures(cluster);
    }

    // ---------------------------------------------------------------- lost disks

    /**
     * Whether everything can go on, sooner or later, if a replica loses its disk now.
     *
     * <p>For a moment the leader may take the replica for what it was, and change the membership on the strength of
     * that: remove others that are not wanted, also after it has admitted the replica with the disk that is lost. If
     * every member is needed then (of two, or with a least quorum above the majority), nobody can decide anything any
     * more. No protocol avoids that, because no leader knows of a disk that was lost a moment ago; so such a disk is
     * kept until the removals are through. Nor is a disk lost that alone, among the members, remembers a change.
     */
    boolean mayLoseDisk(int id) {
        if (cluster.gone().contains(id)) {
            return false;
        }
        if (cluster.sharedDisks().count() > 0) {
            return othersCover(id);
        }
        boolean isUsed =
                cluster.replica(id).incarnation() > 0 && cluster.checker().lastPosition() > 0;
        return isUsed && mayBeBlank(cluster.ensemble().participants(), id) && othersDecide(id);
    }

    /** Whether another voter has on its own disk everything that the shared disks may hold no more. */
    private boolean othersCover(int id) {
        long forgotten = cluster.members().stream()
                .mapToLong(member -> cluster.replica(member).saidToCover())
                .max()
                .orElse(0);
        return forgotten == 0
                || cluster.ensemble().participants().stream()
                        .anyMatch(other -> other != id
                                && !cluster.gone().contains(other)
                                && cluster.checker().membership().contains(other)
                                && cluster.replica(other).oldestCheckpoint() >= forgotten);
    }

    /**
     * As the other method, from the first start on, when nothing may have been ordered, and no more cautious than what
     * is promised (docs/decisions/022-founding.md): a disk that has taken part in nothing may be lost at any time, as
     * long as nobody can lead; any other one unless it leaves a quorum of empty directories, or too few founders to
     * decide.
     *
     * @param id a replica that is down
     */
    boolean mayLoseDiskWhileFounding(int id) {
        List<Integer> participants = cluster.ensemble().participants();
        int quorum = Membership.initial(cluster.checker().membership().minQuorumSize(), participants)
                .quorum();
        long founders = participants.stream().filter(cluster::hasVoted).count();
        if (founders < quorum && cluster.replica(id).isBlank()) {
            return true;
        }
        long blank = participants.stream()
                .filter(other -> other == id || cluster.replica(other).isBlank())
                .count();
        return blank < quorum && othersDecide(id);
    }

    private boolean othersDecide(int id) {
        for (Membership membership : possibleMemberships(id)) {
            Membership admitted = membership.with(new Member(id, Member.UNBOUND));
            if (!decides(membership, id, removable(membership, id))
                    || !decides(admitted, id, removable(admitted, id))) {
                return false;
            }
        }
        return true;
    }

    /** How many of the others the leader may remove before it misses the one that loses its disk. */
    private int removable(Membership membership, int id) {
        long unwanted = membership.replicaIds().stream()
                .filter(member -> member != id)
                .filter(member -> cluster.ensembles().known().stream()
                        .anyMatch(known -> !known.participants().contains(member)))
                .count();
        return (int) Math.max(unwanted, removesSilent ? 1 : 0);
    }

    /** Whether those who have their disks can decide, without one, and after the removal of so many others. */
    private boolean decides(Membership membership, int without, int removed) {
        int good = 0;
        for (int member : membership.replicaIds()) {
            boolean isThere = member != without && !cluster.gone().contains(member);
            good += isThere && cluster.hasVoted(member) ? 1 : 0;
        }
        int left = Math.max(0, Math.min(removed, good - 1));
        for (int i = 0; i <= left; i++) {
            List<Integer> fewer =
                    membership.replicaIds().subList(i, membership.members().size());
            if (good - i < Membership.initial(membership.minQuorumSize(), fewer).quorum()) {
                return false;
            }
        }
        return true;
    }

    /**
     * The one in force, all that somebody has proposed after it, and those before it that have to be asked because
     * nobody who can lead would remember that they are superseded.
     *
     * @param without who cannot be counted on, or 0
     */
    private List<Membership> possibleMemberships(int without) {
        long decided = cluster.checker().membership().replicaIds().stream()
                .filter(member -> member != without && cluster.hasVoted(member))
                .mapToLong(cluster::decidedPosition)
                .max()
                .orElse(0);
        List<Membership> possible = new ArrayList<>(cluster.checker().membershipsAbove(decided));
        for (int id : cluster.members()) {
            for (ByteSlice body :
                    cluster.replica(id).log().bodiesAbove(cluster.checker().lastPosition())) {
                Membership proposed = OrderChecker.membershipIn(body);
                if (proposed != null) {
                    possible.add(proposed);
                }
            }
        }
        return possible;
    }

    /** Whether the blank among the participants, and one more, are too few to found a cluster. */
    private boolean mayBeBlank(List<Integer> participants, int oneMore) {
        int blank = 0;
        for (int id : participants) {
            blank += id == oneMore || !cluster.hasVoted(id) ? 1 : 0;
        }
        return participants.isEmpty()
                || blank < Membership.initial(1, participants).quorum();
    }

    // ---------------------------------------------------------------- the configured ensemble

    /** Adds, removes or replaces one, or turns a participant into an observer or back; whether somebody is told. */
    boolean reconfigure(SplittableRandom random) {
        if (cluster.checker().lastPosition() == 0) {
            return false; // there is no cluster yet that could be told
        }
        List<Integer> participants = new ArrayList<>(cluster.ensemble().participants());
        List<Integer> observers = new ArrayList<>(cluster.ensemble().observers());
        List<Integer> outside = cluster.members().stream()
                .filter(id -> !cluster.ensemble().contains(id))
                .toList();
        switch (random.nextInt(6)) {
            case 0 -> move(outside, participants, random);
            case 1 -> move(outside, observers, random);
            case 2 -> take(participants, random);
            case 3 -> move(List.copyOf(observers), participants, random);
            case 4 -> observers.addAll(take(participants, random));
            default -> {
                if (!outside.isEmpty()) {
                    take(participants, random);
                    move(outside, participants, random);
                }
            }
        }
        return configure(participants, observers, random);
    }

    /** Who is gone for good is asked for no more, and those that are left can decide all the way. */
    private boolean mayFollow(Ensemble next) {
        return cluster.gone().isEmpty() || departures.mayFollow(possibleMemberships(0), next);
    }

    // ---------------------------------------------------------------- those who never come back

    /** Whether the others can go on, and change as was asked for, if a participant or an observer never comes back. */
    boolean mayBeGone(int id) {
        if (cluster.checker().lastPosition() == 0 || cluster.gone().contains(id)) {
            return false;
        }
        List<Membership> possible = possibleMemberships(id);
        boolean othersStay = departures.mayBeGone(possible, id);
        if (cluster.sharedDisks().count() > 0) {
            return othersStay && othersCover(id);
        }
        int removed = removesSilent ? 1 : 0;
        return othersStay && possible.stream().allMatch(membership -> decides(membership, id, removed));
    }

    /** Gives a whole list, with any of those there may be, mostly few; whether somebody is told. */
    boolean replaceList(SplittableRandom random) {
        if (cluster.checker().lastPosition() == 0) {
            return false;
        }
        List<Integer> left = new ArrayList<>(cluster.members());
        List<Integer> participants = new ArrayList<>();
        int most = 1 + random.nextInt(left.size());
        for (int size = 1 + random.nextInt(most); size > 0; size--) {
            move(left, participants, random);
            left.removeAll(participants);
        }
        List<Integer> observers = new ArrayList<>();
        left.stream().filter(id -> random.nextBoolean()).forEach(observers::add);
        return configure(participants, observers, random);
    }

    private boolean configure(List<Integer> participants, List<Integer> observers, SplittableRandom random) {
        observers.removeAll(participants);
        Ensemble next = new Ensemble(participants, observers);
        if (!participants.containsAll(cluster.ensemble().participants()) && isDiskLost()) {
            return false; // the leader may not know yet whom it can count on
        }
        boolean mayBe = !participants.isEmpty() && mayBeBlank(participants, 0) && mayFollow(next);
        boolean isOther = mayBe && cluster.strangers().mayBeConfigured(next) && !next.equals(cluster.ensemble());
        return isOther && cluster.ensembles().wanted(next, random);
    }

    /** Also of a participant that is about to be admitted. */
    private boolean isDiskLost() {
        for (Membership membership : possibleMemberships(0)) {
            if (!membership.replicaIds().stream().allMatch(cluster::hasVoted)) {
                return true;
            }
        }
        return cluster.ensemble().participants().stream().anyMatch(cluster::isDiskLost);
    }

    private static void move(List<Integer> from, List<Integer> to, SplittableRandom random) {
        if (!from.isEmpty()) {
            to.add(from.get(random.nextInt(from.size())));
        }
    }

    private static List<Integer> take(List<Integer> from, SplittableRandom random) {
        return from.isEmpty() ? List.of() : List.of(from.remove(random.nextInt(from.size())));
    }
}
