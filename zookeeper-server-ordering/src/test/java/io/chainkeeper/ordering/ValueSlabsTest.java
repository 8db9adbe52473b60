package io.chainkeeper.ordering;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotSame;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.ValueSlabs.Kept;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.Test;

/** Values in slabs are what they were when they came, until they are let go; and there are never too many slabs. */
public final class ValueSlabsTest {
    private static final int SLAB_BYTES = 16;

    private final ValueSlabs slabs = new ValueSlabs(4 * SLAB_BYTES, SLAB_BYTES);

    private static ByteSlice bytes(int length, int fill) {
        byte[] array = new byte[length + 3];
        for (int i = 0; i < length; i++) {
            array[2 + i] = (byte) (fill + i);
        }
        return ByteSlice.of(array, 2, length);
    }

    private Kept keep(ByteSlice value) {
        return slabs.keep(ValueSlabs.own(value));
    }

    @Test
    public void whatIsKept_isACopy_overBordersOfSlabs() {
        ByteSlice value = bytes(40, 5);
        Kept kept = keep(value);
        value.array()[2] = 99;
        assertEquals(40, kept.length());
        assertEquals(bytes(40, 5), kept.value());
        kept.value().array()[0] = 99;
        assertEquals("a reader's copy is its own", bytes(40, 5), kept.value());
    }

    @Test
    public void copyOfAReader_staysWhenItsPlaceIsUsedAgain() {
        Kept first = keep(bytes(60, 1));
        ByteSlice copy = first.value();
        slabs.release(first);
        keep(bytes(60, 100));
        assertEquals(bytes(60, 1), copy);
        assertThrows(InvariantViolated.class, first::value);
    }

    @Test
    public void whatFitsIsTheBound_andTheRestKeepsItsArray() {
        Kept first = keep(bytes(10, 1));
        Kept most = keep(bytes(4 * SLAB_BYTES, 2));
        Kept rest = ValueSlabs.own(bytes(10, 3));
        assertEquals(bytes(4 * SLAB_BYTES, 2), most.value());
        assertSame(rest, slabs.keep(rest));
        slabs.release(first);
        assertSame("no whole slab is free", rest, slabs.keep(rest));
        slabs.release(rest);
        slabs.release(most);
        assertNotSame(rest, slabs.keep(rest));
        assertEquals(bytes(10, 3), rest.value());
    }

    @Test
    public void valueLargerThanAll_keepsItsArray() {
        Kept large = ValueSlabs.own(bytes(6 * SLAB_BYTES, 1));
        assertSame(large, slabs.keep(large));
        assertEquals("nothing is made for it", 0, slabs.madeBytes());
        Kept empty = ValueSlabs.own(ByteSlice.EMPTY);
        assertSame(empty, slabs.keep(empty));
    }

    @Test
    public void slabsAreMadeWhenNeeded_andUsedAgain() {
        assertEquals(0, slabs.madeBytes());
        for (int i = 0; i < 100; i++) {
            Kept kept = keep(bytes(SLAB_BYTES, i));
            assertEquals(bytes(SLAB_BYTES, i), kept.value());
            slabs.release(kept);
        }
        assertEquals(SLAB_BYTES, slabs.madeBytes());
    }

    @Test
    public void release_letsGoOfWhatCameBefore() {
        Kept first = keep(bytes(20, 1));
        Kept second = keep(bytes(20, 2));
        Kept third = keep(bytes(20, 3));
        slabs.release(second);
        assertThrows(InvariantViolated.class, first::value);
        assertEquals(bytes(20, 3), third.value());
        slabs.release(first);
        assertEquals("late, and without effect", bytes(20, 3), third.value());
    }

    @Test
    public void whatIsKeptIsNotKeptTwice_norLetGoElsewhere() {
        Kept kept = keep(bytes(5, 1));
        assertThrows(InvariantViolated.class, () -> slabs.keep(kept));
        assertThrows(InvariantViolated.class, () -> new ValueSlabs(64).release(kept));
    }

    @Test
    public void randomUse_equalsAQueue() {
        for (int seed = 0; seed < 200; seed++) {
            randomUse(new Random(seed));
        }
    }

    private record Pair(Kept kept, ByteSlice expected) {}

    private static void randomUse(Random random) {
        int slabBytes = 1 + random.nextInt(20);
        long maxBytes = 1 + random.nextInt(200);
        ValueSlabs tested = new ValueSlabs(maxBytes, slabBytes);
        ArrayDeque<Pair> model = new ArrayDeque<>();
        List<Pair> copies = new ArrayList<>();
        long inSlabs = 0;
        for (int step = 0; step < 500; step++) {
            int choice = random.nextInt(100);
            if (choice == 0) {
                tested.clear();
                model.clear();
                inSlabs = 0;
            } else if (choice < 45 && !model.isEmpty()) {
                for (int i = random.nextInt(1 + Math.min(3, model.size())); i >= 0 && !model.isEmpty(); i--) {
                    Pair oldest = model.remove();
                    tested.release(oldest.kept);
                    inSlabs -= oldest.expected.length();
                }
            } else {
                ByteSlice value = bytes(random.nextInt(random.nextInt(20) == 0 ? 300 : 30), step);
                Kept own = ValueSlabs.own(value);
                Kept kept = tested.keep(own);
                boolean fits = inSlabs + value.length() <= maxBytes;
                assertTrue("what fits is taken", !fits || kept != own || value.length() == 0);
                if (kept != own) {
                    model.add(new Pair(kept, ByteSlice.of(value.toByteArray())));
                    inSlabs += value.length();
                }
            }
            for (Pair pair : model) {
                assertEquals(pair.expected, pair.kept.value());
            }
            if (!model.isEmpty() && copies.size() < 50) {
                copies.add(new Pair(ValueSlabs.own(model.peek().kept.value()), model.peek().expected));
            }
            assertTrue(tested.madeBytes() <= tested.maxMadeBytes());
        }
        for (Pair copy : copies) {
            assertEquals("copies are independent", copy.expected, copy.kept.value());
        }
    }
}
