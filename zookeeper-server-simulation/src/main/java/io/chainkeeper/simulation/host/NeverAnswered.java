package io.chainkeeper.simulation.host;

/**
 * A part of a replica waits for a disk, and comes to nothing more: the process ends before the disk answers, or the
 * disk never does. It takes the place of a thread that is never heard of again.
 */
public final class NeverAnswered extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** @param replica its id */
    public NeverAnswered(int replica) {
        super("a disk of replica " + replica + " never answers");
    }

    /**
     * @param failure or null
     * @return whether it is one, or was caused by one
     */
    public static boolean isCauseOf(Throwable failure) {
        Throwable each = failure;
        while (each != null && !(each instanceof NeverAnswered)) {
            each = each.getCause();
        }
        return each != null;
    }
}
