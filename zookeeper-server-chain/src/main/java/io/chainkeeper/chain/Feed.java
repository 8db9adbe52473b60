package io.chainkeeper.chain;

/** What one successor has been sent and has reported: what is on its way is bounded in instances and in bytes. */
final class Feed {
    private final int[] sizes;
    private long reported;
    private long bytesUnderWay;

    /** The next instance to be sent. */
    long next;

    /** When the successor was last heard. */
    long heardTick;

    /** The progress that it was told last; null before the first time. */
    Progress sent;

    /**
     * @param windowInstances that may be on their way
     * @param maxAccepted what the successor has
     * @param now present tick
     */
    Feed(int windowInstances, long maxAccepted, long now) {
        sizes = new int[windowInstances];
        next = maxAccepted + 1;
        reported = maxAccepted;
        heardTick = now;
    }

    /** The next value may go. One is always allowed to be on its way, however large. */
    boolean hasCredit() {
        return next <= reported + sizes.length && bytesUnderWay < ChainSettings.FEED_BYTES;
    }

    /** The next value goes. One that the successor has reported already will not be reported again. */
    void sent(int valueBytes) {
        if (next > reported) {
            sizes[slot(next)] = valueBytes;
            bytesUnderWay += valueBytes;
        }
        next++;
    }

    /** The successor has accepted everything up to an instance. */
    void reported(long maxAccepted) {
        for (long i = reported + 1; i <= maxAccepted && i < next; i++) {
            bytesUnderWay -= sizes[slot(i)];
        }
        reported = Math.max(reported, maxAccepted);
    }

    private int slot(long instance) {
        return (int) (instance % sizes.length);
    }
}
