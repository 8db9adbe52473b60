/**
 * The contract between a total-order protocol and the world that hosts it.
 *
 * <p>A protocol is a deterministic state machine: one call is one input
 * ({@link io.chainkeeper.ordering.OrderingProtocol}), everything it wants done is an effect
 * ({@link io.chainkeeper.ordering.Effects}). Nothing in this package, nor in any implementation of it, knows threads,
 * clocks, sockets, files or chance; the same class runs in production and under the simulator.
 *
 * <p>Duties of a host, in order:
 *
 * <ol>
 *   <li>Calls of one instance are serialised; no call is made from inside an effect.
 *   <li>Effects are carried out in the order in which they were asked for. A message given to {@link
 *       io.chainkeeper.ordering.Effects#sendAfter} leaves only when the record with that log sequence is durable.
 *   <li>Messages between two replicas arrive in the order sent, without gaps, as long as the link stays up. When it
 *       breaks both sides are told ({@code onPeerDown}), and after it is up again ({@code onPeerUp}) nothing sent
 *       before is delivered any more.
 *   <li>{@code onDurable(n)} tells that all records up to and including log sequence n are on stable storage.
 *   <li>After a bounded number of inputs {@code onBatchEnd()} is called once; only then may the host wait for more.
 *   <li>{@code deliver} hands positions to the application in order; a barrier counts as reached for the application
 *       only after everything delivered before it has been executed.
 * </ol>
 *
 * <p>A host that has disks which several replicas share has more duties: {@link io.chainkeeper.ordering.SharedDisks}.
 */
package io.chainkeeper.ordering;
