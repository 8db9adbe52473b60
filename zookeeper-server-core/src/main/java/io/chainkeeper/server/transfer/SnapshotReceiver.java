package io.chainkeeper.server.transfer;

import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.ordering.InvariantViolated;
import io.chainkeeper.replica.FailureHandler;
import io.chainkeeper.transport.StateChannel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches the state of another member in the background, on a thread of its own that exists only meanwhile. An attempt
 * that breaks off is not repeated by itself: the protocol goes on saying what it needs, and from whom, and the next
 * attempt continues where the last one ended. There is no deadline but that for a single answer. Safe for use by any
 * thread.
 */
public final class SnapshotReceiver implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotReceiver.class);

    /** The same member is not asked again for so long after an attempt failed. */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final int NOBODY = -1;

    /** How to reach a member. */
    @FunctionalInterface
    public interface Connector {
        /**
         * Opens a connection to a member. Blocks.
         *
         * @param peer replica id
         * @return the connection
         * @throws IOException if it cannot be reached or refuses; names the reason
         */
        StateChannel open(int peer) throws IOException;
    }

    private final Path orderingDirectory;
    private final Connector connector;
    private final LongSupplier executedPosition;
    private final Runnable fetched;
    private final FailureHandler failureHandler;
    private final LongSupplier clockNanos;
    private final TransferProgress progress;
    private final ExecutorService thread;
    private volatile boolean replacing;
    private boolean running;
    private boolean done;
    private boolean closed;
    private int failedPeer = NOBODY;
    private long failedAtNanos;
    private StateChannel channel;

    /**
     * @param replicaId names the thread
     * @param orderingDirectory where {@code incoming} is kept
     * @param connector reaches the other members
     * @param executedPosition the position that this replica has executed
     * @param fetched told, by the thread of the fetch, when a state is complete and to be installed
     * @param failureHandler told if something is wrong with this program
     * @param clockNanos a monotonic clock
     */
    public SnapshotReceiver(
            int replicaId,
            Path orderingDirectory,
            Connector connector,
            LongSupplier executedPosition,
            Runnable fetched,
            FailureHandler failureHandler,
            LongSupplier clockNanos) {
        this.orderingDirectory = orderingDirectory;
        this.connector = connector;
        this.executedPosition = executedPosition;
        this.fetched = fetched;
        this.failureHandler = failureHandler;
        this.clockNanos = clockNanos;
        this.progress = new TransferProgress(clockNanos);
        this.thread = new ThreadPoolExecutor(0, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
            Thread created = new Thread(task, "state-fetch-" + replicaId);
            created.setDaemon(true);
            return created;
        });
    }

    /**
     * Says what the order needs. Begins to fetch, unless that goes on already. Never blocks.
     *
     * @param peer a member that has the state
     * @param position the position that this replica needs next
     */
    public synchronized void stateNeeded(int peer, long position) {
        boolean tooEarly = peer == failedPeer && clockNanos.getAsLong() - failedAtNanos < PAUSE_NANOS;
        if (!closed && !running && !done && !tooEarly) {
            running = true;
            thread.execute(() -> attempt(peer, position));
        }
    }

    /**
     * Like {@link #stateNeeded}, for a state that replaces this replica's own because that one is wrong: it may be
     * older.
     *
     * @param peer a member whose state is right
     * @param position the first one that this replica's acceptor log still holds
     */
    public void replaceState(int peer, long position) {
        replacing = true;
        stateNeeded(peer, position);
    }

    private void attempt(int peer, long position) {
        try {
            fetch(peer, position);
        } catch (RuntimeException | Error e) {
            failureHandler.failed("fetching the state from server " + peer + " failed: " + e.getMessage(), e);
        }
    }

    private void fetch(int peer, long position) {
        String sender = "server " + peer;
        boolean complete = false;
        try (IncomingState incoming = new IncomingState(orderingDirectory);
                StateChannel opened = connector.open(peer)) {
            if (!use(opened)) {
                return;
            }
            ClusterIdentity identity = ClusterIdentity.read(orderingDirectory);
            UUID cluster = identity == null ? null : identity.clusterId();
            StateManifest manifest = new StateDownload(
                            sender, opened, incoming, position, cluster, progress, SnapshotSender.MAX_CHECKSUM_BYTES)
                    .run();
            long executed = executedPosition.getAsLong();
            // A new replica may lack what its cluster began with.
            complete =
                    replacing || manifest.position() > executed || manifest.position() == executed && cluster == null;
            if (!complete) {
                LOG.info(
                        "Meanwhile the order itself has brought this replica beyond position {}: what was fetched is"
                                + " not needed",
                        manifest.position());
                incoming.discard();
            }
        } catch (IOException e) {
            broken(sender, e);
        } finally {
            ended(peer, complete);
        }
        if (complete) {
            fetched.run();
        }
    }

    private synchronized boolean use(StateChannel opened) {
        channel = opened;
        return !closed;
    }

    private synchronized void broken(String sender, IOException cause) {
        if (!closed) {
            LOG.warn(
                    "State transfer from {} broke off: {}. {} MB of {} MB are here; it is continued as soon as the"
                            + " order asks for it again",
                    sender,
                    cause.getMessage() == null ? cause.toString() : cause.getMessage(),
                    TransferProgress.megabytes(progress.presentBytes()),
                    TransferProgress.megabytes(progress.totalBytes()));
        }
    }

    private synchronized void ended(int peer, boolean complete) {
        channel = null;
        running = false;
        done = complete;
        if (!complete) {
            failedPeer = peer;
            failedAtNanos = clockNanos.getAsLong();
        }
    }

    /**
     * What an earlier attempt left is deleted once this replica has such a state itself.
     *
     * @param position that this replica's own files reach
     * @throws IOException if files cannot be deleted
     */
    public void covered(long position) throws IOException {
        synchronized (this) {
            if (running || done || closed) {
                return;
            }
            running = true;
        }
        try (IncomingState incoming = new IncomingState(orderingDirectory)) {
            StateManifest begun = incoming.begun();
            if (begun != null && begun.position() <= position) {
                incoming.discard();
            }
        } finally {
            synchronized (this) {
                running = false;
            }
        }
    }

    /** @return {@code state_transfer_bytes} and {@code state_transfer_total_bytes} */
    public Map<String, LongSupplier> gauges() {
        return Map.of(
                "state_transfer_bytes", progress::presentBytes, "state_transfer_total_bytes", progress::totalBytes);
    }

    /** Breaks off what is being fetched, and waits for the thread. */
    @Override
    public void close() {
        StateChannel toClose;
        synchronized (this) {
            closed = true;
            toClose = channel;
        }
        thread.shutdownNow();
        try {
            if (toClose != null) {
                toClose.close();
            }
            boolean ended = thread.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
            InvariantViolated.check(ended, "the thread of the state transfer goes on although it was waited for");
        } catch (IOException e) {
            LOG.warn("Connection for the state cannot be closed: {}", e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
