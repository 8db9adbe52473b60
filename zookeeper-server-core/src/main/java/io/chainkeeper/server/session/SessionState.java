package io.chainkeeper.server.session;

import io.chainkeeper.command.Command;

/**
 * The replicated state of one session.
 *
 * @param timeoutMillis as negotiated by the connection that created or last attached it
 * @param owner replica whose connection serves it, or {@link #NO_OWNER}
 * @param ownerIncarnation of the owner; 0 without one
 * @param epoch grows with every change of owner
 */
public record SessionState(int timeoutMillis, int owner, long ownerIncarnation, long epoch) {
    /** The owner of a session that no replica serves. */
    public static final int NO_OWNER = Command.Expire.NO_OWNER;

    /** @return whether no replica serves it */
    public boolean ownerless() {
        return owner == NO_OWNER;
    }

    SessionState attachedTo(int replica, long incarnation, int newTimeoutMillis) {
        return new SessionState(newTimeoutMillis, replica, incarnation, epoch + 1);
    }

    SessionState orphaned() {
        return new SessionState(timeoutMillis, NO_OWNER, 0, epoch + 1);
    }
}
