package io.chainkeeper.server.guard;

import io.chainkeeper.server.background.Background;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches how much of the heap lives. While it is more than the reserve leaves, this replica's clients may not make the
 * tree grow: a heap that is full ends the process, and with it everything else that the server does. What lives is what
 * the last collections have left, and what the tree has grown by since; garbage does not count.
 */
public final class HeapGuard implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HeapGuard.class);
    private static final long PERIOD_MILLIS = 500;
    private static final int PERCENT = 100;

    /** Nothing that a znode needs beside its path and data is smaller. */
    private static final int NODE_BYTES = 200;

    /** How long at least until the whole heap is collected again while writes are refused. */
    private static final int PERIODS_BETWEEN_COLLECTIONS = 20;

    /** And how long at most: ten minutes. */
    private static final int MOST_PERIODS_BETWEEN_COLLECTIONS = 1200;

    private final int reservePercent;
    private final Heap heap;
    private final Tree tree;
    private final AtomicLong refused = new AtomicLong();
    private volatile boolean low;
    private volatile long liveBytes;
    private Sample measured;
    private long treeBytesThen;
    private long leastTreeBytes;
    private int periodsSinceCollection;
    private int periodsToCollection;
    private Background background;

    /**
     * What collections have left.
     *
     * @param bytes in all parts of the heap
     * @param oldBytes in the part that is collected last; it changes when that part was collected
     */
    record Sample(long bytes, long oldBytes) {}

    /** The heap of a process. */
    interface Heap {
        /** How much it may hold. */
        long maxBytes();

        Sample afterCollections();

        /** Collects all of it, and waits for that. */
        void collect();
    }

    /** What a server's tree holds; asked often. */
    public interface Tree {
        /** @return number of znodes */
        long nodes();

        /** @return bytes of their paths and data */
        long bytes();
    }

    /** That of this process. */
    private static final class OwnHeap implements Heap {
        @Override
        public long maxBytes() {
            return Runtime.getRuntime().maxMemory();
        }

        @Override
        public Sample afterCollections() {
            long bytes = 0;
            long oldBytes = 0;
            for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
                MemoryUsage usage = pool.getType() == MemoryType.HEAP ? pool.getCollectionUsage() : null;
                if (usage != null) {
                    bytes += usage.getUsed();
                    // Parts that every collection empties offer no threshold.
                    oldBytes += pool.isUsageThresholdSupported() ? usage.getUsed() : 0;
                }
            }
            return new Sample(bytes, oldBytes);
        }

        @Override
        public void collect() {
            ManagementFactory.getMemoryMXBean().gc();
        }
    }

    /**
     * A guard of this process' heap; {@link #start} begins to measure.
     *
     * @param reservePercent {@code ordering.heapReservePercent}; 0 refuses nothing
     * @param tree the server's
     */
    public HeapGuard(int reservePercent, Tree tree) {
        this(reservePercent, tree, new OwnHeap());
    }

    HeapGuard(int reservePercent, Tree tree, Heap heap) {
        this.reservePercent = reservePercent;
        this.tree = tree;
        this.heap = heap;
        this.measured = heap.afterCollections();
        this.treeBytesThen = measured.oldBytes() == 0 ? 0 : treeBytes();
        this.liveBytes = measured.bytes();
    }

    /**
     * Begins to measure twice a second, unless nothing is ever refused.
     *
     * @param measuring does it
     */
    public void start(Background measuring) {
        if (reservePercent > 0) {
            background = measuring;
            measuring.everyMillis(PERIOD_MILLIS, this::measure);
        }
    }

    /**
     * Asks for a client's write that makes the tree grow; any thread.
     *
     * @return whether it may be ordered
     */
    public boolean admits() {
        if (low) {
            refused.incrementAndGet();
        }
        return !low;
    }

    private long treeBytes() {
        return tree.bytes() + NODE_BYTES * tree.nodes();
    }

    /** Called every period; by one thread at a time. */
    void measure() {
        long treeBytes = treeBytes();
        Sample now = heap.afterCollections();
        if (now.oldBytes() != measured.oldBytes()) {
            treeBytesThen = treeBytes;
        }
        measured = now;
        liveBytes = now.bytes() + Math.max(0, treeBytes - treeBytesThen);
        judge(treeBytes);
        collectIfWorthIt(treeBytes);
    }

    private void judge(long treeBytes) {
        long most = share(PERCENT - reservePercent);
        // Opening a little later than closing keeps a heap at the brink from switching all the time.
        long fewEnough = share(PERCENT - reservePercent - Math.max(1, reservePercent / 4));
        if (!low && reservePercent > 0 && liveBytes > most) {
            low = true;
            leastTreeBytes = treeBytes;
            periodsSinceCollection = 0;
            periodsToCollection = PERIODS_BETWEEN_COLLECTIONS;
            LOG.warn(
                    "Refusing client writes that make the tree grow: {} of the heap's {} bytes live, and {} % are the"
                            + " reserve (ordering.heapReservePercent). Reads, deletes and sessions go on. Delete znodes"
                            + " or give the server more heap (ZK_SERVER_HEAP); writes are accepted again from {} bytes"
                            + " down",
                    liveBytes, heap.maxBytes(), reservePercent, fewEnough);
        } else if (low && liveBytes <= fewEnough) {
            low = false;
            LOG.warn("Accepting client writes again: {} of the heap's {} bytes live", liveBytes, heap.maxBytes());
        }
    }

    /**
     * What was deleted, and requests that were under way, live on until somebody collects them; where nobody writes
     * that may be never. A collection of the whole heap stops everything: it comes more and more seldom unless the
     * tree shrinks.
     */
    private void collectIfWorthIt(long treeBytes) {
        if (!low) {
            return;
        }
        periodsSinceCollection++;
        boolean hasShrunk = treeBytes < leastTreeBytes && periodsSinceCollection >= PERIODS_BETWEEN_COLLECTIONS;
        if (hasShrunk || periodsSinceCollection >= periodsToCollection) {
            periodsToCollection = hasShrunk
                    ? PERIODS_BETWEEN_COLLECTIONS
                    : Math.min(MOST_PERIODS_BETWEEN_COLLECTIONS, 2 * periodsToCollection);
            leastTreeBytes = Math.min(leastTreeBytes, treeBytes);
            periodsSinceCollection = 0;
            heap.collect();
        }
    }

    private long share(int percent) {
        return heap.maxBytes() / PERCENT * percent;
    }

    /** @return whether clients' writes that make the tree grow are refused; any thread */
    public boolean isLow() {
        return low;
    }

    /** Numbers for monitoring, without the prefix. */
    public Map<String, LongSupplier> gauges() {
        return Map.of(
                "heap_low",
                () -> low ? 1 : 0,
                "heap_live_bytes",
                () -> liveBytes,
                "heap_max_bytes",
                heap::maxBytes,
                "heap_writes_refused",
                refused::get);
    }

    @Override
    public void close() {
        if (background != null) {
            background.close();
        }
    }
}
