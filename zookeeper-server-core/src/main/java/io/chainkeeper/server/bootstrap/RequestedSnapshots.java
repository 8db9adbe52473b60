package io.chainkeeper.server.bootstrap;

import io.chainkeeper.replica.ReplicaStoppedException;
import io.chainkeeper.server.background.Background;
import io.chainkeeper.server.execution.OrderedApplication;
import io.chainkeeper.server.storage.CheckpointRequest;
import io.chainkeeper.server.storage.CheckpointSchedule;
import io.chainkeeper.server.transfer.Waiting;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Snapshots that somebody asks for: an operator, another server, or the order. Each is queued while its state is being
 * captured, so before everything that is captured later. Safe for use by any thread.
 */
final class RequestedSnapshots implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RequestedSnapshots.class);
    private static final int LONGEST_POSITION_SECONDS = 60;

    private final Supplier<OrderedApplication> application;
    private final CheckpointSchedule schedule;
    private final Waiting waiting;
    private final LongConsumer covered;
    private final Background background;
    private final AtomicBoolean isWantedOneUnderWay = new AtomicBoolean();

    private record Queued(long position, CompletableFuture<Path> taken) {}

    /**
     * @param application whose state is captured, as soon as no position is being executed
     * @param schedule writes it, in the background
     * @param waiting lets who asks wait
     * @param covered told of the position of what was written because the order wanted it
     * @param background waits for the execution of a batch where the order must not
     */
    RequestedSnapshots(
            Supplier<OrderedApplication> application,
            CheckpointSchedule schedule,
            Waiting waiting,
            LongConsumer covered,
            Background background) {
        this.application = application;
        this.schedule = schedule;
        this.waiting = waiting;
        this.covered = covered;
        this.background = background;
    }

    private CompletableFuture<Queued> queue() {
        CompletableFuture<Queued> queued = new CompletableFuture<>();
        application.get().captureCheckpoint(captured -> queued.complete(queue(captured)));
        return queued;
    }

    private Queued queue(CheckpointRequest captured) {
        return captured == null
                ? new Queued(
                        0, CompletableFuture.failedFuture(new IOException("the replica fetches its state; ask again")))
                : new Queued(captured.position(), schedule.take(captured));
    }

    /** Takes a snapshot in the background, as soon as no position is being executed. */
    CompletableFuture<Path> take() {
        return queue().thenCompose(Queued::taken);
    }

    /**
     * Waits for it.
     *
     * @throws IOException if it cannot be written
     */
    Path takeNow() throws IOException {
        CompletableFuture<Queued> queued = queue();
        if (!waiting.await(queued, TimeUnit.SECONDS.toNanos(LONGEST_POSITION_SECONDS))) {
            throw new IOException("the position that is being executed did not end");
        }
        CompletableFuture<Path> taken = queued.join().taken();
        if (!waiting.await(taken, Long.MAX_VALUE)) {
            throw new IOException("the snapshot is being written");
        }
        return taken.join();
    }

    /**
     * The order asks for one, one at a time: it asks again. Each covers its own position as soon as it is written,
     * because behind older snapshots there are transaction logs. Never waits.
     */
    void want() {
        if (isWantedOneUnderWay.compareAndSet(false, true) && !background.execute(this::takeWanted)) {
            isWantedOneUnderWay.set(false);
        }
    }

    private void takeWanted() {
        try {
            queue().thenCompose(queued -> queued.taken().thenAccept(written -> covered.accept(queued.position())))
                    .whenComplete((done, failure) -> {
                        isWantedOneUnderWay.set(false);
                        if (failure != null) {
                            LOG.warn("No snapshot that lets the order free what it keeps: {}", failure.getMessage());
                        }
                    });
        } catch (ReplicaStoppedException e) {
            LOG.debug("Stopping: no snapshot for the order: {}", e.getMessage());
        }
    }

    /** The order gets none any more. */
    @Override
    public void close() {
        background.close();
    }
}
