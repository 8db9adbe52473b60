package io.chainkeeper.simulation.fault;

import io.chainkeeper.ordering.OrderingStatus.Role;
import io.chainkeeper.simulation.cluster.Cluster;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.swarm.SwarmOptions.Fault;
import io.chainkeeper.simulation.time.EventQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/**
 * A leader that does not notice that it is deposed, and a replica that has forgotten that it is. The leader is cut off
 * with values of its own and then stands still, while others elect another one and decide. One replica comes to know
 * what they decide, by executing while its disk hangs or by taking their state, loses what its log did not hold, and
 * starts again. Then it reaches nobody but the deposed leader, which goes on at that moment; or, if it has kept the new
 * promise and lost only values, it is the only one that a replica reaches which has lagged behind.
 */
final class DeposedFaults {
    /** What the forgetful replica loses. */
    private enum Story {
        /** Its disk hangs before it holds the new promise; a checkpoint covers what it has executed. */
        PROMISE,
        /** It takes the state of another. */
        PROMISE_UNDER_STATE,
        /** It has values of the deposed leader; its disk hangs before it holds those that were decided instead. */
        VALUES
    }

    private static final long ALONE_MICROS = 30_000;
    private static final long HOLD_MICROS = 2_500_000;
    private static final long MEETING_MICROS = 300_000;
    private static final long LOOK_MICROS = 2_000;
    private static final int HANGING_DISK = 8_000;
    private static final int LEAST_PARTICIPANTS = 3;

    private final EventQueue events;
    private final Cluster cluster;
    private final FaultInjector faults;
    private SplittableRandom random;
    private Story story;
    private boolean busy;
    private int laggard;
    private int deposed;
    private int forgetful;
    private List<Integer> others = List.of();

    /**
     * @param events virtual time
     * @param cluster that suffers
     * @param faults knows whether they have stopped
     */
    DeposedFaults(EventQueue events, Cluster cluster, FaultInjector faults) {
        this.events = events;
        this.cluster = cluster;
        this.faults = faults;
    }

    /** Begins, and draws from that, unless nobody leads or the last leader that was deposed is not back yet. */
    void depose(SplittableRandom ofFault) {
        List<Integer> participants = cluster.ensemble().participants();
        List<Integer> leaders = participants.stream().filter(this::leads).toList();
        if (busy || leaders.isEmpty() || participants.size() < LEAST_PARTICIPANTS) {
            return;
        }
        busy = true;
        random = ofFault;
        deposed = leaders.get(random.nextInt(leaders.size()));
        List<Integer> rest = new ArrayList<>(participants);
        rest.remove((Integer) deposed);
        forgetful = rest.get(random.nextInt(rest.size()));
        others = cluster.members().stream()
                .filter(id -> id != deposed && id != forgetful)
                .toList();
        story = Story.values()[random.nextInt(Story.values().length)];
        others.forEach(id -> cut(deposed, id));
        switch (story) {
            case PROMISE -> cluster.slowDisk(forgetful, HANGING_DISK);
            case PROMISE_UNDER_STATE -> {
                others.forEach(id -> cut(forgetful, id));
                others.forEach(id -> faults.forget(id, HOLD_MICROS / 2));
            }
            case VALUES -> leaveOneBehind();
        }
        if (story != Story.VALUES) {
            cut(deposed, forgetful);
        }
        later(1 + random.nextLong(ALONE_MICROS), this::goOnWithoutDeposed);
    }

    /** The last of the others: an observer, if there is one. */
    private void leaveOneBehind() {
        laggard = others.get(others.size() - 1);
        cluster.members().stream().filter(id -> id != laggard).forEach(id -> cut(laggard, id));
    }

    private void goOnWithoutDeposed() {
        cluster.pause(deposed, 4 * HOLD_MICROS);
        cut(deposed, forgetful);
        switch (story) {
            case PROMISE -> await(HOLD_MICROS, this::hasCheckpointBeyond, this::forget);
            case PROMISE_UNDER_STATE -> later(HOLD_MICROS / 2, this::takeState);
            case VALUES ->
                await(HOLD_MICROS, this::isSucceeded, () -> {
                    later(1 + random.nextLong(ALONE_MICROS), () -> cluster.slowDisk(forgetful, HANGING_DISK));
                    await(HOLD_MICROS, this::hasCheckpointBeyond, this::forget);
                });
        }
    }

    private boolean leads(int id) {
        ReplicaHost host = cluster.host(id);
        return host != null && host.status().role() == Role.LEADER;
    }

    private boolean isSucceeded() {
        return others.stream().anyMatch(this::leads) || leads(forgetful);
    }

    private long positionOfDeposed() {
        ReplicaHost host = cluster.host(deposed);
        return host == null ? Long.MAX_VALUE : host.position();
    }

    private void later(long delayMicros, Runnable action) {
        events.after(delayMicros, () -> {
            if (!faults.areStopped()) {
                action.run();
            }
        });
    }

    /** Looks again and again whether something is so, within a time. */
    private void await(long withinMicros, BooleanSupplier condition, Runnable action) {
        if (condition.getAsBoolean()) {
            action.run();
        } else if (withinMicros <= 0) {
            end();
        } else {
            later(LOOK_MICROS, () -> await(withinMicros - LOOK_MICROS, condition, action));
        }
    }

    /** Whether a checkpoint of the forgetful replica covers what the others have decided without the deposed one. */
    private boolean hasCheckpointBeyond() {
        ReplicaHost host = cluster.host(forgetful);
        if (host == null || !isSucceeded()) {
            return false;
        }
        var checkpoints = cluster.replica(forgetful).checkpoints();
        boolean covers = checkpoints.get(checkpoints.size() - 1).position() > positionOfDeposed();
        if (!covers && host.position() > positionOfDeposed()) {
            host.takeCheckpoint();
        }
        return covers;
    }

    private void takeState() {
        long before = cluster.replica(forgetful).incarnation();
        others.forEach(id -> heal(forgetful, id));
        await(HOLD_MICROS, () -> cluster.replica(forgetful).incarnation() != before, this::meet);
    }

    private void forget() {
        cluster.crash(forgetful);
        if (story == Story.VALUES) {
            cluster.slowDisk(forgetful, 1);
            cluster.start(forgetful);
            heal(laggard, forgetful);
            faults.tookEffect(Fault.DEPOSE);
            later(MEETING_MICROS + random.nextLong(HOLD_MICROS), this::end);
        } else {
            meet();
        }
    }

    /** The two reach each other and nobody else, and the deposed leader goes on. */
    private void meet() {
        cluster.slowDisk(forgetful, 1);
        others.forEach(id -> cut(forgetful, id));
        heal(deposed, forgetful);
        cluster.start(forgetful);
        await(
                MEETING_MICROS,
                () -> cluster.network().reaches(deposed, forgetful),
                () -> later(1 + random.nextLong(ALONE_MICROS), () -> {
                    faults.tookEffect(Fault.DEPOSE);
                    cluster.resume(deposed);
                    later(1 + random.nextLong(MEETING_MICROS), this::end);
                }));
    }

    private void end() {
        busy = false;
        cluster.slowDisk(forgetful, 1);
        cluster.resume(deposed);
        heal(deposed, forgetful);
        others.forEach(id -> heal(deposed, id));
        others.forEach(id -> heal(forgetful, id));
        if (story == Story.VALUES) {
            others.stream().filter(id -> id != laggard).forEach(id -> heal(laggard, id));
        }
        cluster.start(forgetful);
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
