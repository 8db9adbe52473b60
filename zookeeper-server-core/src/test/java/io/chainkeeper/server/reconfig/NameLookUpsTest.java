package io.chainkeeper.server.reconfig;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotSame;
import static org.junit.Assert.assertSame;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.After;
import org.junit.Test;

/** The test's own thread is the maintenance thread. */
public class NameLookUpsTest {
    private final BlockingQueue<Runnable> maintenance = new LinkedBlockingQueue<>();
    private final NameLookUps lookUps = new NameLookUps(7, maintenance::add);
    private final CountDownLatch answered = new CountDownLatch(1);

    @After
    public void close() {
        lookUps.close();
    }

    private Runnable nextTask() throws InterruptedException {
        Runnable task = maintenance.poll(60, TimeUnit.SECONDS);
        assertTrue("a task for maintenance", task != null);
        return task;
    }

    private String waitForTheAnswer() {
        try {
            answered.await();
            return "found";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    @Test(timeout = 120_000)
    public void nameServiceIsSlow_callerGoesOnAndGetsTheAnswerOnItsOwnThread() throws Exception {
        AtomicReference<Thread> lookedUpBy = new AtomicReference<>();
        AtomicReference<Thread> toldTo = new AtomicReference<>();
        List<String> told = new ArrayList<>();
        lookUps.run(
                () -> {
                    lookedUpBy.set(Thread.currentThread());
                    return waitForTheAnswer();
                },
                found -> {
                    toldTo.set(Thread.currentThread());
                    told.add(found);
                });
        assertTrue("nothing to do yet", maintenance.isEmpty());
        answered.countDown();
        nextTask().run();
        assertEquals(List.of("found"), told);
        assertSame(Thread.currentThread(), toldTo.get());
        assertNotSame(Thread.currentThread(), lookedUpBy.get());
        assertEquals("name-look-up-7", lookedUpBy.get().getName());
    }

    @Test(timeout = 120_000)
    public void othersAreSlow_oneMoreIsAnswered() throws Exception {
        for (int i = 1; i < NameLookUps.THREADS; i++) {
            lookUps.run(this::waitForTheAnswer, found -> {});
        }
        List<String> told = new ArrayList<>();
        lookUps.run(() -> "mine", told::add);
        nextTask().run();
        assertEquals(List.of("mine"), told);
        answered.countDown();
    }

    @Test(timeout = 120_000)
    public void workFails_maintenanceFails() throws Exception {
        lookUps.run(
                () -> {
                    throw new IllegalArgumentException("server.3=nonsense");
                },
                found -> {
                    throw new AssertionError("nothing was found");
                });
        Runnable task = nextTask();
        String message = assertThrows(IllegalArgumentException.class, task::run).getMessage();
        assertEquals("server.3=nonsense", message);
    }

    @Test(timeout = 120_000)
    public void closed_waitsForNothingAndDoesNothingMore() {
        lookUps.run(this::waitForTheAnswer, found -> {});
        lookUps.close();
        lookUps.run(
                () -> {
                    throw new AssertionError("looked up after the end");
                },
                found -> {});
        answered.countDown();
    }
}
