package io.chainkeeper.replica;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.InvariantViolated;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.Test;

/** One thread at a time has the turn, and none that was asked for is forgotten. */
public final class TurnTest {
    private static final int THREADS = 4;
    private static final int INPUTS_OF_EACH = 20_000;

    private final Turn turn = new Turn();

    @Test
    public void whoStarts_hasTheFirstTurn() {
        assertFalse(turn.ask());
        assertFalse(turn.take());
        turn.leave();
        assertTrue(turn.take());
    }

    @Test
    public void askedTwice_oneSeesToIt() {
        turn.leave();
        assertTrue(turn.ask());
        assertFalse("asked for already", turn.ask());
        assertTrue("also by another thread than the one that was asked", turn.take());
        assertFalse("taken", turn.ask());
        turn.leave();
        assertTrue(turn.ask());
    }

    @Test
    public void ended_isNeverTakenAgain() {
        assertFalse("somebody has it", turn.end());
        turn.leave();
        assertTrue(turn.ask());
        assertTrue(turn.end());
        assertFalse(turn.take());
        assertFalse(turn.ask());
        assertTrue("ended already", turn.end());
    }

    @Test
    public void brokenOff_isNeverTakenAgain() {
        turn.breakOff();
        assertFalse(turn.take());
        assertFalse(turn.ask());
        assertTrue(turn.end());
    }

    @Test
    public void leftTwice_isADefect() {
        turn.leave();
        assertThrows(InvariantViolated.class, turn::leave);
    }

    /** Whoever adds an input takes the turn itself, if that falls to it, and looks again behind it. */
    @Test
    public void manyThreads_takeTurnsAndOverlookNothing() throws InterruptedException {
        Queue<Integer> inputs = new ConcurrentLinkedQueue<>();
        int[] taken = new int[1]; // guarded by the turn alone
        turn.leave();
        Runnable work = () -> {
            while (turn.ask() && turn.take()) {
                while (inputs.poll() != null) {
                    taken[0]++;
                }
                turn.leave();
                if (inputs.isEmpty()) {
                    return;
                }
            }
        };
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Thread thread = new Thread(() -> {
                for (int input = 0; input < INPUTS_OF_EACH; input++) {
                    inputs.add(input);
                    work.run();
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertTrue(turn.take());
        assertEquals(THREADS * INPUTS_OF_EACH, taken[0]);
    }
}
