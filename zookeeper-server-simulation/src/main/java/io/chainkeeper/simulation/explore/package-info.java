/**
 * Small-scope exhaustive exploration: a few replicas with the real protocol objects, a handful of commands, a bounded
 * number of faults, and every order in which frames arrive, records become durable, time passes and faults strike.
 *
 * <p>Breadth first over states, so the schedule of a failure is a shortest one. A step concerns one replica, and a
 * replica is deterministic; so what a replica does with an input in a state is found out once
 * ({@link io.chainkeeper.simulation.explore.ReplicaStates}), and the state of the whole is a tuple of numbers
 * ({@link io.chainkeeper.simulation.explore.EnsembleState}). Orders of steps that commute lead to the same tuple and
 * are followed only once.
 */
package io.chainkeeper.simulation.explore;
