package io.chainkeeper.simulation.fault;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Ensemble;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.order.OrderChecker;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A joiner that does not know who votes on its admission. Of three, one is down, and the file of the joiner lists
 * only the follower that is left. The leader, whose disk is slow, tells the joiner that what lies before the admission
 * is decided, and nobody of what it decides afterwards. Then it is gone, and the joiner and the follower, which have
 * both accepted the admission, are alone with each other.
 */
final class JoinerFaults {
    private static final int PARTICIPANTS = 3;
    private static final int FORCE_MICROS = 1_000_000;
    private static final long HOLD_MICROS = 2_500_000;
    private static final long MEETING_MICROS = 500_000;

    private final Cluster cluster;
    private final Stories stories;
    private final int slowDisk;
    private SplittableRandom random;
    private boolean busy;
    private int leader;
    private int follower;
    private int away;
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

    /** Begins as soon as somebody leads, unless the order says who takes part, or there are not three and another. */
    void begin(SplittableRandom ofFault) {
        Ensemble whole = cluster.ensemble();
        boolean mayJoin = cluster.members().size() > PARTICIPANTS;
        if (busy || whole.participants().size() != PARTICIPANTS || !mayJoin || !isOfFile()) {
            return;
        }
        busy = true;
        random = ofFault;
        stories.await(
                HOLD_MICROS,
                () -> whole.participants().stream().anyMatch(stories::leads),
                () -> leaveOneAway(whole),
                () -> busy = false);
    }

    /** What comes behind a membership in the order knows who votes. */
    private boolean isOfFile() {
        return cluster.checker().membership().members().stream().allMatch(member -> member.disk() == Member.UNBOUND);
    }

    private void leaveOneAway(Ensemble whole) {
        List<Integer> participants = whole.participants();
        leader = participants.stream().filter(stories::leads).findFirst().orElseThrow();
        List<Integer> founders = participants.stream()
                .filter(id -> id != leader && cluster.hasVoted(id))
                .toList();
        if (founders.isEmpty() || !isOfFile()) {
            busy = false;
            return;
        }
        follower = founders.get(random.nextInt(founders.size()));
        away = participants.stream()
                .filter(id -> id != leader && id != follower)
                .findFirst()
                .orElseThrow();
        List<Integer> others = cluster.members().stream()
                .filter(id -> !participants.contains(id))
                .toList();
        joiner = others.get(random.nextInt(others.size()));
        before = cluster.checker().lastPosition();
        cluster.crash(away);
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
        long known = Math.max(position(leader), position(follower));
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

    /** While both still follow the leader that is gone they would tell each other what they know. */
    private void leaveAlone() {
        cluster.crash(leader);
        stories.await(HOLD_MICROS, () -> isLooking(joiner) && isLooking(follower), this::leaveTogether, this::end);
    }

    private boolean isLooking(int id) {
        ReplicaHost host = cluster.host(id);
        return host != null && host.status().role() == Role.LOOKING;
    }

    private void leaveTogether() {
        stories.reached(Fault.JOINER_STANDS);
        cluster.network().heal(joiner, follower);
        cluster.network().heal(follower, joiner);
        stories.await(HOLD_MICROS, () -> stories.leads(joiner), this::meet, this::end);
    }

    /** The one that was away, too. */
    private void meet() {
        cluster.start(away);
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
        cluster.start(away);
    }
}
