package io.chainkeeper.server.proposal;

import io.chainkeeper.command.Command;
import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.replica.Proposal;
import io.chainkeeper.replica.ReplicaStoppedException;
import io.chainkeeper.replica.TotalOrder;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.apache.zookeeper.server.ServerCnxn;

/**
 * The server's way into the order. What is proposed may wait for the apply thread, so that thread must not propose, nor
 * may the one that looks after time: it offers, which never waits.
 */
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
     * @param wanted see {@link Proposal#isWanted}
     * @return see {@link TotalOrder#propose}
     * @throws ReplicaStoppedException if this replica has stopped
     */
    public boolean propose(long sessionId, Command command, BooleanSupplier wanted) {
        return connected().propose(new ServerProposal(streamOf(sessionId), CommandCodec.encode(command), wanted));
    }

    /**
     * Offers a command that no client waits for.
     *
     * @param sessionId the session it is about, 0 for none
     * @param command the command
     * @return see {@link TotalOrder#offer}
     * @throws ReplicaStoppedException if this replica has stopped
     */
    public boolean offer(long sessionId, Command command) {
        return connected().offer(new ServerProposal(streamOf(sessionId), CommandCodec.encode(command), () -> true));
    }

    /**
     * Proposes that a session goes on at this replica.
     *
     * @param attach the command
     * @param connection the connection that waits for the answer
     * @param served whether clients are served; any thread asks it
     * @return see {@link TotalOrder#propose}
     * @throws ReplicaStoppedException if this replica has stopped
     */
    public boolean propose(Command.Attach attach, ServerCnxn connection, BooleanSupplier served) {
        return connected()
                .propose(new AttachProposal(
                        streamOf(attach.sessionId()), CommandCodec.encode(attach), connection, served));
    }

    /**
     * Has a command ordered that changes nothing. May wait, as every proposal may.
     *
     * @param waiter told by the apply thread when it comes back; must not wait
     * @param wanted see {@link Proposal#isWanted}
     * @return see {@link TotalOrder#propose}
     * @throws ReplicaStoppedException if this replica has stopped
     */
    public boolean proposeNoOp(Runnable waiter, BooleanSupplier wanted) {
        return connected().propose(noOp(streamOf(0), waiter, wanted));
    }

    private NoOpProposal noOp(int stream, Runnable waiter, BooleanSupplier wanted) {
        return new NoOpProposal(stream, CommandCodec.encode(new Command.NoOp(wallClockMillis())), waiter, wanted);
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
            current.propose(noOp(stream, () -> one.complete(null), () -> true));
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
     * @param proposal offered to the order
     * @return see {@link TotalOrder#offer}
     * @throws ReplicaStoppedException if this replica has stopped
     */
    public boolean offer(Proposal proposal) {
        return connected().offer(proposal);
    }

    /** See {@link TotalOrder#reconsider}; nobody waits before the order has been started. Any thread. */
    public void reconsider() {
        TotalOrder current = order;
        if (current != null) {
            current.reconsider();
        }
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
