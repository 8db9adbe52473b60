package io.chainkeeper.server.tracing;

import static io.chainkeeper.replica.StageTimes.UNKNOWN;
import static org.junit.Assert.assertEquals;

import io.chainkeeper.replica.StageTimes;
import java.util.concurrent.TimeUnit;
import org.junit.Test;

public class StagesTest {
    private static final long BEGIN = -77;

    private static long at(long millis) {
        return BEGIN + TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private static Stages write(int proposed, int accepted, int durable, int ordered, int begun, int answered) {
        StageTimes order = new StageTimes(at(accepted), at(durable), at(ordered), at(begun));
        return Stages.ofWrite(at(0), at(proposed), order, at(answered));
    }

    @Test
    public void eachStage_isBlamedForWhatItTook() {
        assertEquals(Part.ROOM, write(900, 901, 902, 903, 904, 905).most());
        assertEquals(Part.LEADER, write(1, 901, 902, 903, 904, 905).most());
        assertEquals(Part.DISK, write(1, 2, 902, 903, 904, 905).most());
        assertEquals(Part.OTHERS, write(1, 2, 3, 903, 904, 905).most());
        assertEquals(Part.TURN, write(1, 2, 3, 4, 904, 905).most());
        assertEquals(Part.EXECUTION, write(1, 2, 3, 4, 5, 905).most());
    }

    @Test
    public void stages_areToldInMillisecondsSinceTheArrival() {
        Stages stages = write(1, 2, 902, 903, 904, 905);
        assertEquals(905, stages.totalMillis());
        assertEquals(
                "received 0, proposed 1, accepted 2, durable here 902, ordered 903, executed from 904, answered 905 ms",
                stages.toString());
    }

    /** The others were enough: the own disk has kept nobody waiting. */
    @Test
    public void durableBehindTheDecision_theOwnDiskIsNotBlamed() {
        assertEquals(Part.OTHERS, write(1, 2, 1_100, 1_000, 1_001, 1_101).most());
        StageTimes order = new StageTimes(at(2), UNKNOWN, at(1_000), at(1_001));
        assertEquals(Part.OTHERS, Stages.ofWrite(at(0), at(1), order, at(1_002)).most());
    }

    @Test
    public void nothingKnownOfThePosition_isNoError() {
        Stages stages = Stages.ofWrite(at(0), at(1), StageTimes.NONE, at(1_500));
        assertEquals(1_500, stages.totalMillis());
        assertEquals("received 0, proposed 1, answered 1500 ms", stages.toString());
    }

    @Test
    public void read_waitsForItsBarrierOrForItsTurn() {
        assertEquals(Part.BARRIER, Stages.ofRead(at(0), at(900), at(901)).most());
        assertEquals(Part.TURN, Stages.ofRead(at(0), at(1), at(901)).most());
        assertEquals(Part.EXECUTION, Stages.ofRead(at(0), UNKNOWN, at(901)).most());
        assertEquals(
                "received 0, barrier reached 900, answered 901 ms",
                Stages.ofRead(at(0), at(900), at(901)).toString());
    }
}
