package io.chainkeeper.server.bootstrap;

import io.chainkeeper.server.storage.CheckpointRequest;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Snapshots that the order asks for, one at a time: it asks again. Each covers its own position as soon as it is
 * written, because behind older snapshots there are transaction logs. Safe for use by any thread.
 */
final class WantedSnapshots {
    private static final Logger LOG = LoggerFactory.getLogger(WantedSnapshots.class);

    private final Supplier<CompletableFuture<CheckpointRequest>> capture;
    private final Function<CheckpointRequest, CompletableFuture<Path>> write;
    private final LongConsumer covered;
    private final AtomicBoolean isUnderWay = new AtomicBoolean();

    /**
     * @param capture the state, as soon as no position is being executed
     * @param write what was captured, in the background
     * @param covered told of the position of what was written
     */
    WantedSnapshots(
            Supplier<CompletableFuture<CheckpointRequest>> capture,
            Function<CheckpointRequest, CompletableFuture<Path>> write,
            LongConsumer covered) {
        this.capture = capture;
        this.write = write;
        this.covered = covered;
    }

    void want() {
        if (!isUnderWay.compareAndSet(false, true)) {
            return;
        }
        capture.get()
                .thenCompose(
                        captured -> write.apply(captured).thenAccept(written -> covered.accept(captured.position())))
                .whenComplete((done, failure) -> {
                    isUnderWay.set(false);
                    if (failure != null) {
                        LOG.warn("No snapshot that lets the order free what it keeps: {}", failure.getMessage());
                    }
                });
    }
}
