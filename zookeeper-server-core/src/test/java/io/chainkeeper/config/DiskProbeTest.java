package io.chainkeeper.config;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import org.junit.After;
import org.junit.Test;

/** A disk that hangs keeps no server from starting. */
public final class DiskProbeTest {
    /** Time enough for those that answer: each look is a thread, which the system may start late. */
    private static final Duration SOON = Duration.ofSeconds(1);

    private static final Duration NEVER = Duration.ofDays(1);
    private static final Consumer<List<Integer>> NOBODY_IS_LATE = late -> {
        throw new AssertionError("told that these are late: " + late);
    };

    private final CountDownLatch answers = new CountDownLatch(1);
    private final Callable<Integer> hangs = () -> {
        answers.await();
        return 7;
    };

    @After
    public void answer() {
        answers.countDown();
    }

    @Test
    public void oneOfThreeHangs_isNotWaitedForLongerThanSaid() throws Exception {
        List<FutureTask<Integer>> looks = DiskProbe.look(List.of(() -> 1, hangs, () -> 3), SOON, NEVER, NOBODY_IS_LATE);
        assertEquals(1, (int) looks.get(0).get());
        assertFalse(looks.get(1).isDone());
        assertEquals(3, (int) looks.get(2).get());
    }

    @Test
    public void allAnswer_nobodyIsWaitedForLonger() {
        List<FutureTask<Integer>> looks =
                DiskProbe.look(List.of(() -> 1, () -> 2, () -> 3), NEVER, NEVER, NOBODY_IS_LATE);
        assertTrue(looks.stream().allMatch(FutureTask::isDone));
    }

    @Test
    public void twoOfThreeHang_areWaitedForUntilTheLimit() {
        List<List<Integer>> told = new ArrayList<>();
        List<FutureTask<Integer>> looks =
                DiskProbe.look(List.of(hangs, () -> 2, hangs), SOON, SOON.plus(SOON), told::add);
        assertEquals(List.of(List.of(0, 2)), told);
        assertFalse(looks.get(0).isDone());
        assertTrue(looks.get(1).isDone());
        assertFalse(looks.get(2).isDone());
    }

    @Test
    public void majorityIsSlow_thatIsToldWhenTheWaitBegins_andItIsWaitedFor() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        Callable<Integer> slow = () -> {
            begun.await();
            return 5;
        };
        List<FutureTask<Integer>> looks =
                DiskProbe.look(List.of(slow, hangs, () -> 6), SOON, NEVER, late -> begun.countDown());
        assertEquals(5, (int) looks.get(0).get());
        assertEquals(6, (int) looks.get(2).get());
        assertFalse(looks.get(1).isDone());
    }

    @Test
    public void interrupted_waitsNoMoreAndSaysSo() {
        Thread.currentThread().interrupt();
        List<FutureTask<Integer>> looks = DiskProbe.look(List.of(hangs, hangs, hangs), NEVER, NEVER, NOBODY_IS_LATE);
        assertTrue(Thread.interrupted());
        assertTrue(looks.stream().noneMatch(FutureTask::isDone));
    }
}
