package io.chainkeeper.chain;

import io.chainkeeper.ordering.Occupancy;
import io.chainkeeper.ordering.Occupancy.Slack;

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

    /**
     * Tells how many replicas are fed, of those that are linked, and how much is on its way to each.
     *
     * @param windows by replica id; null for those that are not fed
     * @param linkUp which replicas are linked
     */
    static void tellOccupancy(SuccessorWindow[] windows, boolean[] linkUp, Occupancy occupancy) {
        int fed = 0;
        int linked = 0;
        for (int id = 0; id < windows.length; id++) {
            linked += linkUp[id] ? 1 : 0;
            if (windows[id] != null) {
                fed++;
                windows[id].tellOccupancy(occupancy);
            }
        }
        occupancy.holds("successors_fed", fed, linked, Slack.NONE);
    }

    private void tellOccupancy(Occupancy occupancy) {
        occupancy.holds(
                "successor_instances_under_way", Math.max(0, next - 1 - acknowledged), sizes.length, Slack.NONE);
        occupancy.holds(
                "successor_bytes_under_way", bytesUnderWay, ChainSettings.SUCCESSOR_WINDOW_BYTES, Slack.ONE_VALUE);
    }

    private int slot(long instance) {
        return (int) (instance % sizes.length);
    }
}
