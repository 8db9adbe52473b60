/**
 * The deterministic simulator: replicas made of real {@link io.chainkeeper.ordering.OrderingProtocol} objects in a
 * world (network, log, clock, clients, faults) that one seed decides, in one thread, with checkers outside the code
 * under test.
 *
 * <p>{@link io.chainkeeper.simulation.Simulation} is one run, {@link io.chainkeeper.simulation.Simulate} the command,
 * {@link io.chainkeeper.simulation.ReplicaHost} the host that a protocol sees,
 * {@link io.chainkeeper.simulation.OrderChecker} what is checked after every step. Nothing here depends on wall-clock
 * time, threads or the iteration order of hash tables: two runs of one seed are the same run.
 */
package io.chainkeeper.simulation;
