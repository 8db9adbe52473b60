package io.chainkeeper.server.proposal;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.replica.Proposal;
import java.util.function.BooleanSupplier;

/** A command that changes nothing, and who waits for it. */
public final class NoOpProposal extends Proposal {
    private final Runnable waiter;
    private final BooleanSupplier wanted;

    NoOpProposal(int stream, ByteSlice command, Runnable waiter, BooleanSupplier wanted) {
        super(stream, command);
        this.waiter = waiter;
        this.wanted = wanted;
    }

    @Override
    public boolean isWanted() {
        return wanted.getAsBoolean();
    }

    /** Apply thread: it has been ordered. */
    public void cameBack() {
        waiter.run();
    }
}
