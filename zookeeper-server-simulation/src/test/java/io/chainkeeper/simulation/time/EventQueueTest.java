package io.chainkeeper.simulation.time;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.Test;

/** Events happen when they are due, and those of one instant in the order they were planned in. */
public class EventQueueTest {
    private record Event(long atMicros, int number) {}

    @Test
    public void manyEventsPlannedAtAnyTime_happenInOrder() {
        SplittableRandom random = new SplittableRandom(1);
        EventQueue events = new EventQueue();
        List<Event> planned = new ArrayList<>();
        List<Event> happened = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            Event event = new Event(events.nowMicros() + random.nextInt(50), planned.size());
            planned.add(event);
            events.after(event.atMicros() - events.nowMicros(), () -> {
                assertEquals(event.atMicros(), events.nowMicros());
                happened.add(event);
            });
            if (random.nextInt(3) == 0) {
                events.step();
            }
        }
        int before = happened.size();
        while (events.step()) {
            // To the end.
        }
        assertEquals(planned.size(), events.steps());
        List<Event> rest = happened.subList(before, happened.size());
        List<Event> sorted = new ArrayList<>(rest);
        sorted.sort(Comparator.comparingLong(Event::atMicros).thenComparingInt(Event::number));
        assertEquals(sorted, rest);
        for (int i = 1; i < happened.size(); i++) {
            Event one = happened.get(i - 1);
            Event next = happened.get(i);
            boolean isInTurn = one.atMicros() < next.atMicros()
                    || one.atMicros() == next.atMicros() && one.number() < next.number();
            assertEquals(one + " before " + next, true, isInTurn);
        }
    }

    @Test
    public void nothingPlanned_nothingHappens() {
        assertFalse(new EventQueue().step());
    }
}
