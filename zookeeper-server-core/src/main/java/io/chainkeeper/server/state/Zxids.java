package io.chainkeeper.server.state;

/** Arithmetic of transaction ids: a counter in the low 32 bits below an epoch, as ZooKeeper's files have them. */
public final class Zxids {
    private static final long COUNTER_MASK = 0xffffffffL;

    /** Never used, because ZooKeeper ends an epoch before it. */
    private static final long LAST_COUNTER = COUNTER_MASK - 1;

    private Zxids() {}

    /**
     * The zxid after another; they are dense. When the counter is used up the next epoch begins.
     *
     * @param zxid a zxid, 0 for none yet
     * @return the next
     */
    public static long next(long zxid) {
        return (zxid & COUNTER_MASK) < LAST_COUNTER ? zxid + 1 : (epoch(zxid) + 1) << 32 | 1;
    }

    /**
     * @param zxid a zxid
     * @return its epoch
     */
    public static long epoch(long zxid) {
        return zxid >>> 32;
    }

    /**
     * @param zxid a zxid
     * @return as ZooKeeper prints it
     */
    public static String text(long zxid) {
        return "0x" + Long.toHexString(zxid);
    }
}
