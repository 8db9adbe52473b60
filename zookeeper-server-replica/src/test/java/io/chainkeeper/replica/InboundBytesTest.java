package io.chainkeeper.replica;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.transport.PeerTransport;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

/** Which links are read: a peer that sends faster than the host takes is held back, and read on later. */
public final class InboundBytesTest {
    private static final ReplicaLimits LIMITS = new ReplicaLimits(1_000, 1_000, 1_000, 1_000, 10, 1_000, 10, 50);

    private final InboundBytes inbound = new InboundBytes(LIMITS);
    private final List<Integer> resumed = new ArrayList<>();
    private final PeerTransport transport = (PeerTransport) Proxy.newProxyInstance(
            PeerTransport.class.getClassLoader(), new Class<?>[] {PeerTransport.class}, (proxy, method, arguments) -> {
                assertEquals("resumeReading", method.getName());
                resumed.add((Integer) arguments[0]);
                return null;
            });

    @Test
    public void withinTheBound_isReadOn() {
        assertTrue(inbound.arrived(1, 1_000, 0));
        assertFalse(inbound.somePaused());
    }

    @Test
    public void overTheBound_pausesThatPeerUntilHalfIsTaken() {
        assertTrue(inbound.arrived(1, 900, 0));
        assertFalse(inbound.arrived(1, 200, 0));
        assertTrue("another peer goes on", inbound.arrived(2, 900, 0));
        inbound.dequeued(1, 500);
        inbound.resumeWhereDrained(transport, 0);
        assertEquals(List.of(), resumed);
        inbound.dequeued(1, 200);
        inbound.resumeWhereDrained(transport, 0);
        assertEquals(List.of(1), resumed);
        assertFalse(inbound.somePaused());
        inbound.resumeWhereDrained(transport, 0);
        assertEquals("once", List.of(1), resumed);
    }

    @Test
    public void applyThreadIsBehind_pausesAllUntilItHasCaughtUpHalf() {
        assertFalse(inbound.arrived(1, 10, 1_001));
        assertFalse(inbound.arrived(2, 10, 1_001));
        inbound.dequeued(1, 10);
        inbound.dequeued(2, 10);
        inbound.resumeWhereDrained(transport, 501);
        assertEquals(List.of(), resumed);
        inbound.resumeWhereDrained(transport, 500);
        assertEquals(List.of(1, 2), resumed);
    }
}
