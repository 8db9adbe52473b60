/**
 * ISS over Paxos as a pure state machine: the log is cut into epochs, an epoch into segments with one leader each, and
 * every segment is an instance of Sequenced Broadcast over Paxos with durable acceptors (docs/iss.md).
 */
package io.chainkeeper.iss;
