package io.chainkeeper.simulation;

import java.util.ArrayDeque;
import java.util.Deque;

/** A replica and the hardware under it. */
final class Machine {
    final SimulatedReplica replica;
    long pausedUntilMicros;
    final Pauses pauses = new Pauses();
    int diskFactor = 1;
    long tickMicros = Simulation.TICK_MILLIS * 1000L;
    long clockMicros;
    long clockSetAtMicros;
    final Deque<Runnable> asleep = new ArrayDeque<>();
    boolean drainPlanned;
    boolean executionPlanned;
    boolean syncing;
    boolean transferring;

    /** The latest ensemble that it knows of; -1 while it was never configured. */
    int knownEnsemble = -1;

    /** Whether its present disk was ever that of a voter. */
    boolean hasVoted;

    /** Its present disk is known to remember that everything up to here is decided. */
    long decidedPosition;

    /** It has had another disk before. */
    boolean hasLostDisk;

    /** See {@link Cluster#hasVoted}. */
    boolean hasVoted() {
        ReplicaHost host = replica.host();
        hasVoted |= replica.log().isOfFounder();
        if (host != null && !replica.log().hasUnstable()) {
            hasVoted |= host.isVoter();
            decidedPosition = Math.max(decidedPosition, host.position());
        }
        return hasVoted;
    }

    /** A new process plans everything anew. */
    void started() {
        drainPlanned = false;
        executionPlanned = false;
        syncing = false;
        transferring = false;
    }

    /** Its next start finds nothing. */
    void loseDisk() {
        replica.loseDisk();
        hasVoted = false;
        decidedPosition = 0;
        hasLostDisk = true;
    }

    /** Its monotonic clock at a time, which runs as fast as its ticks. */
    long clockMicros(long nowMicros, int tickMillis) {
        long passedMicros = nowMicros - clockSetAtMicros;
        return clockMicros + passedMicros * tickMillis * 1000L / tickMicros;
    }

    Machine(SimulatedReplica replica) {
        this.replica = replica;
    }
}
