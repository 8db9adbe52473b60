package io.chainkeeper.simulation.host;

import io.chainkeeper.simulation.time.Coroutine;

/**
 * A part of a replica waits for a disk, and comes to nothing more: the process ends before the disk answers, or the
 * disk never does. It takes the place of a thread that is never heard of again, so nothing between where it waits and
 * the bottom of its stack may take note. It is a checked exception that no method declares: the product's catch clauses
 * name what they catch, and none of them can name this one.
 */
public final class NeverAnswered extends Exception {
    private static final long serialVersionUID = 1;

    private final boolean isProcessGone;

    private NeverAnswered(String message, boolean isProcessGone) {
        super(message);
        this.isProcessGone = isProcessGone;
    }

    /**
     * A thread waits for ever, and its process lives on.
     *
     * @param replica its id
     * @return for {@link Coroutine#rethrow}
     */
    public static NeverAnswered diskHangs(int replica) {
        return new NeverAnswered("a disk of replica " + replica + " never answers", false);
    }

    /**
     * The process of a thread has ended.
     *
     * @param replica its id
     * @return for {@link Coroutine#rethrow}
     */
    public static NeverAnswered processGone(int replica) {
        return new NeverAnswered("replica " + replica + " ended while a part of it waited", true);
    }

    /**
     * Does something.
     *
     * @param work may wait for ever; whatever else it throws is thrown here
     * @return why it came to nothing; null if it has been done
     */
    public static NeverAnswered in(Runnable work) {
        try {
            work.run();
        } catch (Throwable e) {
            if (e instanceof NeverAnswered never) {
                return never;
            }
            Coroutine.rethrow(e);
        }
        return null;
    }

    /** Whether all other threads of its process are gone, too. */
    boolean isProcessGone() {
        return isProcessGone;
    }
}
