package io.chainkeeper.simulation.time;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;

import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

public class CoroutineTest {
    private final List<String> done = new ArrayList<>();
    private final List<Coroutine> suspended = new ArrayList<>();
    private final Object lock = new Object();

    private void stop(String name) {
        suspended.add(Coroutine.current());
        done.add(name + " waits");
        synchronized (lock) {
            Coroutine.current().suspend(lock);
        }
        done.add(name + " goes on");
    }

    @Test
    public void notSuspended_isDoneWhenRunReturns() {
        Coroutine.run(() -> done.add("done"));
        assertEquals(List.of("done"), done);
        assertNull(Coroutine.current());
    }

    @Test
    public void suspended_whoRunsItGoesOn_andItGoesOnWhenResumed() {
        Coroutine.run(() -> stop("it"));
        done.add("between");
        suspended.get(0).resume();
        assertEquals(List.of("it waits", "between", "it goes on"), done);
    }

    /** Threads give the monitor up while they wait on it. */
    @Test
    public void severalWaitOnOneLock_goOnInAnyOrder() {
        Coroutine.run(() -> stop("first"));
        Coroutine.run(() -> stop("second"));
        suspended.get(1).resume();
        suspended.get(0).resume();
        assertEquals(List.of("first waits", "second waits", "second goes on", "first goes on"), done);
    }

    @Test
    public void runInTheMiddleOfAnother_isOneOfItsOwn() {
        Coroutine.run(() -> {
            Coroutine.run(() -> stop("inner"));
            done.add("outer goes on");
        });
        suspended.get(0).resume();
        assertEquals(List.of("inner waits", "outer goes on", "inner goes on"), done);
    }

    @Test
    public void whatFails_isThrownByWhoRunsOrResumesIt() {
        assertThrows(
                IllegalStateException.class,
                () -> Coroutine.run(() -> {
                    throw new IllegalStateException();
                }));
        Coroutine.run(() -> {
            stop("it");
            throw new AssertionError();
        });
        assertThrows(AssertionError.class, () -> suspended.get(0).resume());
    }

    @Test
    public void ended_whatItDoesComesToNothing() {
        Coroutine.run(() -> {
            try {
                stop("it");
            } finally {
                done.add("ends");
            }
        });
        suspended.get(0).end(new IllegalStateException());
        assertEquals(List.of("it waits", "ends"), done);
    }
}
