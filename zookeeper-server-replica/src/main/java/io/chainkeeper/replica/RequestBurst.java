package io.chainkeeper.replica;

/**
 * Requests that a thread has read together from a connection. The thread that orders is woken once behind them: woken
 * by the first of them, it would run at once on another core, find little to do, sleep, and have to be woken for the
 * next.
 */
public final class RequestBurst {
    /** So many inputs wait for their wake-up at most. */
    static final int MAX_HELD_INPUTS = 64;

    private static final ThreadLocal<RequestBurst> CURRENT = ThreadLocal.withInitial(RequestBurst::new);

    private boolean isOpen;
    private int heldInputs;
    private Runnable held;

    private RequestBurst() {}

    /**
     * Lets the calling thread's proposals and reads wake the ordering thread behind the last of them. One that has to
     * wait for room wakes it before it waits.
     *
     * @param reading hands over what was read; its exceptions are passed on
     */
    public static void read(Runnable reading) {
        RequestBurst burst = CURRENT.get();
        burst.isOpen = true;
        try {
            reading.run();
        } finally {
            burst.isOpen = false;
            burst.wake();
        }
    }

    /**
     * The calling thread has given an input to an ordering thread.
     *
     * @param wakeUp wakes that thread; always the same object for the same thread
     */
    static void wakeBehind(Runnable wakeUp) {
        RequestBurst burst = CURRENT.get();
        if (!burst.isOpen) {
            wakeUp.run();
            return;
        }
        if (burst.held != wakeUp || burst.heldInputs == MAX_HELD_INPUTS) {
            burst.wake();
            burst.held = wakeUp;
        }
        burst.heldInputs++;
    }

    /** The calling thread is about to wait for something that may depend on what it has handed over. */
    static void beforeWaiting() {
        CURRENT.get().wake();
    }

    private void wake() {
        Runnable wakeUp = held;
        held = null;
        heldInputs = 0;
        if (wakeUp != null) {
            wakeUp.run();
        }
    }
}
