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

    Machine(SimulatedReplica replica) {
        this.replica = replica;
    }
}
