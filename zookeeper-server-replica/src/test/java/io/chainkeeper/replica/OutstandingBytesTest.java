package io.chainkeeper.replica;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.Test;

/** Back-pressure on proposers: who finds no room waits, and everybody gets on when there is some. */
public final class OutstandingBytesTest {
    private static final int COST = ReplicaLimits.COMMAND_COST_BYTES;

    @Test
    public void full_waitsUntilReleased() throws Exception {
        OutstandingBytes bytes = new OutstandingBytes(2 * (COST + 10), ThreadScheduler.INSTANCE);
        bytes.acquire(10, () -> true);
        bytes.acquire(10, () -> true);
        assertEquals("nobody waits", 0, bytes.stuckMillis());
        Thread waiter = new Thread(() -> bytes.acquire(10, () -> true), "proposer");
        waiter.start();
        Failures.awaitBlocked(waiter);
        Failures.await("time to pass", () -> bytes.stuckMillis() > 0);
        bytes.release(10);
        Failures.join(waiter);
        assertEquals(2 * (COST + 10), bytes.used());
        assertEquals("somebody got on", 0, bytes.stuckMillis());
    }

    @Test
    public void commandLargerThanTheBound_isNotStuck() {
        OutstandingBytes bytes = new OutstandingBytes(100, ThreadScheduler.INSTANCE);
        bytes.acquire(1_000_000, () -> true);
        bytes.release(1_000_000);
        assertEquals(0, bytes.used());
    }

    @Test
    public void stopped_waitersAreToldSo() throws Exception {
        OutstandingBytes bytes = new OutstandingBytes(1, ThreadScheduler.INSTANCE);
        bytes.acquire(10, () -> true);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread waiter = new Thread(() -> bytes.acquire(10, () -> true), "proposer");
        waiter.setUncaughtExceptionHandler((thread, e) -> thrown.set(e));
        waiter.start();
        Failures.awaitBlocked(waiter);
        bytes.stop();
        Failures.join(waiter);
        assertTrue(thrown.get() instanceof ReplicaStoppedException);
        assertThrows(ReplicaStoppedException.class, () -> bytes.acquire(10, () -> true));
    }

    @Test
    public void proposalThatTakesNoPlace_givesItsRoomBack() {
        OwnCommands own = new OwnCommands(1, 1, 1, ReplicaLimits.DEFAULT, ThreadScheduler.INSTANCE);
        List<Proposal> inputs = new ArrayList<>();
        Proposal unwanted = new Proposal(0, ByteSlice.of(new byte[10])) {
            @Override
            public boolean enter(Runnable place) {
                return false;
            }
        };
        own.enter(unwanted, inputs::add);
        assertEquals(List.of(), inputs);
        assertEquals(0, own.outstandingBytes());
    }

    @Test
    public void manyProposersAndOneExecutor_nobodyIsLeftWaiting() throws Exception {
        OutstandingBytes bytes = new OutstandingBytes(3 * COST, ThreadScheduler.INSTANCE);
        AtomicInteger taken = new AtomicInteger();
        List<Thread> proposers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Thread proposer = new Thread(
                    () -> {
                        for (int j = 0; j < 5_000; j++) {
                            bytes.acquire(0, () -> true);
                            taken.incrementAndGet();
                        }
                    },
                    "proposer-" + i);
            proposers.add(proposer);
            proposer.start();
        }
        for (int released = 0; released < 20_000; released++) {
            int due = released;
            Failures.await("a proposal", () -> taken.get() > due);
            assertTrue("unbounded: " + bytes.used(), bytes.used() <= (3 + proposers.size()) * COST);
            bytes.release(0);
        }
        for (Thread proposer : proposers) {
            Failures.join(proposer);
        }
        assertEquals(0, bytes.used());
    }
}
