package io.chainkeeper.chain;

/**
 * What one successor has been sent and has acknowledged. What is on its way, sent and not acknowledged, is bounded in
 * instances and in bytes.
 */
final class SuccessorWindow {
    private final int[] sizes;
    private long acknowledged;
    private long bytesUnderWay;

    /** The next instance to be sent. */
    long next;

    /** When the successor was last heard. */
    long heardTick;

    /** The progress that the successor was told last; null before the first time. */
    Progress sent;

    /**
     * @param windowInstances that may be on their way
     * @param maxAccepted up to where the successor has all values
     * @param now present tick
     */
    SuccessorWindow(int windowInstances, long maxAccepted, long now) {
        sizes = new int[windowInstances];
        next = maxAccepted + 1;
        acknowledged = maxAccepted;
        heardTick = now;
    }

    /** Whether the next value may go. One value is always allowed to be on its way, however large. */
    boolean hasCredit() {
        return next <= acknowledged + sizes.length && bytesUnderWay < ChainSettings.SUCCESSOR_WINDOW_BYTES;
    }

    /** The next value goes. If the successor has acknowledged it already, it will not do so again. */
    void sent(int valueBytes) {
        if (next > acknowledged) {
            sizes[slot(next)] = valueBytes;
            bytesUnderWay += valueBytes;
        }
        next++;
    }

    /** The successor has accepted everything up to an instance. */
    void acknowledged(long maxAccepted) {
        for (long i = acknowledged + 1; i <= maxAccepted && i < next; i++) {
            bytesUnderWay -= sizes[slot(i)];
        }
        acknowledged = Math.max(acknowledged, maxAccepted);
    }

    private int slot(long instance) {
        return (int) (instance % sizes.length);
    }
}
