package io.chainkeeper.server.guard;

import io.chainkeeper.server.background.Background;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * What keeps a replica from running out of disk, heap and watches, and an order out of space. Asked at the replica
 * whose client wants something, before anything is ordered, and never by execution: what has been ordered is executed
 * everywhere.
 *
 * @param disk of clients' writes
 * @param heap of clients' writes that make the tree grow
 * @param watches of what sets watches
 * @param order of clients' writes but changes of the ensemble
 */
public record ResourceGuards(DiskSpaceGuard disk, HeapGuard heap, WatchLimit watches, OrderSpaceGuard order)
        implements AutoCloseable {
    /** @param measuring looks at what is left, again and again */
    public void start(Background measuring) {
        disk.start(measuring, order::look);
        heap.start(measuring);
    }

    /** @return why clients' writes are refused now, one line; null if they are not. Any thread */
    public String refusalOfWrites() {
        if (disk.isLow()) {
            return "the disk reserve is used up (ordering.diskReserveBytes)";
        }
        if (order.refusal() != null) {
            return order.refusal();
        }
        return heap.isLow() ? "the heap reserve is used up (ordering.heapReservePercent)" : null;
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
