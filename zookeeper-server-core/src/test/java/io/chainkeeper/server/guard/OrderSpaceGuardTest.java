package io.chainkeeper.server.guard;

import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertTrue;

import java.util.Map;
import org.junit.Test;

/** Refuses writes by what the order says, and by name. */
public class OrderSpaceGuardTest {
    private Map<String, Long> gauges = Map.of();

    @Test
    public void orderHasRoom_orSaysNothingOfIt_nothingIsRefused() {
        OrderSpaceGuard guard = new OrderSpaceGuard(() -> gauges);
        guard.look();
        assertNull(guard.refusal());
        gauges = Map.of("ring_low", 0L, "ring_held_by", 2L);
        guard.look();
        assertNull(guard.refusal());
    }

    @Test
    public void orderHasNoRoom_refusalNamesWhoHoldsItUp() {
        OrderSpaceGuard guard = new OrderSpaceGuard(() -> gauges);
        gauges = Map.of("ring_low", 1L, "ring_held_by", 2L);
        guard.look();
        assertTrue(guard.refusal(), guard.refusal().contains("server 2"));
        gauges = Map.of("ring_low", 0L, "ring_held_by", 0L);
        guard.look();
        assertNull(guard.refusal());
    }
}
