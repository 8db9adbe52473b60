package io.chainkeeper.replica;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.ProposedCommand;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.Test;

/** Nothing gets on in the order, and a replica's own commands in progress are at their bound. */
public final class FullOrderTest {
    private static final int COST = ReplicaLimits.COMMAND_COST_BYTES;
    private static final int COMMANDS = 2;

    private final ReplicaLimits limits = ReplicaLimits.DEFAULT.withMaxOutstandingBytes(COMMANDS * COST);
    private final OwnCommands own = new OwnCommands(1, 1, 1, limits, ThreadScheduler.INSTANCE);
    private final List<Proposal> inputs = Collections.synchronizedList(new ArrayList<>());

    private static class Wish extends Proposal {
        private volatile boolean wanted = true;

        Wish() {
            super(0, ByteSlice.EMPTY);
        }

        @Override
        public boolean isWanted() {
            return wanted;
        }
    }

    private void fill() {
        for (int i = 0; i < COMMANDS; i++) {
            assertTrue(own.enter(new Wish(), inputs::add));
        }
    }

    private final class Waiter {
        private final Wish wish = new Wish();
        private final AtomicReference<Boolean> entered = new AtomicReference<>();
        private final Thread thread = new Thread(() -> entered.set(own.enter(wish, inputs::add)), "proposer");

        Waiter() throws Exception {
            thread.start();
            Failures.awaitBlocked(thread);
        }

        boolean ended() throws Exception {
            Failures.join(thread);
            return entered.get();
        }
    }

    private void apply(Proposal proposal) {
        ProposedCommand command = own.number(proposal);
        own.poll(command);
    }

    @Test
    public void waiterIsNotWantedAnyMore_leavesWithoutBeingOrdered() throws Exception {
        fill();
        Waiter leaves = new Waiter();
        Waiter stays = new Waiter();
        leaves.wish.wanted = false;
        own.reconsider();
        assertFalse(leaves.ended());
        assertEquals("it takes no room", COMMANDS * COST, own.outstandingBytes());
        Failures.await("time to pass", () -> own.stuckMillis() > 0);
        apply(inputs.get(0));
        assertTrue(stays.ended());
        assertFalse(inputs.contains(leaves.wish));
        assertEquals(COMMANDS + 1, inputs.size());
    }

    /** Sessions do not end while a server seems to be stuck. */
    @Test
    public void lastWaiterIsNotWantedAnyMore_nobodySeemsToBeStuck() throws Exception {
        fill();
        Waiter leaves = new Waiter();
        Failures.await("time to pass", () -> own.stuckMillis() > 0);
        leaves.wish.wanted = false;
        own.reconsider();
        assertFalse(leaves.ended());
        assertEquals(0, own.stuckMillis());
    }

    @Test
    public void notWantedFromTheBeginning_doesNotWait() {
        fill();
        Wish unwanted = new Wish();
        unwanted.wanted = false;
        assertFalse(own.enter(unwanted, inputs::add));
    }

    @Test
    public void reconsidered_whoIsWantedGoesOnWaiting() throws Exception {
        fill();
        Waiter stays = new Waiter();
        own.reconsider();
        Failures.awaitBlocked(stays.thread);
        apply(inputs.get(0));
        assertTrue(stays.ended());
    }

    @Test
    public void offered_hasARoomOfItsOwnAndNeverWaits() throws Exception {
        fill();
        long most = limits.maxOfferedBytes() / COST;
        for (int i = 0; i < most; i++) {
            assertTrue("command " + i, own.offer(new Wish(), inputs::add));
        }
        assertFalse("both rooms are full", own.offer(new Wish(), inputs::add));
        assertEquals(COMMANDS + most, inputs.size());
        Waiter waits = new Waiter();
        Proposal firstOffered = inputs.get(COMMANDS);
        List<Proposal> before = List.copyOf(inputs);
        before.forEach(own::number);
        for (Proposal each : before.subList(0, COMMANDS)) {
            own.poll(command(before.indexOf(each) + 1, each));
        }
        assertTrue("the room of what is proposed", waits.ended());
        assertFalse("what is applied of the one makes no room in the other", own.offer(new Wish(), inputs::add));
        own.poll(command(COMMANDS + 1, firstOffered));
        assertTrue(own.offer(new Wish(), inputs::add));
    }

    private static ProposedCommand command(long sequence, Proposal proposal) {
        return new ProposedCommand(1, 1, 0, sequence, proposal.command());
    }

    @Test
    public void offeredAndTakesNoPlace_givesItsRoomBack() {
        Proposal unwanted = new Proposal(0, ByteSlice.EMPTY) {
            @Override
            public boolean enter(Runnable place) {
                return false;
            }
        };
        assertFalse(own.offer(unwanted, inputs::add));
        assertEquals(0, own.outstandingBytes());
    }

    @Test
    public void roomForWhatIsOffered_isAnEighthAndSixtyFourCommandsAtLeast() {
        assertEquals(ReplicaLimits.DEFAULT.maxOutstandingBytes() / 8, ReplicaLimits.DEFAULT.maxOfferedBytes());
        assertEquals(64L * COST, limits.maxOfferedBytes());
    }
}
