package io.chainkeeper.simulation.checker;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;

import io.chainkeeper.simulation.checker.Operation.Kind;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.Test;

public class HistoryTest {
    private final AtomicLong clock = new AtomicLong();
    private final History history = new History(clock::incrementAndGet);

    @Test
    public void answered_hasBothTimes() {
        History.Invocation read = history.invoke(5, Kind.READ, "/k", null);
        read.returned("answer");
        assertEquals(List.of(new Operation(5, 1, 2, Kind.READ, "/k", null, "answer")), history.operations());
    }

    @Test
    public void neverAnswered_isUnknown() {
        history.invoke(5, Kind.WRITE, "/k", "a");
        history.invoke(6, Kind.WRITE, "/k", "b").unknown();
        history.operations().forEach(operation -> assertFalse(operation.isFinished()));
        assertEquals(2, history.operations().size());
    }

    @Test
    public void certainlyWithoutEffect_isForgotten() {
        history.invoke(5, Kind.WRITE, "/k", "a").withoutEffect();
        assertEquals(List.of(), history.operations());
    }

    @Test
    public void secondOutcome_isRefused() {
        History.Invocation write = history.invoke(5, Kind.WRITE, "/k", "a");
        write.unknown();
        assertThrows(IllegalStateException.class, () -> write.returned("late"));
    }
}
