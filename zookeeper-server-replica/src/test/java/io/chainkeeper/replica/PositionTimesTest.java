package io.chainkeeper.replica;

import static io.chainkeeper.replica.StageTimes.UNKNOWN;
import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class PositionTimesTest {
    private final PositionTimes times = new PositionTimes();

    @Test
    public void stages_areRememberedEachByItself() {
        times.accepted(7, 20, 100);
        times.accepted(8, 21, 110);
        assertEquals(new StageTimes(100, UNKNOWN, UNKNOWN, UNKNOWN), times.of(7));
        times.durable(20, 200);
        times.delivered(7, 300);
        times.begun(7, 400);
        assertEquals(new StageTimes(100, 200, 300, 400), times.of(7));
        assertEquals(new StageTimes(110, UNKNOWN, UNKNOWN, UNKNOWN), times.of(8));
    }

    /** A majority of the others is enough, so the own disk may be the last. */
    @Test
    public void deliveredBeforeItIsDurable_bothAreKnown() {
        times.accepted(1, 1, 10);
        times.delivered(1, 20);
        times.begun(1, 30);
        times.durable(5, 40);
        assertEquals(new StageTimes(10, 40, 20, 30), times.of(1));
    }

    @Test
    public void acceptedAgain_theFirstTimeCounts() {
        times.accepted(1, 1, 10);
        times.durable(1, 20);
        times.accepted(1, 2, 30);
        times.durable(2, 40);
        assertEquals(new StageTimes(10, 20, UNKNOWN, UNKNOWN), times.of(1));
    }

    @Test
    public void laterPosition_takesThePlaceOfAnEarlierOneForGood() {
        long later = 1 + PositionTimes.KEPT;
        times.accepted(1, 1, 10);
        times.accepted(later, 2, 20);
        times.durable(2, 30);
        times.delivered(1, 40);
        assertEquals(StageTimes.NONE, times.of(1));
        assertEquals(new StageTimes(20, 30, UNKNOWN, UNKNOWN), times.of(later));
    }

    @Test
    public void moreRecordsWaitForTheLogThanAreRemembered_theOldestAreForgotten() {
        for (int position = 1; position <= PositionTimes.KEPT + 10; position++) {
            times.accepted(position, position, position);
        }
        times.durable(PositionTimes.KEPT + 10, 9_999);
        assertEquals(9_999, times.of(11).durable());
        assertEquals(9_999, times.of(PositionTimes.KEPT + 10).durable());
        assertEquals(StageTimes.NONE, times.of(10));
    }
}
