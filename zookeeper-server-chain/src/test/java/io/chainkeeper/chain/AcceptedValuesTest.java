package io.chainkeeper.chain;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.chain.AcceptedValues.Accepted;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.acceptor.Ballot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.Test;

/** The values in memory: consecutive, bounded, and nothing dropped that is still needed. */
public final class AcceptedValuesTest {
    private static final Ballot BALLOT = new Ballot(1, 1);

    private final AcceptedValues values = new AcceptedValues(settings(1));

    private static ChainSettings settings(int windowInstances) {
        return new ChainSettings(Map.of("chain.windowInstances", String.valueOf(windowInstances)), 3, 50);
    }

    private static Accepted value(int bytes, long logSequence) {
        byte[] array = new byte[bytes];
        Arrays.fill(array, (byte) logSequence);
        return new Accepted(BALLOT, ByteSlice.of(array), logSequence);
    }

    @Test
    public void empty_beginsAtOne() {
        assertEquals(1, values.first());
        assertEquals(0, values.last());
        assertFalse(values.contains(1));
        assertEquals(List.of(), values.entriesFrom(1));
    }

    @Test
    public void putWithGapOrBelow_isAnInvariant() {
        values.clear(5);
        values.put(5, value(1, 1));
        assertThrows(InvariantViolated.class, () -> values.put(7, value(1, 1)));
        assertThrows(InvariantViolated.class, () -> values.put(4, value(1, 1)));
        assertThrows(InvariantViolated.class, () -> values.get(6));
    }

    @Test
    public void putAgain_replacesAndCountsBytesOnce() {
        values.put(1, value(10, 1));
        values.put(1, value(3, 2));
        assertEquals(3, values.bytes());
        assertEquals(2, values.get(1).logSequence());
    }

    @Test
    public void entries_areThoseFromTheInstanceOn() {
        for (int i = 1; i <= 5; i++) {
            values.put(i, value(i, i));
        }
        assertEquals(
                List.of(4L, 5L),
                values.entriesFrom(4).stream().map(e -> e.instance()).toList());
        assertEquals(5, values.entriesFrom(-3).size());
        assertEquals(List.of(), values.entriesFrom(6));
    }

    /** What is undecided, not durable, or among the last that candidates may lack is never dropped. */
    @Test
    public void trim_keepsWhatIsStillNeeded() {
        ChainSettings settings = settings(1);
        int tooMany = settings.maxInstancesInMemory() + 100;
        for (int i = 1; i <= tooMany; i++) {
            values.put(i, value(1, i));
        }
        values.trim(0, tooMany, settings);
        assertEquals("undecided", 1, values.first());
        values.trim(tooMany, 0, settings);
        assertEquals("not durable", 1, values.first());
        values.trim(50, tooMany, settings);
        assertEquals(50 - settings.minMemoryInstances() + 1, values.first());
        values.trim(tooMany, 60, settings);
        assertEquals("durable up to 60", 61, values.first());
        values.trim(tooMany, tooMany, settings);
        assertEquals(settings.maxInstancesInMemory(), values.last() - values.first() + 1);
        assertEquals(tooMany, values.last());
    }

    @Test
    public void trimByBytes_keepsTheLastInstances() {
        ChainSettings settings = settings(1);
        int each = (int) (settings.maxMemoryBytes() / 10);
        for (int i = 1; i <= 40; i++) {
            values.put(i, value(each, i));
        }
        values.trim(40, 40, settings);
        assertTrue(values.bytes() <= settings.maxMemoryBytes());
        for (int i = 41; i <= 60; i++) {
            values.put(i, value((int) settings.maxMemoryBytes() / 4, i));
        }
        values.trim(60, 60, settings);
        assertEquals("never fewer than a candidate may lack", settings.minMemoryInstances(), 60 - values.first() + 1);
    }

    @Test
    public void trimOfVeryLargeValues_keepsTheLastDecidedAndWhatIsUndecided() {
        ChainSettings settings = settings(1);
        for (int i = 1; i <= 4; i++) {
            values.put(i, value((int) settings.maxLargeMemoryBytes() * 2 / 3, i));
        }
        values.trim(3, 4, settings);
        assertEquals(3, values.first());
        values.trim(4, 4, settings);
        assertEquals(4, values.first());
        values.trim(4, 4, settings);
        assertEquals(4, values.last());
    }

    /** What a window's successors are fed is the array that came; what only laggards ask for is a copy of its own. */
    @Test
    public void decidedDurableValuesOlderThanAWindow_letGoOfTheirArrays() {
        ChainSettings settings = settings(2);
        List<Accepted> put = new ArrayList<>();
        for (int i = 1; i <= 6; i++) {
            put.add(value(100, i));
            values.put(i, put.get(i - 1));
        }
        values.trim(5, 2, settings);
        assertEquals(List.of(3L, 4L, 5L, 6L), withTheirArrays(put));
        values.trim(5, 6, settings);
        assertEquals(List.of(4L, 5L, 6L), withTheirArrays(put));
        for (int i = 1; i <= 6; i++) {
            assertEquals(put.get(i - 1), values.get(i));
        }
        Accepted again = value(50, 7);
        values.put(2, again);
        values.trim(6, 7, settings);
        assertEquals(again, values.get(2));
        assertEquals(put.get(2), values.get(3));
        assertEquals(550, values.bytes());
    }

    private List<Long> withTheirArrays(List<Accepted> put) {
        return LongStream.rangeClosed(1, put.size())
                .filter(i -> values.get(i).value().array()
                        == put.get((int) i - 1).value().array())
                .boxed()
                .toList();
    }

    /** Against a map, over growth, wrap-around, overwriting, trimming and clearing. */
    @Test
    public void randomUse_equalsASortedMap() {
        Random random = new Random(5);
        ChainSettings settings = settings(1);
        TreeMap<Long, Accepted> model = new TreeMap<>();
        long sequence = 0;
        for (int step = 0; step < 15_000; step++) {
            int choice = random.nextInt(1_000);
            if (choice == 0) {
                values.clear(values.last() + 1 + random.nextInt(3));
                model.clear();
            } else if (choice < 20) {
                values.trim(values.last() - random.nextInt(20), sequence - random.nextInt(20), settings);
                model.headMap(values.first()).clear();
            } else if (choice < 200 && !model.isEmpty()) {
                long instance = model.firstKey() + random.nextInt(model.size());
                Accepted next = value(random.nextInt(9), ++sequence);
                values.put(instance, next);
                model.put(instance, next);
            } else {
                Accepted next = value(random.nextInt(100_000), ++sequence);
                model.put(values.last() + 1, next);
                values.put(values.last() + 1, next);
            }
            if (!model.isEmpty()) {
                assertEquals((long) model.firstKey(), values.first());
                assertEquals((long) model.lastKey(), values.last());
                long probe = model.firstKey() + random.nextInt(model.size());
                assertEquals(model.get(probe), values.get(probe));
            }
            if (step % 500 == 0) {
                assertEquals(
                        model.values().stream()
                                .mapToLong(a -> a.value().length())
                                .sum(),
                        values.bytes());
            }
        }
    }
}
