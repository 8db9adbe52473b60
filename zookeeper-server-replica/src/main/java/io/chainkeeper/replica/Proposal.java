package io.chainkeeper.replica;

import io.chainkeeper.ordering.ByteSlice;

/**
 * A command of this replica on its way through the order. Subclasses add what the server needs again when the command
 * is applied (the client's request).
 */
public abstract class Proposal {
    private final int stream;
    private final ByteSlice command;

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
