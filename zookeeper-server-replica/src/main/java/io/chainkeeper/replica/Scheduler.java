package io.chainkeeper.replica;

import java.util.function.BooleanSupplier;

/**
 * What the parts of a replica run on, and where they get time and chance from: threads and the system's clocks ({@link
 * ThreadScheduler}), or one caller that runs all parts in turn, in a time of its own. No part knows which.
 *
 * <p>Methods may be called by any thread.
 */
public interface Scheduler {
    /** @return a clock in nanoseconds that never runs backwards; only differences mean anything */
    long nanoTime();

    /** @return the wall clock, milliseconds since 1970; it may be wrong, and may be set back */
    long currentTimeMillis();

    /** @return a number that nobody can foretell, another one with each call: the seed of what is left to chance */
    long seed();

    /**
     * Gives a part of a replica something that does its work. It does nothing before {@link Worker#start}.
     *
     * @param name of the worker; a thread's name
     * @param work what it does
     * @return the worker
     */
    Worker worker(String name, Work work);

    /**
     * Gives a part of a replica a queue of tasks, for work that is rare.
     *
     * @param name of the queue; a thread's name
     * @return the queue
     */
    TaskQueue taskQueue(String name);

    /**
     * Waits until a condition holds. Time passes only for those who wait, so the other parts go on meanwhile.
     *
     * @param lock held by the caller, and given up while it waits; whoever makes the condition true calls
     *     {@code notifyAll} on it
     * @param what the caller waits for, in words
     * @param condition read under the lock; without effects
     * @throws ReplicaStoppedException if the waiting thread is interrupted
     */
    void await(Object lock, String what, BooleanSupplier condition);

    /**
     * As {@link #await}, for what other replicas have to do as well: whoever drives all parts must let time pass.
     *
     * @param lock see there
     * @param what see there
     * @param condition see there
     * @throws ReplicaStoppedException see there
     */
    default void awaitOthers(Object lock, String what, BooleanSupplier condition) {
        await(lock, what, condition);
    }
}
