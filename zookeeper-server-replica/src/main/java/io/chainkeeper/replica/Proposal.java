package io.chainkeeper.replica;

import io.chainkeeper.ordering.ByteSlice;

/**
 * A command of this replica on its way through the order. Subclasses add what the server needs again when the command
 * is applied (the client's request).
 */
public abstract class Proposal {
    private final int stream;
    private final ByteSlice command;

    /** Whether its room is that of what is offered; written before it takes its place. */
    private boolean offered;

    /** Written before the proposal is handed on to the apply thread. */
    private long proposedNanos = StageTimes.UNKNOWN;

    /**
     * @param stream 0 to {@link TotalOrder#streamCount()} - 1
     * @param command the encoded command
     */
    protected Proposal(int stream, ByteSlice command) {
        this.stream = stream;
        this.command = command;
    }

    /** @return its stream */
    public final int stream() {
        return stream;
    }

    /**
     * There is room for it: it takes its place behind everything that this replica has proposed before, or none. The
     * thread that proposes, which may have waited for long.
     *
     * @param place takes its place; does not wait
     * @return whether it has been taken; if not, the command is not ordered
     */
    public boolean enter(Runnable place) {
        place.run();
        return true;
    }

    /**
     * Whether it is still to be ordered. Asked again while it waits for room, by the thread that proposes, and after
     * each {@link TotalOrder#reconsider}; must not wait.
     *
     * @return whether it goes on waiting; if not, it leaves the line and is not ordered
     */
    public boolean isWanted() {
        return true;
    }

    /** Before it asks for room: which one it is to have. */
    void offered(boolean isOffered) {
        offered = isOffered;
    }

    /** @return whether its room is that of what is offered ({@link TotalOrder#offer}); once it has been proposed */
    public final boolean isOffered() {
        return offered;
    }

    /** Protocol host: the protocol is given the command now. */
    void proposedAt(long nanos) {
        proposedNanos = nanos;
    }

    /**
     * Apply thread, when the command has come back.
     *
     * @return when the protocol was given the command, in {@link Scheduler#nanoTime}
     */
    public final long proposedNanos() {
        return proposedNanos;
    }

    /** @return the encoded command */
    public final ByteSlice command() {
        return command;
    }
}
