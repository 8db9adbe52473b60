package io.chainkeeper.server.proposal;

import io.chainkeeper.command.Command;
import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.replica.Proposal;
import io.chainkeeper.replica.ReplicaStoppedException;
import io.chainkeeper.replica.TotalOrder;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.apache.zookeeper.server.ServerCnxn;

/** The server's way into the order. Must not be used by the apply thread: proposing may wait for it. */
public final class Proposer {
    private final LongSupplier wallClockMillis;
    private volatile TotalOrder order;

    /** @param wallClockMillis what this replica's proposals are stamped with, milliseconds since 1970 */
    public Proposer(LongSupplier wallClockMillis) {
        this.wallClockMillis = wallClockMillis;
    }

    /** @return the stamp of a command that is proposed now, milliseconds since 1970; any thread */
    public long wallClockMillis() {
        return wallClockMillis.getAsLong();
    }

    /** @param startedOrder the order, once it has been started */
    public void connect(TotalOrder startedOrder) {
        order = startedOrder;
    }

    private TotalOrder connected() {
        TotalOrder current = order;
        if (current == null) {
            throw new ReplicaStoppedException("the order has not been started");
        }
        return current;
    }

    /** @return see {@link TotalOrder#stuckMillis}; 0 before the order has been started; any thread */
    public long stuckMillis() {
        TotalOrder current = order;
        return current == null ? 0 : current.stuckMillis();
    }

    /**
     * @param sessionId a session, 0 for none
     * @return the stream of its proposals, see {@link Proposal}
     * @throws ReplicaStoppedException if the order has not been started
     */
    public int streamOf(long sessionId) {
        return Math.floorMod(
                Long.hashCode(sessionId * 0x9E3779B97F4A7C15L), connected().streamCount());
    }

    /**
     * Proposes a command that no client waits for.
     *
     * @param sessionId the session it is about, 0 for none
     * @param command the command
     * @throws ReplicaStoppedException if this replica has stopped
     */
    public void propose(long sessionId, Command command) {
        connected().propose(new ServerProposal(streamOf(sessionId), CommandCodec.encode(command)));
    }

    /**
     * Proposes that a session goes on at this replica.
     *
     * @param attach the command
     * @param connection the connection that waits for the answer
     * @throws ReplicaStoppedException if this replica has stopped
     */
    public void propose(Command.Attach attach, ServerCnxn connection) {
        connected().propose(new AttachProposal(streamOf(attach.sessionId()), CommandCodec.encode(attach), connection));
    }

    /**
     * Has a command ordered that changes nothing. May wait, as every proposal may.
     *
     * @param waiter told by the apply thread when it comes back; must not wait
     * @throws ReplicaStoppedException if this replica has stopped
     */
    public void proposeNoOp(Runnable waiter) {
        connected()
                .propose(new NoOpProposal(
                        streamOf(0), CommandCodec.encode(new Command.NoOp(wallClockMillis())), waiter));
    }

    /**
     * Has commands ordered that change nothing, behind everything that this replica has proposed so far. May wait.
     *
     * @return done when this replica has executed them
     * @throws ReplicaStoppedException if this replica has stopped
     */
    public CompletableFuture<Void> afterAllProposed() {
        TotalOrder current = connected();
        CompletableFuture<?>[] cameBack = new CompletableFuture<?>[current.streamCount()];
        for (int stream = 0; stream < cameBack.length; stream++) {
            CompletableFuture<Void> one = new CompletableFuture<>();
            cameBack[stream] = one;
            current.propose(new NoOpProposal(
                    stream, CommandCodec.encode(new Command.NoOp(wallClockMillis())), () -> one.complete(null)));
        }
        return CompletableFuture.allOf(cameBack);
    }

    /**
     * @param proposal handed to the order
     * @return see {@link TotalOrder#propose}
     * @throws ReplicaStoppedException if this replica has stopped
     */
    public boolean propose(Proposal proposal) {
        return connected().propose(proposal);
    }

    /**
     * See {@link TotalOrder#readBarrier}.
     *
     * @param waiter told by the apply thread
     * @throws ReplicaStoppedException if this replica has stopped
     */
    public void readBarrier(TotalOrder.ReadWaiter waiter) {
        connected().readBarrier(waiter);
    }
}
