package io.chainkeeper.benchmarks.relay;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.Test;

/** Bytes take exactly as long as was asked, in order, and so many at most; by a clock that the test moves. */
public final class DelayLineTest {
    private final DelayLine line = new DelayLine(1_000, 10);

    private static byte[] piece(int length) {
        byte[] piece = new byte[length];
        piece[0] = (byte) length;
        return piece;
    }

    @Test
    public void eachPiece_isDueWhenItsTimeHasPassedAndNotBefore() {
        assertEquals(Long.MAX_VALUE, line.nanosToNext(0));
        line.add(piece(1), 100);
        line.add(piece(2), 100);
        line.add(piece(3), 700);
        assertEquals(1, line.nanosToNext(1_099));
        assertEquals(0, line.nanosToNext(1_100));
        assertArrayEquals(piece(1), line.take());
        assertEquals("the same delay, not one after the other", 0, line.nanosToNext(1_100));
        assertArrayEquals(piece(2), line.take());
        assertEquals(600, line.nanosToNext(1_100));
        assertEquals(-300, line.nanosToNext(2_000));
        assertArrayEquals(piece(3), line.take());
        assertEquals(Long.MAX_VALUE, line.nanosToNext(2_000));
    }

    @Test
    public void fullLine_hasRoomWhenSomethingHasComeOut() {
        line.add(piece(9), 0);
        assertTrue(line.hasRoom());
        line.add(piece(5), 0);
        assertFalse(line.hasRoom());
        line.take();
        assertTrue(line.hasRoom());
    }

    @Test
    public void regions_areHalfOfTheMeanRoundTripApart() {
        assertEquals(TimeUnit.MILLISECONDS.toNanos(45), Region.VIRGINIA.oneWayNanos(Region.FRANKFURT));
        for (Region one : Region.values()) {
            assertEquals(0, one.oneWayNanos(one));
            assertEquals(one, Region.of(one.word()));
            for (Region other : Region.values()) {
                assertEquals(one.oneWayNanos(other), other.oneWayNanos(one));
            }
        }
    }
}
