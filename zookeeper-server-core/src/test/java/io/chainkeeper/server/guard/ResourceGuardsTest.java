package io.chainkeeper.server.guard;

import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.server.guard.DiskSpaceGuard.Space;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.Test;

/** Says which guard refuses a write, and what to do. */
public class ResourceGuardsTest {
    private static final long MIB = 1 << 20;

    private long usableBytes = 1000 * MIB;
    private long liveBytes;
    private final DiskSpaceGuard disk = new DiskSpaceGuard(
            List.of(Path.of("data"), Path.of("log")),
            64 * MIB,
            3,
            directory -> new Space(directory.endsWith("log") ? usableBytes : 1000 * MIB, 10_000 * MIB));
    private final HeapGuard heap = new HeapGuard(
            20,
            new HeapGuard.Tree() {
                @Override
                public long nodes() {
                    return 0;
                }

                @Override
                public long bytes() {
                    return 0;
                }
            },
            new HeapGuard.Heap() {
                @Override
                public long maxBytes() {
                    return 1000;
                }

                @Override
                public HeapGuard.Sample afterCollections() {
                    return new HeapGuard.Sample(liveBytes, liveBytes);
                }

                @Override
                public void collect() {}
            });
    private Map<String, Long> ofOrder = Map.of();
    private final OrderSpaceGuard order = new OrderSpaceGuard(() -> ofOrder);
    private final ResourceGuards guards = new ResourceGuards(
            disk,
            heap,
            new WatchLimit(WatchLimit.NONE, () -> 0, () -> 0),
            order,
            new TransactionSize(() -> Long.MAX_VALUE));

    private void assertRefused(String... parts) {
        String refusal = guards.refusalOfWrite(100);
        for (String part : parts) {
            assertTrue(refusal, refusal.contains(part));
        }
    }

    @Test
    public void allHasRoom_nothingIsRefused() {
        assertNull(guards.refusalOfWrites());
        assertNull(guards.refusalOfWrite(100));
    }

    @Test
    public void diskReserveIsUsedUp_theDirectoryIsNamed() {
        usableBytes = 64 * MIB - 1;
        disk.measure();
        assertRefused("disk reserve of log", "ordering.diskReserveBytes", "free space");
        assertTrue(guards.refusalOfWrites().contains("disk reserve of log"));
    }

    @Test
    public void writeWouldUseUpTheReserve_itIsRefused() {
        usableBytes = 65 * MIB;
        disk.measure();
        assertNull(guards.refusalOfWrites());
        String refusal = guards.refusalOfWrite(MIB);
        assertTrue(refusal, refusal.contains("disk reserve of log"));
    }

    @Test
    public void ringsAreNearlyFull_theServerIsNamed() {
        ofOrder = Map.of("ring_low", 1L, "ring_held_by", 2L);
        order.look();
        assertRefused("server 2", "remove it with reconfig");
    }

    @Test
    public void heapReserveIsUsedUp_itSaysWhatHelps() {
        liveBytes = 801;
        heap.measure();
        assertRefused("heap reserve", "ordering.heapReservePercent", "ZK_SERVER_HEAP");
    }
}
