package io.chainkeeper.server.session;

/** The rules by which what comes late has no effect on a session that goes on. */
public enum SessionRule {
    /** An expiry takes effect only in the epoch of the session in which it was proposed. */
    EXPIRY_IS_OF_THE_PRESENT_EPOCH,
    /** An expiry takes effect only while the session has the owner that it had when that was proposed. */
    EXPIRY_IS_OF_THE_PRESENT_OWNER,
    /** What was asked on a connection takes no place in the order when that is closed or the session on another one. */
    CLOSED_CONNECTIONS_ORDER_NOTHING
}
