package io.chainkeeper.iss;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotSame;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ByteSlice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.Test;

/** Recent values: bounded, nothing dropped that is still needed, and old ones without the arrays that they came in. */
public final class RecentValuesTest {
    private final IssSettings settings = new IssSettings(Map.of("iss.maxPositionsInMemory", "50"), 3, 50);
    private final RecentValues recent = new RecentValues(settings);

    private static ByteSlice value(int bytes, long fill) {
        byte[] array = new byte[bytes];
        Arrays.fill(array, (byte) fill);
        return ByteSlice.of(array);
    }

    @Test
    public void deliveredDurableValues_letGoOfTheirArrays() {
        ByteSlice first = value(10, 1);
        ByteSlice second = value(20, 2);
        ByteSlice third = value(30, 3);
        recent.add(1, first, 5);
        recent.add(2, second, Long.MAX_VALUE);
        recent.add(3, third, 6);
        recent.trim(3, 6);
        assertNotSame(first.array(), recent.value(1).array());
        assertEquals(first, recent.value(1));
        assertSame("not recorded", second.array(), recent.value(2).array());
        assertSame(
                "behind one that is not recorded",
                third.array(),
                recent.value(3).array());
        recent.recorded(2, 7);
        recent.trim(2, 7);
        assertNotSame(second.array(), recent.value(2).array());
        assertSame("not delivered", third.array(), recent.value(3).array());
        assertEquals(List.of(first, second, third), recent.from(1, 60));
        assertEquals(List.of(second), recent.from(2, 1));
        assertEquals(60, recent.bytes());
    }

    @Test
    public void randomUse_equalsASortedMap() {
        Random random = new Random(7);
        TreeMap<Long, ByteSlice> model = new TreeMap<>();
        long position = 0;
        long delivered = 0;
        long durable = 0;
        for (int step = 0; step < 8_000; step++) {
            if (random.nextInt(3) > 0) {
                position += random.nextInt(500) == 0 ? 5 : 1;
                ByteSlice next = value(random.nextInt(random.nextInt(10) == 0 ? 3_000_000 : 3_000), position);
                recent.add(position, next, position);
                model.put(position, next);
            } else {
                delivered = Math.min(position, delivered + random.nextInt(8));
                durable = Math.min(position, durable + random.nextInt(8));
                recent.trim(delivered, durable);
                boolean few = recent.size() <= 50 && recent.bytes() <= settings.recentBytes();
                assertTrue(few || recent.firstOr(0) > Math.min(delivered, durable));
                model.headMap(recent.firstOr(position + 1)).clear();
            }
            assertEquals(model.size(), recent.size());
            if (!model.isEmpty()) {
                long probe = model.firstKey() + random.nextInt((int) (position - model.firstKey() + 1));
                assertEquals(model.containsKey(probe), recent.contains(probe));
                assertEquals(model.get(probe), recent.value(probe));
                assertEquals(consecutive(model, probe, 20_000), recent.from(probe, 20_000));
                assertEquals(
                        model.values().stream().mapToLong(ByteSlice::length).sum(), recent.bytes());
            }
        }
        assertFalse(recent.contains(1));
        assertNull(recent.value(1));
    }

    private static List<ByteSlice> consecutive(TreeMap<Long, ByteSlice> model, long from, long maxBytes) {
        List<ByteSlice> values = new ArrayList<>();
        long bytes = 0;
        for (long i = from; model.containsKey(i); i++) {
            bytes += model.get(i).length();
            if (!values.isEmpty() && bytes > maxBytes) {
                break;
            }
            values.add(model.get(i));
        }
        return values;
    }
}
