package io.chainkeeper.clienttests.recipes;

import io.chainkeeper.clienttests.harness.Await;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;

/** One thread for each participant of a recipe, which does the same step over and over until it fails or is stopped. */
final class RepeatedSteps implements AutoCloseable {
    /** Between two steps: the machine also has to run the servers. */
    private static final long PAUSE_MILLIS = 100;

    /** A step that is under way at the call does not count; the one after that has begun later. */
    private static final int STEPS_OF_PROGRESS = 2;

    private final String name;
    private final AtomicLongArray done;
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final ScheduledExecutorService threads;

    /** What a participant does. */
    @FunctionalInterface
    interface Step {
        /**
         * Does it once.
         *
         * @param participant from 0
         * @param round from 0, one more at each call for the same participant
         * @throws Exception to end the participant's work and fail the recipe
         */
        void run(int participant, long round) throws Exception;
    }

    /** Names the steps, for messages; none is done yet. */
    RepeatedSteps(String name, int participants) {
        this.name = name;
        this.done = new AtomicLongArray(participants);
        this.threads = Executors.newScheduledThreadPool(participants);
    }

    /** Begins. */
    void start(Step step) {
        for (int participant = 0; participant < done.length(); participant++) {
            int self = participant;
            threads.scheduleWithFixedDelay(() -> runOnce(step, self), 0, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void runOnce(Step step, int participant) {
        try {
            step.run(participant, done.get(participant));
            done.incrementAndGet(participant);
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
            throw new IllegalStateException("a periodic task that throws is not run again", e);
        }
    }

    /** Returns how many steps all participants together have done. */
    long total() {
        long total = 0;
        for (int participant = 0; participant < done.length(); participant++) {
            total += done.get(participant);
        }
        return total;
    }

    /** Waits until every participant has done a step that it began after the call. */
    void awaitProgress() throws Exception {
        for (int participant = 0; participant < done.length(); participant++) {
            int self = participant;
            long goal = done.get(participant) + STEPS_OF_PROGRESS;
            Await.until(name + ": participant " + participant + " goes on", Recipe.LIMIT, () -> {
                checkFailure();
                return done.get(self) >= goal;
            });
        }
    }

    /** Lets the steps under way come to their ends and begins no more. */
    void finish() throws InterruptedException {
        threads.shutdown();
        if (!threads.awaitTermination(Recipe.LIMIT.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError(name + ": a step has not ended after " + Recipe.LIMIT.toSeconds() + " s");
        }
        checkFailure();
    }

    private void checkFailure() {
        if (failure.get() != null) {
            throw new AssertionError(name + ": " + failure.get().getMessage(), failure.get());
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
