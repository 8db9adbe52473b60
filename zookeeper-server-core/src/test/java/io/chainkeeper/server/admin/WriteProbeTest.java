package io.chainkeeper.server.admin;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.replica.ReplicaStoppedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.After;
import org.junit.Test;

/** When a no-op is ordered, and what its return says. */
public class WriteProbeTest {
    private static final long WAIT_MILLIS = 5;

    private final AtomicLong clockMillis = new AtomicLong(5_000);
    private final List<Runnable> ordered = new ArrayList<>();
    private boolean answers = true;
    private boolean stopped;
    private final WriteProbe probe = new WriteProbe(1, this::propose, this::tellTime);

    private synchronized void propose(Runnable waiter) {
        if (stopped) {
            throw new ReplicaStoppedException("stopped");
        }
        ordered.add(waiter);
        if (answers) {
            waiter.run();
        }
    }

    /** Each look at the clock takes a millisecond, so that waiting ends. */
    private long tellTime() {
        return clockMillis.incrementAndGet();
    }

    private synchronized int proposed() {
        return ordered.size();
    }

    @After
    public void close() {
        probe.close();
    }

    @Test
    public void noOpComesBack_holdsForAWhile() throws Exception {
        assertTrue(probe.isOrdered(10_000));
        assertTrue(probe.isOrdered(10_000));
        assertEquals(1, proposed());
        clockMillis.addAndGet(2 * WriteProbe.FRESH_MILLIS);
        assertTrue(probe.isOrdered(10_000));
        assertEquals(2, proposed());
    }

    @Test
    public void noQuorum_onlyOneNoOpWaitsForIt() throws Exception {
        answers = false;
        for (int i = 0; i < 5; i++) {
            assertFalse(probe.isOrdered(WAIT_MILLIS));
        }
        assertTrue(proposed() <= 1);
    }

    @Test
    public void replicaHasStopped_saysSoWithoutFailing() throws Exception {
        stopped = true;
        assertFalse(probe.isOrdered(WAIT_MILLIS));
        assertFalse(probe.isOrdered(WAIT_MILLIS));
    }

    @Test
    public void closed_answersAtOnce() throws Exception {
        probe.close();
        assertFalse(probe.isOrdered(WAIT_MILLIS));
    }
}
