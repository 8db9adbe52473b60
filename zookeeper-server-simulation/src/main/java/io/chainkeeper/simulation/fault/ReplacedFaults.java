package io.chainkeeper.simulation.fault;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Member;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.Message;
import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.order.OrderChecker;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import io.chainkeeper.simulation.time.EventQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/**
 * A promise of a disk that is lost. Of five, three are cut off from the leader and one of them stands. It gets the
 * promise of a second one, then stands still. The second one loses its disk; the others admit its new disk, which then
 * decides something with them. Then the candidate goes on, and the third one, which knows of the
 * admission but not that it is decided, answers it.
 */
final class ReplacedFaults {
    private enum Stage {
        IDLE,
        CANDIDATE_AWAITED,
        PROMISE_AWAITED,
        GOING_ON
    }

    private static final int PARTICIPANTS = 5;
    private static final long HOLD_MICROS = 2_500_000;
    private static final long ARRIVAL_MICROS = 25_000;
    private static final long MEETING_MICROS = 400_000;
    private static final long LOOK_MICROS = 200;
    private static final int POSITIONS_AFTERWARDS = 2;

    private final EventQueue events;
    private final Cluster cluster;
    private final FaultInjector faults;
    private final MembershipFaults membership;
    private SplittableRandom random;
    private Stage stage = Stage.IDLE;
    private List<Integer> apart = List.of();
    private int candidate;
    private int replaced;
    private int third;
    private Member lost;
    private long begun;

    /**
     * @param events virtual time
     * @param cluster that suffers
     * @param faults knows whether they have stopped
     * @param membership knows which disks may be lost
     */
    ReplacedFaults(EventQueue events, Cluster cluster, FaultInjector faults, MembershipFaults membership) {
        this.events = events;
        this.cluster = cluster;
        this.faults = faults;
        this.membership = membership;
    }

    /** Begins, unless nobody leads five members, or the last story has not ended. */
    void replace(SplittableRandom ofFault) {
        List<Integer> rest = new ArrayList<>(cluster.checker().membership().replicaIds());
        List<Integer> leaders = rest.stream().filter(this::leads).toList();
        if (stage != Stage.IDLE || leaders.isEmpty() || rest.size() != PARTICIPANTS) {
            return;
        }
        random = ofFault;
        rest.remove(leaders.get(0));
        rest.remove(random.nextInt(rest.size()));
        apart = List.copyOf(rest);
        candidate = 0;
        stage = Stage.CANDIDATE_AWAITED;
        for (int id : cluster.members()) {
            if (!apart.contains(id)) {
                apart.forEach(other -> cut(id, other));
            }
        }
        later(HOLD_MICROS, () -> {
            if (stage == Stage.CANDIDATE_AWAITED || stage == Stage.PROMISE_AWAITED) {
                end();
            }
        });
    }

    private boolean leads(int id) {
        ReplicaHost host = cluster.host(id);
        return host != null
                && host.status().role() == Role.LEADER
                && host.status().leader() == id;
    }

    /** A message is about to leave. */
    void sent(int from, int to, Message message) {
        String kind = message.getClass().getSimpleName();
        if (stage == Stage.CANDIDATE_AWAITED && kind.equals("Prepare") && apart.contains(from) && apart.contains(to)) {
            if (candidate == 0) {
                candidate = from;
                replaced = to;
            } else if (from == candidate && to != replaced) {
                third = to;
                cluster.network().cut(from, to);
                stage = Stage.PROMISE_AWAITED;
            }
        } else if (stage == Stage.PROMISE_AWAITED
                && AmbushFaults.PROMISES.contains(kind)
                && from == replaced
                && to == candidate) {
            stage = Stage.GOING_ON;
            later(ARRIVAL_MICROS, this::loseDisk);
        }
    }

    private void loseDisk() {
        // What the candidate has asked the third one stays on its way.
        cluster.members().stream().filter(id -> id != candidate && id != third).forEach(id -> cut(candidate, id));
        if (!membership.mayLoseDisk(replaced)) {
            end();
            return;
        }
        cluster.pause(candidate, 4 * HOLD_MICROS);
        lost = cluster.checker().membership().find(replaced);
        begun = cluster.checker().lastPosition();
        cluster.crash(replaced);
        cluster.loseDisk(replaced);
        for (int id : cluster.members()) {
            for (int other : apart) {
                if (id != candidate && other != candidate && id != other) {
                    heal(id, other);
                }
            }
        }
        cluster.start(replaced);
        await(this::thirdKnowsOfAdmission, () -> {
            if (leads(third)) {
                end(); // then it knows too much
                return;
            }
            // What it says still leaves; that the admission is decided does not reach it.
            for (int id : cluster.members()) {
                if (id != candidate && id != third) {
                    cluster.network().cut(id, third);
                }
            }
            await(this::newDiskHasDecided, this::meet);
        });
    }

    private boolean thirdKnowsOfAdmission() {
        for (ByteSlice body : cluster.replica(third).log().bodiesAbove(begun)) {
            Membership proposed = OrderChecker.membershipIn(body);
            if (proposed != null && isReplacedIn(proposed)) {
                return true;
            }
        }
        return false;
    }

    private boolean isReplacedIn(Membership members) {
        Member member = members.find(replaced);
        return member != null && !member.equals(lost);
    }

    private boolean newDiskHasDecided() {
        return isReplacedIn(cluster.checker().membership())
                && cluster.checker()
                                .membershipsAbove(cluster.checker().lastPosition() - POSITIONS_AFTERWARDS)
                                .size()
                        == 1;
    }

    /** The candidate goes on, and reaches nobody but the third one. */
    private void meet() {
        cluster.members().stream().filter(id -> id != third && id != candidate).forEach(id -> cut(third, id));
        heal(candidate, third);
        await(() -> cluster.network().reaches(candidate, third), () -> {
            faults.tookEffect(Fault.REPLACE);
            cluster.resume(candidate);
            later(MEETING_MICROS + random.nextLong(MEETING_MICROS), this::end);
        });
    }

    private void end() {
        stage = Stage.IDLE;
        cluster.resume(candidate == 0 ? apart.get(0) : candidate);
        for (int id : apart) {
            cluster.members().stream().filter(other -> other != id).forEach(other -> heal(id, other));
        }
    }

    private void later(long delayMicros, Runnable action) {
        events.after(delayMicros, () -> {
            if (!faults.areStopped()) {
                action.run();
            }
        });
    }

    private void await(BooleanSupplier condition, Runnable action) {
        await(HOLD_MICROS, condition, action);
    }

    private void await(long withinMicros, BooleanSupplier condition, Runnable action) {
        if (condition.getAsBoolean()) {
            action.run();
        } else if (withinMicros <= 0) {
            end();
        } else {
            later(LOOK_MICROS, () -> await(withinMicros - LOOK_MICROS, condition, action));
        }
    }

    private void cut(int one, int other) {
        cluster.network().cut(one, other);
        cluster.network().cut(other, one);
    }

    private void heal(int one, int other) {
        cluster.network().heal(one, other);
        cluster.network().heal(other, one);
    }
}
