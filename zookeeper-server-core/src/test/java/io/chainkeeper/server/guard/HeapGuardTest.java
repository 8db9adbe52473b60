package io.chainkeeper.server.guard;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

/** Judges by what collections have left; a heap of a million bytes, a fifth of it reserve. */
public class HeapGuardTest {
    private long youngBytes;
    private long oldBytes;
    private long nodes;
    private long dataBytes;
    private int collections;
    private long oldBytesWhenCollected;

    private final HeapGuard.Heap heap = new HeapGuard.Heap() {
        @Override
        public long maxBytes() {
            return 1_000_000;
        }

        @Override
        public HeapGuard.Sample afterCollections() {
            return new HeapGuard.Sample(youngBytes + oldBytes, oldBytes);
        }

        @Override
        public void collect() {
            collections++;
            oldBytes = oldBytesWhenCollected;
        }
    };
    private final HeapGuard.Tree tree = new HeapGuard.Tree() {
        @Override
        public long nodes() {
            return nodes;
        }

        @Override
        public long bytes() {
            return dataBytes;
        }
    };
    private HeapGuard guard = new HeapGuard(20, tree, heap);

    private void measure(long old) {
        oldBytes = old;
        guard.measure();
    }

    private long gauge(String name) {
        return guard.gauges().get(name).getAsLong();
    }

    @Test
    public void moreLivesThanTheReserveLeaves_growthIsRefusedUntilAQuarterOfTheReserveIsFreeAgain() {
        measure(800_000);
        assertTrue(guard.admits());
        measure(800_001);
        assertFalse(guard.admits());
        assertEquals(1, gauge("heap_low"));
        assertEquals(800_001, gauge("heap_live_bytes"));
        measure(750_001);
        assertFalse(guard.admits());
        measure(750_000);
        assertTrue(guard.admits());
        assertEquals(2, gauge("heap_writes_refused"));
    }

    @Test
    public void survivorsOfCollections_countToo() {
        youngBytes = 100_000;
        measure(700_001);
        assertFalse(guard.admits());
    }

    @Test
    public void whatTheTreeHasGrownBySinceTheLastCollection_lives() {
        measure(700_000);
        dataBytes = 80_000;
        nodes = 100;
        guard.measure();
        assertTrue(guard.admits());
        nodes = 101;
        guard.measure();
        assertFalse(guard.admits());
        // the collection finds it in the heap
        measure(750_000);
        assertTrue(guard.admits());
    }

    @Test
    public void treeBeforeTheFirstCollection_lives() {
        dataBytes = 900_000;
        guard = new HeapGuard(20, tree, heap);
        guard.measure();
        assertFalse(guard.admits());
    }

    @Test
    public void reserveOfZero_refusesNothing() {
        guard = new HeapGuard(0, tree, heap);
        measure(999_999);
        assertTrue(guard.admits());
    }

    private void measureTimes(int count) {
        for (int i = 0; i < count; i++) {
            guard.measure();
        }
    }

    @Test
    public void whileRefusing_theHeapIsCollectedMoreAndMoreSeldom() {
        oldBytesWhenCollected = 890_000;
        measure(900_000);
        measureTimes(18);
        assertEquals(0, collections);
        guard.measure();
        assertEquals(1, collections);
        measureTimes(39);
        assertEquals(1, collections);
        guard.measure();
        assertEquals(2, collections);
        measureTimes(10_000);
        assertTrue("ten minutes apart at most", collections >= 2 + 10_000 / 1200 && collections < 20);
        oldBytesWhenCollected = 700_000;
        measureTimes(1201);
        assertTrue(guard.admits());
        int collected = collections;
        measureTimes(5_000);
        assertEquals("only while refusing", collected, collections);
    }

    @Test
    public void deletionsWhileRefusing_bringTheNextCollectionNearer() {
        dataBytes = 500_000;
        oldBytesWhenCollected = 890_000;
        measure(900_000);
        measureTimes(100);
        int collected = collections;
        dataBytes = 400_000;
        measureTimes(20);
        assertEquals(collected + 1, collections);
        oldBytesWhenCollected = 500_000;
        dataBytes = 300_000;
        measureTimes(20);
        assertEquals(collected + 2, collections);
        guard.measure();
        assertTrue(guard.admits());
    }
}
