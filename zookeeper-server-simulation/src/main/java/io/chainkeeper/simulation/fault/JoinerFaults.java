package io.chainkeeper.simulation.fault;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.order.OrderChecker;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A joiner that does not know who votes on its admission. Of three, one is cut off, and the file of the joiner lists
 * only the follower that is left. The leader, whose disk is slow, tells the joiner that what lies before the admission
 * is decided, and nobody of what it decides afterwards. Then it is gone, and the joiner and the follower, which have
 * both accepted the admission, are alone with each other.
 */
final class JoinerFaults {
    private static final int PARTICIPANTS = 3;
    private static final int FORCE_MICROS = 400_000;
    private static final long HOLD_MICROS = 1_500_000;
    private static final long MEETING_MICROS = 500_000;

    private final Cluster cluster;
    private final Stories stories;
    private final int slowDisk;
    private SplittableRandom random;
    private boolean busy;
    private int leader;
    private int follower;
    private int joiner;
    private long before;

    /**
     * @param cluster that suffers
     * @param stories how it is told
     * @param maxSyncMicros longest force of a disk
     */
    JoinerFaults(Cluster cluster, Stories stories, long maxSyncMicros) {
        this.cluster = cluster;
        this.stories = stories;
        this.slowDisk = (int) (FORCE_MICROS / Math.max(1, maxSyncMicros));
    }

    /** Begins, unless nobody leads three, nobody is left to join, or the order has said already who takes part. */
    void begin(SplittableRandom ofFault) {
        Ensemble whole = cluster.ensemble();
        List<Integer> followers = new ArrayList<>(whole.participants());
        List<Integer> leaders = followers.stream().filter(stories::leads).toList();
        List<Integer> others =
                cluster.members().stream().filter(id -> !followers.contains(id)).toList();
        boolean isOfFile =
                cluster.checker().membership().members().stream().allMatch(member -> member.disk() == Member.UNBOUND);
        if (busy || leaders.isEmpty() || others.isEmpty() || followers.size() != PARTICIPANTS || !isOfFile) {
            return;
        }
        busy = true;
        random = ofFault;
        leader = leaders.get(0);
        followers.remove((Integer) leader);
        follower = followers.remove(random.nextInt(followers.size()));
        joiner = others.get(random.nextInt(others.size()));
        before = cluster.checker().lastPosition();
        stories.isolate(followers.get(0));
        cut(joiner, follower);
        cluster.slowDisk(leader, slowDisk);
        join(whole);
        stories.await(HOLD_MICROS, this::isAdmissionAccepted, this::keepFollowerFromKnowing, this::end);
    }

    private void join(Ensemble whole) {
        cluster.crash(joiner);
        cluster.ensembles().configured(new Ensemble(List.of(follower), List.of(joiner)));
        cluster.loseDisk(joiner);
        cluster.start(joiner);
        List<Integer> participants = new ArrayList<>(whole.participants());
        participants.add(joiner);
        List<Integer> observers = new ArrayList<>(whole.observers());
        observers.remove((Integer) joiner);
        cluster.ensembles().wanted(new Ensemble(participants, observers), random);
    }

    private boolean isAdmissionAccepted() {
        return holdsAdmission(follower) && holdsAdmission(joiner);
    }

    private boolean holdsAdmission(int id) {
        for (ByteSlice body : cluster.replica(id).log().bodiesAbove(before)) {
            Membership accepted = OrderChecker.membershipIn(body);
            if (accepted != null && accepted.contains(joiner)) {
                return true;
            }
        }
        return false;
    }

    /** What the leader is told goes on to arrive. */
    private void keepFollowerFromKnowing() {
        stories.cutOneWay(leader, follower);
        long known = position(leader);
        stories.await(
                HOLD_MICROS,
                () -> position(joiner) > known,
                () -> {
                    stories.isolate(leader);
                    stories.await(HOLD_MICROS, this::isAdmitted, this::leaveAlone, this::end);
                },
                this::end);
    }

    private long position(int id) {
        ReplicaHost host = cluster.host(id);
        return host == null ? 0 : host.position();
    }

    private boolean isAdmitted() {
        return cluster.checker().membership().contains(joiner);
    }

    private void leaveAlone() {
        cluster.crash(leader);
        stories.reached(Fault.JOINER_STANDS);
        cluster.network().heal(joiner, follower);
        cluster.network().heal(follower, joiner);
        stories.await(HOLD_MICROS, () -> stories.leads(joiner), this::meet, this::end);
    }

    /** The one that was cut off, too. */
    private void meet() {
        stories.separate(List.of(leader));
        stories.later(MEETING_MICROS + random.nextLong(MEETING_MICROS), this::end);
    }

    private void cut(int one, int other) {
        cluster.network().cut(one, other);
        cluster.network().cut(other, one);
    }

    private void end() {
        busy = false;
        stories.reunite();
        cluster.slowDisk(leader, 1);
        cluster.start(leader);
    }
}
