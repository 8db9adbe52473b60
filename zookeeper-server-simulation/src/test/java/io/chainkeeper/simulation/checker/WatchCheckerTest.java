package io.chainkeeper.simulation.checker;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import io.chainkeeper.ordering.InvariantViolated;
import java.util.Map;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.junit.Test;

public class WatchCheckerTest {
    private final WatchChecker watches = new WatchChecker("client");

    @Test
    public void eventBeforeTheReadThatSeesTheChange_passes() {
        watches.replied(1);
        watches.dataSeen("/k", 1, true);
        watches.event(EventType.NodeDataChanged, "/k", 2);
        watches.replied(2);
        watches.dataSeen("/k", 2, false);
        assertEquals(1, watches.events());
    }

    @Test
    public void readSeesTheChangeFirst_isFound() {
        watches.dataSeen("/k", 1, true);
        assertThrows(InvariantViolated.class, () -> watches.dataSeen("/k", 2, false));
    }

    @Test
    public void eventAfterAReplyThatRestsOnIt_isFound() {
        watches.dataSeen("/k", 1, true);
        watches.replied(2);
        assertThrows(InvariantViolated.class, () -> watches.event(EventType.NodeDataChanged, "/k", 2));
    }

    @Test
    public void eventTwice_isFound() {
        watches.dataSeen("/k", 1, true);
        watches.event(EventType.NodeDeleted, "/k", 2);
        assertThrows(InvariantViolated.class, () -> watches.event(EventType.NodeCreated, "/k", 3));
    }

    @Test
    public void eventMissed_isFound() {
        watches.dataSeen("/k", WatchChecker.ABSENT, true);
        assertThrows(InvariantViolated.class, () -> watches.checkNoneMissed(Map.of("/k", 5L), Map.of()));
    }

    @Test
    public void zxidRunsBackwards_isFound() {
        watches.replied(5);
        assertThrows(InvariantViolated.class, () -> watches.replied(4));
    }
}
