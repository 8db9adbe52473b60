/**
 * The deterministic simulator: real {@link io.chainkeeper.replica.Replica} objects in a
 * world (network, log, clock, clients, faults) that one seed decides, in one thread, with checkers outside the code
 * under test.
 *
 * <p>{@link io.chainkeeper.simulation.Simulation} is one run, {@link io.chainkeeper.simulation.Simulate} the command,
 * {@link io.chainkeeper.simulation.host.ReplicaHost} one start of a replica,
 * {@link io.chainkeeper.simulation.order.OrderChecker} what is checked after every step. Nothing here depends on
 * wall-clock time, threads or the iteration order of hash tables: two runs of one seed are the same run.
 *
 * <p>Packages, each of which uses only those before it: {@code checker}, {@code time}, {@code timeline}, {@code order},
 * {@code host}, {@code swarm}, {@code cluster}; then {@code register} and {@code znode}, which run above the order;
 * {@code fault} and {@code scenario}; this one; {@code soak} and {@code explore}.
 */
package io.chainkeeper.simulation;
