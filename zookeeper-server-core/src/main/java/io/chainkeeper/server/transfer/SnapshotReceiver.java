package io.chainkeeper.server.transfer;

import io.chainkeeper.config.ClusterIdentity;
import io.chainkeeper.replica.FailureHandler;
import io.chainkeeper.replica.Scheduler;
import io.chainkeeper.server.background.Background;
import io.chainkeeper.server.background.BackgroundWork;
import io.chainkeeper.transport.StateChannel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches the state of another member in the background, one call after the other. An attempt that breaks off is not
 * repeated by itself: the protocol goes on saying what it needs, and from whom, and the next attempt continues where
 * the last one ended; whom it named while one was asked in vain is asked next. Another member's files may be others,
 * so what one has begun to send is continued with that one, whoever is named, until an attempt brings nothing. There
 * is no deadline but that for a single answer, and one for a member that only prepares its state while another one is
 * named. Safe for use by any thread.
 */
public final class SnapshotReceiver implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotReceiver.class);

    /** The same member is not asked again for so long after an attempt failed. */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /**
     * A member may prepare its state for so long before another one is asked that was named meanwhile: its disk may
     * hang. It goes on preparing, so with large trees each one has its state at hand when its turn comes again.
     */
    private static final long PREPARING_NANOS = TimeUnit.SECONDS.toNanos(10);

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

    private record Need(int peer, long position) {}

    private final Path orderingDirectory;
    private final Connector connector;
    private final LongSupplier executedPosition;
    private final Runnable fetched;
    private final FailureHandler failureHandler;
    private final Scheduler scheduler;
    private final TransferProgress progress;
    private final TransferBounds bounds;
    private final Background background;
    private volatile boolean replacing;
    private boolean running;

    /** Files are being worked on. */
    private boolean busy;

    private boolean done;
    private boolean closed;
    private int failedPeer = NOBODY;
    private long failedAtNanos;

    /** Whose last attempt broke off after it had brought something. */
    private int begunWith = NOBODY;

    /** Whom the attempt that goes on asks. */
    private int askedPeer = NOBODY;

    /** The last need that named somebody else meanwhile; null if there was none. */
    private Need neededMeanwhile;

    private StateChannel channel;

    /**
     * @param replicaId names the thread
     * @param orderingDirectory where {@code incoming} is kept
     * @param connector reaches the other members
     * @param executedPosition the position that this replica has executed
     * @param fetched told, by the thread of the fetch, when a state is complete and to be installed
     * @param failureHandler told if something is wrong with this program
     * @param bounds of what is asked for at once
     * @param scheduler gives time, and what fetches in the background
     */
    public SnapshotReceiver(
            int replicaId,
            Path orderingDirectory,
            Connector connector,
            LongSupplier executedPosition,
            Runnable fetched,
            FailureHandler failureHandler,
            TransferBounds bounds,
            Scheduler scheduler) {
        this.orderingDirectory = orderingDirectory;
        this.connector = connector;
        this.executedPosition = executedPosition;
        this.fetched = fetched;
        this.failureHandler = failureHandler;
        this.bounds = bounds;
        this.scheduler = scheduler;
        this.progress = new TransferProgress(scheduler::nanoTime);
        this.background = new BackgroundWork(scheduler, "state-fetch-" + replicaId);
    }

    /**
     * Says what the order needs. Begins to fetch, unless that goes on already. Never blocks.
     *
     * @param peer a member that has the state
     * @param position the position that this replica needs next
     */
    public synchronized void stateNeeded(int peer, long position) {
        int from = begunWith == NOBODY || replacing ? peer : begunWith;
        boolean tooEarly = from == failedPeer && scheduler.nanoTime() - failedAtNanos < PAUSE_NANOS;
        if (!closed && !running && !done && !tooEarly) {
            running = true;
            askedPeer = from;
            neededMeanwhile = null;
            background.execute(new Attempt(from, position)::begin);
        } else if (running && peer != askedPeer) {
            neededMeanwhile = new Need(peer, position);
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
        synchronized (this) {
            replacing = true;
            neededMeanwhile = null;
            stateNeeded(peer, position);
        }
    }

    /** What follows a piece of an attempt. */
    private enum Next {
        /** Another piece. */
        GO_ON,
        /** Nothing: it broke off, or is of no use. */
        END,
        /** The state is installed. */
        INSTALL
    }

    /** One attempt, done by the background in pieces; whatever else happens between two of them. */
    private final class Attempt {
        private final int peer;
        private final long position;
        private final IncomingState incoming = new IncomingState(orderingDirectory);
        private StateDownload download;

        /** When the member was asked for an offer, or has last given more than the word that it prepares one. */
        private long offeredNanos;

        private boolean failed;
        private boolean leavesPart;

        private Attempt(int peer, long position) {
            this.peer = peer;
            this.position = position;
        }

        private void begin() {
            run(this::open);
        }

        private void run(Piece piece) {
            Next next = Next.END;
            try {
                next = piece.run();
            } catch (IOException e) {
                failed = true;
                leavesPart = download != null && download.hasFetched();
                broken("server " + peer, e);
            } catch (RuntimeException | Error e) {
                failureHandler.failed("fetching the state from server " + peer + " failed: " + e.getMessage(), e);
            }
            if (next == Next.GO_ON) {
                pause();
                if (background.execute(() -> run(this::step))) {
                    return;
                }
            }
            closeFiles();
            ended(peer, next == Next.INSTALL, failed, leavesPart);
            if (next == Next.INSTALL) {
                fetched.run();
            }
        }

        private Next open() throws IOException {
            StateChannel opened = connector.open(peer);
            if (!use(opened)) {
                opened.close();
                return Next.END;
            }
            ClusterIdentity identity = ClusterIdentity.read(orderingDirectory);
            UUID cluster = identity == null ? null : identity.clusterId();
            download = new StateDownload("server " + peer, opened, incoming, position, cluster, progress, bounds);
            offeredNanos = scheduler.nanoTime();
            return Next.GO_ON;
        }

        private Next step() throws IOException {
            if (!resume()) {
                return Next.END;
            }
            StateManifest manifest = download.step();
            if (manifest != null) {
                return complete(manifest);
            }
            checkPatience();
            return Next.GO_ON;
        }

        private void checkPatience() throws IOException {
            long now = scheduler.nanoTime();
            if (!download.waitsForOffer()) {
                offeredNanos = now;
            } else if (now - offeredNanos > PREPARING_NANOS && isAnotherNamed()) {
                throw new IOException("it has prepared its state for "
                        + TimeUnit.NANOSECONDS.toSeconds(now - offeredNanos) + " s; another server is asked meanwhile");
            }
        }

        private Next complete(StateManifest manifest) throws IOException {
            long executed = executedPosition.getAsLong();
            boolean isOfUse = replacing
                    || manifest.position() > executed
                    || manifest.position() == executed && InstalledState.mayLackOrigin(orderingDirectory);
            if (isOfUse) {
                return Next.INSTALL;
            }
            LOG.info(
                    "Meanwhile the order itself has brought this replica beyond position {}: what was fetched is"
                            + " not needed",
                    manifest.position());
            incoming.discard();
            return Next.END;
        }

        private void closeFiles() {
            try {
                incoming.close();
            } catch (IOException e) {
                broken("server " + peer, e);
            }
        }
    }

    @FunctionalInterface
    private interface Piece {
        Next run() throws IOException;
    }

    private synchronized boolean use(StateChannel opened) {
        if (!closed) {
            channel = opened;
        }
        return resume();
    }

    private synchronized boolean isAnotherNamed() {
        return neededMeanwhile != null;
    }

    private synchronized boolean resume() {
        busy = !closed;
        return busy;
    }

    private synchronized void pause() {
        busy = false;
        notifyAll();
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

    private void ended(int peer, boolean complete, boolean failed, boolean leavesPart) {
        StateChannel toClose;
        synchronized (this) {
            toClose = channel;
            channel = null;
        }
        closeQuietly(toClose);
        synchronized (this) {
            running = false;
            done = complete;
            begunWith = leavesPart ? peer : NOBODY;
            if (!complete) {
                failedPeer = peer;
                failedAtNanos = scheduler.nanoTime();
            }
            pause();
            Need next = neededMeanwhile;
            neededMeanwhile = null;
            if (next != null && failed && !leavesPart) {
                // Whoever names members in turn could otherwise always name this one while another is asked in vain.
                stateNeeded(next.peer(), next.position());
            }
        }
    }

    private static void closeQuietly(StateChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            LOG.warn("Connection for the state cannot be closed: {}", e.getMessage());
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

    /** Breaks off what is being fetched; no file is touched any more. */
    @Override
    public void close() {
        StateChannel toClose;
        synchronized (this) {
            closed = true;
            toClose = channel;
        }
        background.close();
        closeQuietly(toClose);
        synchronized (this) {
            scheduler.await(this, "the state transfer to break off", () -> !busy);
        }
    }
}
