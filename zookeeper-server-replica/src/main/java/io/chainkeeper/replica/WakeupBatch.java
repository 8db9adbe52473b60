package io.chainkeeper.replica;

/**
 * Wakes the protocol host once for several requests that a thread has read together from a connection. If the first of
 * them woke the host, the host would run at once on another core, find little to do, sleep, and have to be woken again
 * for the next.
 *
 * <p>A batch belongs to the thread that reads. It is found by its thread, not handed along, because ZooKeeper's own
 * code lies between the reading of the bytes and the proposals and passes on nothing of ours.
 */
public final class WakeupBatch {
    /** At most so many inputs wait for one wake-up. */
    static final int MAX_HELD_INPUTS = 64;

    private static final ThreadLocal<WakeupBatch> CURRENT = ThreadLocal.withInitial(WakeupBatch::new);

    private boolean isOpen;
    private int heldInputs;
    private Runnable held;

    private WakeupBatch() {}

    /**
     * Lets the calling thread's proposals and reads wake the host behind the last of them. A proposal that has to wait
     * for room wakes the host before it waits.
     *
     * @param reading hands over what was read; its exceptions are passed on
     */
    public static void run(Runnable reading) {
        WakeupBatch batch = CURRENT.get();
        batch.isOpen = true;
        try {
            reading.run();
        } finally {
            batch.isOpen = false;
            batch.wakeHeld();
        }
    }

    /**
     * The calling thread has given an input to a host: wakes the host, at the end of the batch if there is one.
     *
     * @param wakeUp wakes the host; always the same object for the same host
     */
    static void wake(Runnable wakeUp) {
        WakeupBatch batch = CURRENT.get();
        if (!batch.isOpen) {
            wakeUp.run();
            return;
        }
        if (batch.held != wakeUp || batch.heldInputs == MAX_HELD_INPUTS) {
            batch.wakeHeld();
            batch.held = wakeUp;
        }
        batch.heldInputs++;
    }

    /** Wakes the host now: the calling thread is about to wait for what may depend on the inputs that it has given. */
    static void flush() {
        CURRENT.get().wakeHeld();
    }

    private void wakeHeld() {
        Runnable wakeUp = held;
        held = null;
        heldInputs = 0;
        if (wakeUp != null) {
            wakeUp.run();
        }
    }
}
