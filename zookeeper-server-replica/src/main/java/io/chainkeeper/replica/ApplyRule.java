package io.chainkeeper.replica;

/** What makes execution exactly-once and first-in-first-out: rules of {@link ProposerTable}. */
public enum ApplyRule {
    /** A command that is in the order twice is applied once. */
    COMMAND_IS_APPLIED_ONCE,
    /** A command is applied only when all earlier ones of its stream are. */
    STREAM_IS_APPLIED_IN_ORDER
}
