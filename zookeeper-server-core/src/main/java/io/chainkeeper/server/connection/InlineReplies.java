package io.chainkeeper.server.connection;

/**
 * Marks what an I/O thread answers itself, instead of the apply thread. What it reads must be read at once, but its
 * answer must not overtake answers and watch events that the executor has handed to the same I/O thread before.
 *
 * <p>The mark belongs to the thread and is not handed along, because ZooKeeper's final processor and its connection lie
 * between the request and the bytes of its answer, and pass on nothing of ours.
 */
public final class InlineReplies {
    private static final ThreadLocal<boolean[]> RUNNING = ThreadLocal.withInitial(() -> new boolean[1]);

    private InlineReplies() {}

    /** @param answer answers, on the calling thread, a request that this thread has read */
    public static void run(Runnable answer) {
        boolean[] running = RUNNING.get();
        running[0] = true;
        try {
            answer.run();
        } finally {
            running[0] = false;
        }
    }

    /** @return whether the calling thread is answering a request that it has read from a connection */
    public static boolean areRunning() {
        return RUNNING.get()[0];
    }
}
