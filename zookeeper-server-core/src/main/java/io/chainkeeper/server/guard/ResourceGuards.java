package io.chainkeeper.server.guard;

import io.chainkeeper.server.background.Background;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * What keeps a replica from running out of disk, heap and watches, an order out of space, and a transaction log from
 * what some server cannot read back. Asked at the replica whose client wants something, before anything is ordered, and
 * never by execution: what has been ordered is executed everywhere.
 *
 * @param disk of clients' writes
 * @param heap of clients' writes that make the tree grow
 * @param watches of what sets watches
 * @param order of clients' writes but changes of the ensemble
 * @param transactions of the length of clients' writes
 */
public record ResourceGuards(
        DiskSpaceGuard disk, HeapGuard heap, WatchLimit watches, OrderSpaceGuard order, TransactionSize transactions)
        implements AutoCloseable {
    private static final String HEAP_USED_UP = "the heap reserve is used up (ordering.heapReservePercent);"
            + " delete znodes or give the server more heap (ZK_SERVER_HEAP)";

    /** @param measuring looks at what is left, again and again */
    public void start(Background measuring) {
        disk.start(measuring, order::look);
        heap.start(measuring);
    }

    /** @return why clients' writes are refused now, and what to do, one line; null if they are not. Any thread */
    public String refusalOfWrites() {
        if (disk.isLow()) {
            return disk.usedUp();
        }
        if (order.refusal() != null) {
            return order.refusal();
        }
        return heap.isLow() ? HEAP_USED_UP : null;
    }

    /**
     * Asks for a write, whatever it does to the tree; any thread.
     *
     * @param bytes size of its request
     * @return why it may not be ordered now, and what to do, one line; null if it may
     */
    public String refusalOfWrite(long bytes) {
        return disk.admits(bytes) ? refusalOfWrites() : disk.usedUp();
    }

    /** Numbers for monitoring, without the prefix. */
    public Map<String, LongSupplier> gauges() {
        Map<String, LongSupplier> all = new TreeMap<>(disk.gauges());
        all.putAll(heap.gauges());
        all.putAll(watches.gauges());
        return all;
    }

    @Override
    public void close() {
        disk.close();
        heap.close();
    }
}
