package io.chainkeeper.ordering.prefix;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;

import io.chainkeeper.ordering.BatchCodec;
import io.chainkeeper.ordering.PrefixHash;
import org.junit.Test;

/** The last hashes are kept, as many as the bound says, and nothing is said of others. */
public final class PrefixHashesTest {
    private final PrefixHashes hashes = new PrefixHashes();

    @Test
    public void lastPositions_areKeptUpToTheBound() {
        long[] expected = new long[2 * PrefixHashes.MAX_POSITIONS + 1];
        expected[0] = PrefixHash.EMPTY;
        for (int i = 1; i < expected.length; i++) {
            expected[i] = PrefixHash.next(expected[i - 1], i, BatchCodec.NO_OP);
            assertEquals(expected[i], hashes.append(BatchCodec.NO_OP));
            assertEquals("the first of " + i, expected[Math.max(0, i + 1 - PrefixHashes.MAX_POSITIONS)], firstKept(i));
        }
        for (int i = PrefixHashes.MAX_POSITIONS + 1; i < expected.length; i++) {
            assertEquals(expected[i], hashes.at(i));
        }
        assertEquals(PrefixHash.UNKNOWN, hashes.at(PrefixHashes.MAX_POSITIONS));
        assertEquals(PrefixHash.UNKNOWN, hashes.at(expected.length));
    }

    private long firstKept(int last) {
        return hashes.at(Math.max(0, last + 1L - PrefixHashes.MAX_POSITIONS));
    }

    @Test
    public void upTo_fallsBackToAllThatIsDecided() {
        hashes.begin(10, 77);
        long next = hashes.append(BatchCodec.NO_OP);
        assertEquals(new Prefix(10, 77), hashes.upTo(10));
        assertEquals(new Prefix(11, next), hashes.upTo(9));
        assertEquals(new Prefix(11, next), hashes.upTo(12));
    }

    @Test
    public void beginningWithoutAHash_knowsNoneEver() {
        hashes.begin(10, PrefixHash.UNKNOWN);
        hashes.append(BatchCodec.NO_OP);
        assertFalse(hashes.latest().isKnown());
        hashes.begin(0, PrefixHash.UNKNOWN);
        assertEquals("an empty prefix has one", new Prefix(0, PrefixHash.EMPTY), hashes.latest());
    }
}
