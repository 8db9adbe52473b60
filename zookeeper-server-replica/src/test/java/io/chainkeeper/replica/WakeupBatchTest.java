package io.chainkeeper.replica;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import org.junit.Test;

/** Requests that were read together wake the protocol host once, behind the last of them, and never too late. */
public final class WakeupBatchTest {
    private int wakeUps;
    private final Runnable wakeUp = () -> wakeUps++;

    private void propose(int times) {
        for (int i = 0; i < times; i++) {
            WakeupBatch.wake(wakeUp);
        }
    }

    @Test
    public void outsideABatch_eachInputWakes() {
        propose(3);
        assertEquals(3, wakeUps);
    }

    @Test
    public void batch_wakesOnceBehindIt() {
        WakeupBatch.run(() -> {
            propose(WakeupBatch.MAX_HELD_INPUTS);
            assertEquals("in the batch", 0, wakeUps);
        });
        assertEquals(1, wakeUps);
        propose(1);
        assertEquals("afterwards", 2, wakeUps);
    }

    @Test
    public void longBatch_wakesMeanwhile() {
        WakeupBatch.run(() -> {
            propose(WakeupBatch.MAX_HELD_INPUTS + 1);
            assertEquals("in the batch", 1, wakeUps);
        });
        assertEquals(2, wakeUps);
    }

    @Test
    public void batchThatFails_wakes() {
        assertThrows(
                IllegalStateException.class,
                () -> WakeupBatch.run(() -> {
                    propose(1);
                    throw new IllegalStateException("a request that cannot be read");
                }));
        assertEquals(1, wakeUps);
    }

    @Test
    public void emptyBatch_wakesNobody() {
        WakeupBatch.run(() -> {});
        assertEquals(0, wakeUps);
    }

    @Test
    public void twoHosts_eachIsWoken() {
        int[] otherWakeUps = new int[1];
        Runnable other = () -> otherWakeUps[0]++;
        WakeupBatch.run(() -> {
            propose(2);
            WakeupBatch.wake(other);
        });
        assertEquals(1, wakeUps);
        assertEquals(1, otherWakeUps[0]);
    }

    /** Otherwise the host would not look at what the thread waits for before the next tick. */
    @Test
    public void noRoomInABatch_wakesBeforeItWaits() throws Exception {
        OutstandingBytes bytes = new OutstandingBytes(1, ThreadScheduler.INSTANCE);
        int[] wokenWhileWaiting = new int[1];
        Thread reader = new Thread(
                () -> WakeupBatch.run(() -> {
                    bytes.acquire(10, () -> true);
                    WakeupBatch.wake(() -> wokenWhileWaiting[0]++);
                    bytes.acquire(10, () -> true);
                }),
                "reader");
        reader.start();
        Failures.awaitBlocked(reader);
        bytes.release(10);
        Failures.join(reader);
        assertEquals(1, wokenWhileWaiting[0]);
    }
}
