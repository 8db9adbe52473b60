package io.chainkeeper.server.proposal;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.replica.Proposal;

/** A command that changes nothing, and who waits for it. */
public final class NoOpProposal extends Proposal {
    private final Runnable waiter;

    NoOpProposal(int stream, ByteSlice command, Runnable waiter) {
        super(stream, command);
        this.waiter = waiter;
    }

    /** Apply thread: it has been ordered. */
    public void cameBack() {
        waiter.run();
    }
}
