package io.chainkeeper.ordering.prefix;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.PrefixHash;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.Test;

/** Equal orders hash alike, whatever lies around the bytes; anything else does not. */
public final class PrefixHashTest {
    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new SplittableRandom(length).nextBytes(bytes);
        return bytes;
    }

    @Test
    public void sliceOfALargerArray_hashesLikeItsCopy() {
        byte[] bytes = random(1000);
        for (int length = 0; length <= 300; length++) {
            ByteSlice slice = ByteSlice.of(bytes, 13, length);
            assertEquals(PrefixHash.of(ByteSlice.of(slice.toByteArray())), PrefixHash.of(slice));
        }
    }

    @Test
    public void everyFlippedBit_changesTheHash() {
        for (int length : new int[] {1, 7, 8, 31, 32, 33, 200}) {
            byte[] bytes = random(length);
            Set<Long> seen = new TreeSet<>(List.of(PrefixHash.of(ByteSlice.of(bytes))));
            for (int bit = 0; bit < 8 * length; bit++) {
                bytes[bit / 8] ^= (byte) (1 << bit % 8);
                assertTrue("bit " + bit + " of " + length, seen.add(PrefixHash.of(ByteSlice.of(bytes))));
                bytes[bit / 8] ^= (byte) (1 << bit % 8);
            }
        }
    }

    /** Errors that cancel each other in weaker hashes: the same change twice, words exchanged, zeros at the end. */
    @Test
    public void relatedErrors_changeTheHash() {
        Set<Long> seen = new TreeSet<>();
        byte[] bytes = random(256);
        seen.add(PrefixHash.of(ByteSlice.of(bytes)));
        for (int one = 0; one < 256; one += 8) {
            for (int other = one + 8; other < 256; other += 8) {
                for (int bit : new int[] {0x01, 0x80}) {
                    byte[] twice = bytes.clone();
                    twice[one + 7] ^= (byte) bit;
                    twice[other + 7] ^= (byte) bit;
                    assertTrue(one + " and " + other, seen.add(PrefixHash.of(ByteSlice.of(twice))));
                }
                byte[] exchanged = bytes.clone();
                System.arraycopy(bytes, one, exchanged, other, 8);
                System.arraycopy(bytes, other, exchanged, one, 8);
                assertTrue(one + " for " + other, seen.add(PrefixHash.of(ByteSlice.of(exchanged))));
            }
        }
        for (int zeros = 0; zeros < 100; zeros++) {
            assertTrue(zeros + " zeros", seen.add(PrefixHash.of(ByteSlice.of(new byte[zeros]))));
        }
    }

    @Test
    public void sameValues_inAnotherOrderOrAtOtherPositions_hashOtherwise() {
        ByteSlice a = ByteSlice.of(new byte[] {1});
        ByteSlice b = BatchCodec.NO_OP;
        long ab = PrefixHash.next(PrefixHash.next(PrefixHash.EMPTY, 1, a), 2, b);
        long ba = PrefixHash.next(PrefixHash.next(PrefixHash.EMPTY, 1, b), 2, a);
        assertNotEquals(ab, ba);
        assertNotEquals(PrefixHash.next(PrefixHash.EMPTY, 1, a), PrefixHash.next(PrefixHash.EMPTY, 2, a));
        assertNotEquals("a no-op counts", PrefixHash.EMPTY, PrefixHash.next(PrefixHash.EMPTY, 1, b));
    }

    @Test
    public void membershipsAndNotes_areHashedAsTheirBytes() {
        Set<Long> seen = new TreeSet<>();
        assertTrue(seen.add(PrefixHash.of(BatchCodec.encode(Membership.initial(1, List.of(1, 2, 3))))));
        assertTrue(seen.add(PrefixHash.of(BatchCodec.encode(Membership.initial(1, List.of(1, 2))))));
        assertTrue(seen.add(PrefixHash.of(BatchCodec.encodeNote(ByteSlice.EMPTY))));
        assertTrue(seen.add(PrefixHash.of(BatchCodec.encodeNote(BatchCodec.NO_OP))));
        assertTrue(seen.add(PrefixHash.of(BatchCodec.NO_OP)));
    }

    @Test
    public void unknown_staysUnknown() {
        assertEquals(PrefixHash.UNKNOWN, PrefixHash.next(PrefixHash.UNKNOWN, 7, BatchCodec.NO_OP));
        assertEquals("unknown", PrefixHash.text(PrefixHash.UNKNOWN));
    }

    /** Stored and compared between releases and machines: it must never change. */
    @Test
    public void knownValues_hashAsEver() {
        assertEquals("fcd8233220aeea41", PrefixHash.text(PrefixHash.of(ByteSlice.EMPTY)));
        assertEquals("f3fe5b7e8f9f60ec", PrefixHash.text(PrefixHash.of(ByteSlice.of(new byte[43]))));
        assertEquals("256a90521e9ed6aa", PrefixHash.text(PrefixHash.next(PrefixHash.EMPTY, 1, BatchCodec.NO_OP)));
    }
}
