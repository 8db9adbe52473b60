package io.chainkeeper.simulation.cluster;

import io.chainkeeper.simulation.disk.RunDirectory;
import io.chainkeeper.simulation.host.Checkpoint;
import io.chainkeeper.simulation.host.HostRule;
import io.chainkeeper.simulation.host.ReplicaHost;
import io.chainkeeper.simulation.host.SimulatedReplica;
import io.chainkeeper.simulation.host.World;
import io.chainkeeper.simulation.link.VirtualProcess;
import io.chainkeeper.simulation.swarm.SwarmOptions;
import io.chainkeeper.simulation.time.EventQueue;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** A replica and the hardware under it. */
final class Machine {
    final SimulatedReplica replica;
    long pausedUntilMicros;
    final Pauses pauses = new Pauses();
    int diskFactor = 1;

    long tickMicros = World.TICK_MILLIS * 1000L;
    private long clockMicros;
    private long clockSetAtMicros;
    private final Deque<Runnable> asleep = new ArrayDeque<>();
    boolean transferring;

    /** Whose state is on its way, or asked for in vain, while {@link #transferring}. */
    int transferringFrom;

    /** The last need of a state that named another source meanwhile; null if there was none. */
    StateTransfers.Need neededMeanwhile;

    /** How many disks it had before this one. */
    int disksLost;

    /** The latest ensemble that it knows of; -1 while it was never configured. */
    int knownEnsemble = -1;

    /** Whether its present disk was ever that of a voter. */
    boolean hasVoted;

    /** Its present disk is known to remember that everything up to here is decided. */
    long decidedPosition;

    /** It has had another disk before. */
    boolean hasLostDisk;

    Machine(SimulatedReplica replica) {
        this.replica = replica;
    }

    /** One for each replica that there may ever be, by id. */
    static List<Machine> all(
            SwarmOptions options,
            Checkpoint nothing,
            Set<HostRule> rules,
            RunDirectory directory,
            SplittableRandom ofDisks) {
        List<Machine> machines = new ArrayList<>();
        for (int id = 1; id <= options.replicas(); id++) {
            machines.add(new Machine(new SimulatedReplica(
                    id, options.maxCheckpoints(), nothing, options.logSettings(), rules, directory, ofDisks.split())));
        }
        return machines;
    }

    /** See {@link Cluster#hasVoted}. */
    boolean hasVoted() {
        ReplicaHost host = replica.host();
        hasVoted |= replica.log().isOfFounder();
        if (host != null && host.isLogIdle()) {
            hasVoted |= host.isVoter();
            decidedPosition = Math.max(decidedPosition, host.position());
        }
        return hasVoted;
    }

    /** A new process plans everything anew. */
    void started() {
        transferring = false;
        neededMeanwhile = null;
    }

    /** See {@link Cluster#conditions}. */
    int conditions(long nowMicros, boolean isBrownedOut) {
        return (nowMicros < pausedUntilMicros ? 1 : 0) + (diskFactor > 1 || isBrownedOut ? 2 : 0);
    }

    /** Its next start finds nothing. */
    void loseDisk() {
        disksLost++;
        replica.loseDisk();
        hasVoted = false;
        decidedPosition = 0;
        hasLostDisk = true;
    }

    /** It stands still for so long, or until the end of a pause that lasts already, if that is later. */
    void pause(long nowMicros, long durationMicros) {
        pausedUntilMicros = Math.max(pausedUntilMicros, nowMicros + durationMicros);
        pauses.begin(nowMicros, pausedUntilMicros);
    }

    /** Lets a thread of a host on it do something, when it is awake and the host has not crashed by then. */
    void runAwake(EventQueue events, ReplicaHost host, Runnable action) {
        if (!host.isAlive()) {
            return;
        }
        if (events.nowMicros() < pausedUntilMicros) {
            asleep.addLast(() -> runAwake(events, host, action));
            wakeBehindPause(events);
        } else {
            action.run();
        }
    }

    /** Another pause may begin before this one ends. */
    private void wakeBehindPause(EventQueue events) {
        events.after(pausedUntilMicros - events.nowMicros(), () -> {
            if (events.nowMicros() < pausedUntilMicros && !asleep.isEmpty()) {
                wakeBehindPause(events);
            } else {
                wake(events.nowMicros());
            }
        });
    }

    /** What has waited for it to go on happens, unless it stands still. */
    void wake(long nowMicros) {
        while (!asleep.isEmpty() && nowMicros >= pausedUntilMicros) {
            asleep.removeFirst().run();
        }
    }

    /** Nothing is wrong with it any more. */
    void calm(long nowMicros) {
        endPause(nowMicros);
        diskFactor = 1;
        replica.log().disk().heal();
    }

    /** It goes on now. */
    void endPause(long nowMicros) {
        pausedUntilMicros = 0;
        pauses.end(nowMicros);
    }

    /** From now on its ticks are longer by so many per cent, or shorter. */
    void skewClock(long nowMicros, long percent) {
        clockMicros = clockMicros(nowMicros);
        clockSetAtMicros = nowMicros;
        tickMicros = World.TICK_MILLIS * 10L * (100 + percent);
    }

    /** Its monotonic clock at a time, which runs as fast as its ticks. */
    long clockMicros(long nowMicros) {
        long passedMicros = nowMicros - clockSetAtMicros;
        return clockMicros + passedMicros * World.TICK_MILLIS * 1000L / tickMicros;
    }

    /** The clock of a process on it. */
    VirtualProcess.Clock clock(EventQueue events) {
        return new VirtualProcess.Clock() {
            @Override
            public long nowMicros() {
                return clockMicros(events.nowMicros());
            }

            @Override
            public long realMicros(long ofClock) {
                return Machine.this.realMicros(ofClock) + 1;
            }
        };
    }

    /** How much time passes until its clock has moved on by so much. */
    long realMicros(long clockMicros) {
        return clockMicros * tickMicros / (World.TICK_MILLIS * 1000L);
    }
}
