package io.chainkeeper.simulation.host;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.ordering.Occupancy.Slack;
import java.util.Map;
import org.junit.Test;

public class BoundsCheckerTest {
    private final BoundsChecker checker = new BoundsChecker();

    @Test
    public void fullQueue_isWithinItsBound() {
        checker.holds("queue", 10, 10, Slack.NONE);
        assertThrows(InvariantViolated.class, () -> checker.holds("queue", 11, 10, Slack.NONE));
    }

    @Test
    public void oneCommand_mayPassABound_whateverItsSize() {
        checker.seen(Slack.ONE_COMMAND, 500);
        checker.seen(Slack.ONE_COMMAND, 20);
        checker.holds("bytes", 510, 10, Slack.ONE_COMMAND);
        assertThrows(InvariantViolated.class, () -> checker.holds("bytes", 511, 10, Slack.ONE_COMMAND));
        assertThrows(InvariantViolated.class, () -> checker.holds("bytes", 11, 10, Slack.ONE_VALUE));
    }

    @Test
    public void peak_isThatClosestToItsBound() {
        checker.holds("queue", 8, 10, Slack.NONE);
        checker.holds("queue", 9, 1_000, Slack.NONE);
        checker.holds("empty", 0, 0, Slack.NONE);
        assertEquals(
                Map.of("queue", new BoundsChecker.Peak(8, 10), "empty", new BoundsChecker.Peak(0, 0)), checker.peaks());
    }
}
