package io.chainkeeper.log;

import static org.junit.Assert.assertEquals;

import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.Test;

/** The index against a sorted map. */
public class PositionIndexTest {
    @Test
    public void randomOperations_agreeWithASortedMap() {
        for (int seed = 0; seed < 20; seed++) {
            Random random = new Random(seed);
            PositionIndex index = new PositionIndex();
            TreeMap<Long, Integer> model = new TreeMap<>();
            for (int step = 0; step < 3000; step++) {
                long position = 1 + (random.nextInt(50) == 0 ? random.nextLong() >>> 2 : random.nextInt(5000));
                if (random.nextInt(40) == 0) {
                    index.removeBelow(position);
                    model.headMap(position, false).clear();
                } else {
                    int offset = 1 + random.nextInt(Integer.MAX_VALUE - 1);
                    index.put(position, step + 1, offset, offset / 2);
                    model.put(position, offset);
                }
                long probe = 1 + random.nextInt(5000);
                check(index, model, probe);
            }
        }
    }

    private static void check(PositionIndex index, TreeMap<Long, Integer> model, long probe) {
        assertEquals(model.isEmpty() ? 0 : model.firstKey(), index.first());
        assertEquals(model.isEmpty() ? 0 : model.lastKey(), index.last());
        Map.Entry<Long, Integer> ceiling = model.ceilingEntry(probe);
        assertEquals(ceiling == null ? 0 : ceiling.getKey(), index.ceiling(probe));
        Integer offset = model.get(probe);
        assertEquals(offset == null ? 0 : offset, PositionIndex.offset(index.location(probe)));
        assertEquals(offset == null ? 0 : offset / 2, index.length(probe));
    }
}
