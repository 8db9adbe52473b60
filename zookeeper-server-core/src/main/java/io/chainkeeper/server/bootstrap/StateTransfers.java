package io.chainkeeper.server.bootstrap;

import io.chainkeeper.config.OrderingConfig;
import io.chainkeeper.replica.FailureHandler;
import io.chainkeeper.server.bootstrap.OrderingFactory.RunningOrder;
import io.chainkeeper.server.storage.CheckpointStore;
import io.chainkeeper.server.storage.LoggedFiles;
import io.chainkeeper.server.transfer.SnapshotInstaller;
import io.chainkeeper.server.transfer.SnapshotReceiver;
import io.chainkeeper.server.transfer.SnapshotSender;
import io.chainkeeper.server.transfer.StateOffer;
import io.chainkeeper.server.transfer.TransferBounds;
import io.chainkeeper.transport.StateChannel;
import java.io.IOException;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Both directions of a replica's state transfer: it sends its state to members that need it, and fetches theirs. */
final class StateTransfers {
    private static final Logger LOG = LoggerFactory.getLogger(StateTransfers.class);

    private final OrderingConfig ordering;
    private final FailureHandler failureHandler;
    private final SnapshotSender sender;
    private final SnapshotReceiver receiver;
    private volatile RunningOrder running;

    /**
     * @param ordering who this replica is, where it keeps what it fetches, and how fast it may send
     * @param files that are sent
     * @param isWrong whether this replica's own state is known to be wrong, so that nobody may get it
     * @param snapshots takes one where the newest is too old for who asks
     * @param stateFetched told when a state is complete and to be installed
     * @param failureHandler told if something is wrong with this program
     * @param runtime gives time, and what works in the background
     * @param bounds of the transfers
     * @throws IOException if the checkpoints cannot be read
     */
    StateTransfers(
            OrderingConfig ordering,
            LoggedFiles files,
            BooleanSupplier isWrong,
            SnapshotSender.Snapshots snapshots,
            Runnable stateFetched,
            FailureHandler failureHandler,
            ReplicaRuntime runtime,
            TransferBounds bounds)
            throws IOException {
        this.ordering = ordering;
        this.failureHandler = failureHandler;
        this.sender = new SnapshotSender(
                runtime.scheduler(),
                "state-source-" + ordering.replicaId(),
                runtime.waiting(),
                bounds,
                checkpoints(),
                files.snapshotDirectory(),
                files.logDirectory(),
                ordering.stateTransferBytesPerSecond(),
                isWrong,
                snapshots);
        this.receiver = new SnapshotReceiver(
                ordering.replicaId(),
                ordering.orderingDirectory(),
                this::openChannel,
                snapshots::executedPosition,
                stateFetched,
                failureHandler,
                bounds,
                runtime.scheduler());
    }

    /** An object of its own for each who reads them. */
    private CheckpointStore checkpoints() throws IOException {
        return new CheckpointStore(PreparedFiles.checkpointDirectory(ordering));
    }

    /** The order runs. */
    void connect(RunningOrder started) {
        running = started;
    }

    StateOffer offer() {
        return sender;
    }

    /** Opens a connection for bulk requests to another member; any thread. */
    StateChannel openChannel(int member) throws IOException {
        RunningOrder started = running;
        if (started == null) {
            throw new IOException("this replica is still starting");
        }
        return started.openStateChannel(member);
    }

    /** A checkpoint of this position lies on disk: what it covers may be forgotten. */
    void checkpointTaken(long position) {
        RunningOrder started = running;
        // A snapshot taken while the log is still replayed is not reported; the next one is, with its own position.
        if (started != null) {
            // Whoever receives this replica's state needs the order from there on.
            started.totalOrder().checkpointTaken(Math.min(position, sender.lowestPositionInUse()));
        }
        try {
            receiver.covered(position);
        } catch (IOException e) {
            LOG.warn("What is left of a state transfer cannot be deleted: {}", e.getMessage());
        }
    }

    /** The same, and the order had asked for it, since it has no room: whoever receives nothing any more gives way. */
    void wantedCheckpointTaken(long position) {
        RunningOrder started = running;
        sender.yieldIdle(started == null ? Map.of() : started.totalOrder().linkedSinceNanos());
        checkpointTaken(position);
    }

    /** Apply thread: see {@link SnapshotSender#memberStarted}. */
    void memberStarted(int member) {
        sender.memberStarted(member);
    }

    /** Ordering loop: no member's log holds what this replica needs next. */
    void stateNeeded(int fromPeer, long position) {
        receiver.stateNeeded(fromPeer, position);
    }

    /** This replica's state is wrong: that of a member replaces it, also an older one. */
    void replaceState(int fromPeer) {
        try {
            receiver.replaceState(fromPeer, SnapshotInstaller.oldestPosition(checkpoints()) + 1);
        } catch (IOException e) {
            failureHandler.failed("checkpoints cannot be read: " + e.getMessage(), e);
        }
    }

    /** This replica's state is not the cluster's: that of a member after this position replaces it. */
    void replaceState(int fromPeer, long position) {
        receiver.replaceState(fromPeer, position + 1);
    }

    /** Numbers for monitoring, without the prefix. */
    Map<String, LongSupplier> gauges() {
        return receiver.gauges();
    }

    /** Before the order is closed. */
    void endFetching() {
        receiver.close();
    }

    /** After the order has been closed: nobody asks any more. */
    void endSending() {
        sender.close();
    }
}
