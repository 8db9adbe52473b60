/**
 * ChainPaxos (Fouto, Preguiça, Leitão: High Throughput Replication with Integrated Membership Management, USENIX ATC
 * 2022) as a pure state machine.
 *
 * <ul>
 *   <li>{@link io.chainkeeper.chain.ChainPaxos}: one entry per input; ballots, acceptance, decisions.
 *   <li>{@link io.chainkeeper.chain.Election}: pre-vote, prepare, recovery of values by a new leader.
 *   <li>{@link io.chainkeeper.chain.ChainLinks}: how values and acknowledgements travel down the chain and how the chain
 *       closes round a member that does not answer.
 *   <li>{@link io.chainkeeper.chain.ReadIndex}: linearizable reads at every replica.
 *   <li>{@link io.chainkeeper.chain.Commands}: commands on their way to the leader and into batches.
 *   <li>{@link io.chainkeeper.chain.AcceptedValues}, {@link io.chainkeeper.chain.Progress}: the data they work on.
 * </ul>
 */
package io.chainkeeper.chain;
