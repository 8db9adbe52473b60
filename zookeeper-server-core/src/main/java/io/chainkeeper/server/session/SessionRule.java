package io.chainkeeper.server.session;

/** The rules by which a late expiry does not end a session that goes on. */
public enum SessionRule {
    /** An expiry takes effect only in the epoch of the session in which it was proposed. */
    EXPIRY_IS_OF_THE_PRESENT_EPOCH,
    /** An expiry takes effect only while the session has the owner that it had when that was proposed. */
    EXPIRY_IS_OF_THE_PRESENT_OWNER
}
