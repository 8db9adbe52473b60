/**
 * ChainPaxos (Fouto, Preguiça, Leitão: High Throughput Replication with Integrated Membership Management, USENIX ATC
 * 2022) as a pure state machine.
 *
 * <ul>
 *   <li>{@link io.chainkeeper.chain.ChainPaxos}: one method per input; acceptance, decisions, whom to follow.
 *   <li>{@link io.chainkeeper.chain.Election}: pre-vote, prepare, recovery of values by a new leader.
 *   <li>{@link io.chainkeeper.chain.LeaderWatch}: when a leader is missed.
 *   <li>{@link io.chainkeeper.chain.ChainLinks}: how values and acknowledgements travel down the chain and how the
 *       chain closes round a member that does not answer.
 *   <li>{@link io.chainkeeper.chain.ReadIndex}: linearizable reads at every replica.
 *   <li>{@link io.chainkeeper.chain.Proposer}: commands and changes of the membership on their way into instances.
 *   <li>{@link io.chainkeeper.chain.ReplicaState}: ballots, role and watermarks; what goes to the log and is delivered.
 *   <li>{@link io.chainkeeper.chain.AcceptedValues}, {@link io.chainkeeper.chain.Progress}: the data that they work on.
 * </ul>
 */
package io.chainkeeper.chain;
