package io.chainkeeper.simulation.mutant;

/** What is promised between a protocol, its host and its log, whatever the protocol is. */
public enum ContractRule {
    /** A read waits for its barrier. */
    READ_WAITS_FOR_ITS_BARRIER,
    /** A promise leaves, and an acceptance counts, only when its record is durable. */
    PROMISE_LEAVES_BEHIND_ITS_RECORD,
    /** The record that a promise rests on is that of the promise, and no other one. */
    PROMISE_RESTS_ON_ITS_OWN_RECORD,
    /** A start knows what was promised before it. */
    PROMISES_ARE_REMEMBERED,
    /** A start knows what was accepted before it. */
    VALUES_ARE_REMEMBERED,
    /** The log gives back what was written; the host and its checkers see what should be there. */
    LOG_HOLDS_WHAT_WAS_WRITTEN,
    /** Every command is ordered in the end. */
    EVERY_COMMAND_IS_ORDERED,
    /** A state comes with what its sender has promised (docs/decisions/027). */
    STATE_COMES_WITH_ITS_PROMISE
}
