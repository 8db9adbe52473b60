package io.chainkeeper.simulation.time;

import java.util.Arrays;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * A piece of work that can be suspended in the middle and go on later, as that of a thread that waits. It has a thread
 * of its own, and whoever runs or resumes it stands still meanwhile: at any time one thread of a run works, so that
 * the same seed gives the same run.
 */
public final class Coroutine {
    private static final Executor THREADS = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "simulated-thread");
        thread.setDaemon(true);
        return thread;
    });

    private static final ThreadLocal<Coroutine> CURRENT = new ThreadLocal<>();

    /** A piece of work takes milliseconds. After so long it waits for a monitor that never becomes free. */
    private static final int MOST_MINUTES = 10;

    private final Runnable body;
    private volatile Thread thread;
    private final Semaphore standsStill = new Semaphore(0);

    /** On what it waits; whose monitor guards the next one. */
    private Object monitor;

    private boolean mayGoOn;
    private Throwable end;
    private Throwable failure;

    private Coroutine(Runnable body) {
        this.body = body;
    }

    /** The one whose work the calling thread does; null if none. */
    public static Coroutine current() {
        return CURRENT.get();
    }

    /**
     * Does a piece of work up to its end, or up to where it is suspended.
     *
     * @param body the piece, which may call {@link #suspend}; what it throws before it is suspended is thrown here, and
     *     later by {@link #resume}
     */
    public static void run(Runnable body) {
        Coroutine coroutine = new Coroutine(body);
        THREADS.execute(coroutine::begin);
        coroutine.awaitStandstill();
    }

    private String stack() {
        return Arrays.toString(thread.getStackTrace());
    }

    private void begin() {
        thread = Thread.currentThread();
        CURRENT.set(this);
        try {
            body.run();
        } catch (Throwable e) {
            failure = e;
        } finally {
            CURRENT.remove();
            standsStill.release();
        }
    }

    /**
     * Suspends the work of the calling thread, which is this one, until it is resumed.
     *
     * @param lock whose monitor the thread has, and gives up meanwhile as if it waited on it; no other one
     */
    public void suspend(Object lock) {
        monitor = lock;
        mayGoOn = false;
        standsStill.release();
        while (!mayGoOn) {
            try {
                lock.wait();
            } catch (InterruptedException e) {
                throw new IllegalStateException("nobody interrupts a simulated thread", e);
            }
        }
        if (end != null) {
            rethrow(end);
        }
    }

    /** Goes on with what is suspended, up to its end or up to where it is suspended again. */
    public void resume() {
        goOn();
        awaitStandstill();
    }

    private void goOn() {
        synchronized (monitor) {
            mayGoOn = true;
            monitor.notifyAll();
        }
    }

    /**
     * What is suspended comes to nothing.
     *
     * @param how what it finds thrown; whatever comes of that is nobody's business any more
     */
    public void end(Throwable how) {
        end = how;
        goOn();
        standsStill.acquireUninterruptibly();
    }

    private void awaitStandstill() {
        try {
            if (!standsStill.tryAcquire(MOST_MINUTES, TimeUnit.MINUTES)) {
                throw new AssertionError("a simulated thread neither ends nor waits: " + stack());
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts a simulation", e);
        }
        if (failure != null) {
            rethrow(failure);
        }
    }

    /**
     * Throws what somebody has caught, whatever it is.
     *
     * @param failure also one that this method would have to declare
     * @param <T> taken by the compiler for one that need not be declared
     */
    @SuppressWarnings("unchecked")
    public static <T extends Throwable> void rethrow(Throwable failure) throws T {
        throw (T) failure;
    }
}
