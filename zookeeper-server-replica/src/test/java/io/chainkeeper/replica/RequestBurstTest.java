package io.chainkeeper.replica;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import org.junit.Test;

/** Requests that were read together wake the ordering thread once, behind the last of them, and never too late. */
public final class RequestBurstTest {
    private int wakeUps;
    private final Runnable wakeUp = () -> wakeUps++;

    private void propose(int times) {
        for (int i = 0; i < times; i++) {
            RequestBurst.wakeBehind(wakeUp);
        }
    }

    @Test
    public void outsideABurst_eachInputWakes() {
        propose(3);
        assertEquals(3, wakeUps);
    }

    @Test
    public void burst_wakesOnceBehindIt() {
        RequestBurst.read(() -> {
            propose(RequestBurst.MAX_HELD_INPUTS);
            assertEquals("in the burst", 0, wakeUps);
        });
        assertEquals(1, wakeUps);
        propose(1);
        assertEquals("afterwards", 2, wakeUps);
    }

    @Test
    public void longBurst_wakesMeanwhile() {
        RequestBurst.read(() -> {
            propose(RequestBurst.MAX_HELD_INPUTS + 1);
            assertEquals("in the burst", 1, wakeUps);
        });
        assertEquals(2, wakeUps);
    }

    @Test
    public void burstThatFails_wakes() {
        assertThrows(
                IllegalStateException.class,
                () -> RequestBurst.read(() -> {
                    propose(1);
                    throw new IllegalStateException("a request that cannot be read");
                }));
        assertEquals(1, wakeUps);
    }

    @Test
    public void burstOfNothing_wakesNobody() {
        RequestBurst.read(() -> {});
        assertEquals(0, wakeUps);
    }

    @Test
    public void twoOrders_eachIsWoken() {
        int[] otherWakeUps = new int[1];
        Runnable other = () -> otherWakeUps[0]++;
        RequestBurst.read(() -> {
            propose(2);
            RequestBurst.wakeBehind(other);
        });
        assertEquals(1, wakeUps);
        assertEquals(1, otherWakeUps[0]);
    }

    /** Else what it waits for would not be looked at before the next tick. */
    @Test
    public void noRoomInABurst_wakesBeforeItWaits() throws Exception {
        OutstandingBytes bytes = new OutstandingBytes(1);
        int[] wokenWhileWaiting = new int[1];
        Thread reader = new Thread(
                () -> RequestBurst.read(() -> {
                    bytes.acquire(10);
                    RequestBurst.wakeBehind(() -> wokenWhileWaiting[0]++);
                    bytes.acquire(10);
                }),
                "reader");
        reader.start();
        Failures.awaitBlocked(reader);
        bytes.release(10);
        Failures.join(reader);
        assertEquals(1, wokenWhileWaiting[0]);
    }
}
