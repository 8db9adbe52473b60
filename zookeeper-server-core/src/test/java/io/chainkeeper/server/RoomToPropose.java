package io.chainkeeper.server;

import io.chainkeeper.command.Command;
import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.MalformedMessageException;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.replica.Proposal;
import io.chainkeeper.server.proposal.ClientProposal;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Makes one proposal wait, as it does where a replica's commands in progress are at their bound; keeps all that are
 * proposed from being ordered; or has the order say that its rings are nearly full, as Disk Paxos does.
 */
public final class RoomToPropose {
    /** Oftener than a replica does, which is told when to ask. */
    private static final int ASKED_AGAIN_MILLIS = 10;

    private Predicate<Proposal> lacking = proposal -> false;
    private CountDownLatch waiting;
    private CountDownLatch room;
    private volatile Predicate<Collection<ProposedCommand>> ordersNothingUntil;
    private volatile Map<String, Long> rings = Map.of();

    /** From now on the rings are nearly full because of a server; 0 for nobody: they have room again. */
    public void ringsHeldBy(long server) {
        rings = server == 0 ? Map.of() : Map.of("ring_low", 1L, "ring_held_by", server);
    }

    Map<String, Long> gauges(long executedPosition) {
        Map<String, Long> all = new HashMap<>(rings);
        all.put("executed_position", executedPosition);
        return all;
    }

    /** From now on there is no room for the next write of a client; for the others there is. */
    public void lackForNextWrite() {
        lackForNext(proposal -> proposal instanceof ClientProposal);
    }

    /** From now on there is no room for the next write of this kind, of ZooKeeper's operation codes. */
    public void lackForNextWriteOf(int opcode) {
        lackForNext(proposal ->
                proposal instanceof ClientProposal write && write.decoded().opcode() == opcode);
    }

    /** From now on there is no room for the next command of this kind; for the others there is. */
    public void lackForNext(Class<? extends Command> kind) {
        lackForNext(proposal -> isA(kind, proposal.command()));
    }

    private synchronized void lackForNext(Predicate<Proposal> next) {
        lacking = next;
        waiting = new CountDownLatch(1);
        room = new CountDownLatch(1);
    }

    private static boolean isA(Class<? extends Command> kind, ByteSlice command) {
        try {
            return kind.isInstance(CommandCodec.decode(command));
        } catch (MalformedMessageException e) {
            throw new AssertionError(e);
        }
    }

    /** Waits until the proposal is there. */
    public void awaitWaiting() throws InterruptedException {
        CountDownLatch awaited;
        synchronized (this) {
            awaited = waiting;
        }
        if (!awaited.await(TestEnsemble.DEADLINE_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("no proposal waits for room");
        }
    }

    /** There is room again. */
    public synchronized void make() {
        room.countDown();
    }

    /** What is proposed from now on is ordered when a command of this kind is among it, or by {@link #orderAll}. */
    public void orderNothingUntil(Class<? extends Command> kind) {
        ordersNothingUntil = commands -> commands.stream().anyMatch(command -> isA(kind, command.command()));
    }

    /** Ends what {@link #orderNothingUntil} began. */
    public void orderAll() {
        ordersNothingUntil = null;
    }

    boolean mayOrder(Collection<ProposedCommand> proposed) {
        Predicate<Collection<ProposedCommand>> until = ordersNothingUntil;
        if (until != null && until.test(proposed)) {
            orderAll();
        }
        return ordersNothingUntil == null;
    }

    /** Whether there is room at the moment for what is offered. */
    synchronized boolean isThereFor(Proposal proposal) {
        if (waiting == null || room.getCount() == 0 || !lacking.test(proposal)) {
            return true;
        }
        waiting.countDown();
        return false;
    }

    /** Waits until there is room for what is proposed; returns whether it is wanted still. */
    boolean await(Proposal proposal) {
        CountDownLatch until;
        synchronized (this) {
            if (waiting == null || waiting.getCount() == 0 || !lacking.test(proposal)) {
                return true;
            }
            waiting.countDown();
            until = room;
        }
        try {
            while (!until.await(ASKED_AGAIN_MILLIS, TimeUnit.MILLISECONDS)) {
                if (!proposal.isWanted()) {
                    return false;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return true;
    }
}
