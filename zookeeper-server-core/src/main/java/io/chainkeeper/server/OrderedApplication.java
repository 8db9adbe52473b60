package io.chainkeeper.server;

import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.replica.Application;
import io.chainkeeper.replica.Proposal;
import io.chainkeeper.replica.ProposerTable;
import io.chainkeeper.server.execution.CommandExecutor;
import io.chainkeeper.server.execution.ExecutionLock;
import io.chainkeeper.server.session.OwnedSessions;
import io.chainkeeper.server.storage.CheckpointRequest;
import io.chainkeeper.server.storage.Checkpoints;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;

/** The server as the replica's executor thread sees it. See {@link Application} for the threads. */
final class OrderedApplication implements Application {
    private final OrderedZooKeeperServer server;
    private final CommandExecutor executor;
    private final ExecutionLock lock;
    private final OwnedSessions owned;
    private final ProposerTable proposers;
    private final long recoveredPosition;
    private final Checkpoints checkpoints;
    private final Consumer<OrderingStatus> statusListener;
    private final BiConsumer<Integer, Boolean> silenceListener;
    private final ObjLongConsumer<Integer> stateNeeded;
    private volatile long position;
    private boolean insidePosition;
    private long flushedZxid;

    OrderedApplication(
            OrderedZooKeeperServer server,
            CommandExecutor executor,
            ExecutionLock lock,
            OwnedSessions owned,
            ProposerTable proposers,
            long recoveredPosition,
            Checkpoints checkpoints,
            Consumer<OrderingStatus> statusListener,
            BiConsumer<Integer, Boolean> silenceListener,
            ObjLongConsumer<Integer> stateNeeded) {
        this.server = server;
        this.executor = executor;
        this.lock = lock;
        this.owned = owned;
        this.proposers = proposers;
        this.recoveredPosition = recoveredPosition;
        this.position = recoveredPosition;
        this.checkpoints = checkpoints;
        this.statusListener = statusListener;
        this.silenceListener = silenceListener;
        this.stateNeeded = stateNeeded;
    }

    @Override
    public long recoveredPosition() {
        return recoveredPosition;
    }

    @Override
    public ProposerTable proposerTable() {
        return proposers;
    }

    @Override
    public Membership recoveredMembership() {
        return executor.sideState().membership();
    }

    @Override
    public void membershipChanged(long at, Membership membership) {
        lock.beginBatch();
        executor.membershipChanged(membership);
    }

    @Override
    public void apply(long at, ProposedCommand command, Proposal own) {
        lock.beginBatch();
        insidePosition = true;
        server.proposalSizes().setLastBufferSize(command.command().length());
        executor.execute(at, command, own);
    }

    @Override
    public void positionApplied(long at) {
        lock.beginBatch();
        insidePosition = false;
        position = at;
        Checkpoints.Due due = due();
        if (due != Checkpoints.Due.NOTHING) {
            flush();
            checkpoints.start(due, checkpointRequest());
        }
    }

    private Checkpoints.Due due() {
        if (executor.takeBeginsHere()) {
            return Checkpoints.Due.SNAPSHOT;
        }
        return executor.isForeign()
                ? Checkpoints.Due.NOTHING
                : checkpoints.due(executor.sideState().zxid());
    }

    private CheckpointRequest checkpointRequest() {
        return new CheckpointRequest(
                position,
                executor.sideState().zxid(),
                proposers.encode(),
                executor.sideState().encode());
    }

    /**
     * Captures the state for a checkpoint on another thread; waits for the end of the executor's batch.
     *
     * @return null if execution stands in the middle of a position, or this replica has another state than the cluster
     */
    CheckpointRequest captureCheckpoint() {
        CheckpointRequest[] captured = new CheckpointRequest[1];
        lock.read(() -> {
            if (!insidePosition && !executor.isForeign()) {
                captured[0] = checkpointRequest();
            }
        });
        return captured[0];
    }

    @Override
    public void batchBegin() {
        AnswerBatches.begin();
    }

    @Override
    public void batchEnd() {
        AnswerBatches.end();
        flush();
        lock.endBatch();
    }

    /** Hands the log to the operating system; the order's own log is what durability rests on. */
    private void flush() {
        long zxid = server.getZKDatabase().getDataTreeLastProcessedZxid();
        if (zxid == flushedZxid) {
            return;
        }
        try {
            server.getZKDatabase().commit();
        } catch (IOException e) {
            throw new UncheckedIOException(server.logNotWritten(e), e);
        }
        flushedZxid = zxid;
    }

    @Override
    public void statusChanged(OrderingStatus status) {
        statusListener.accept(status);
    }

    @Override
    public void memberSilent(int member, boolean silent) {
        silenceListener.accept(member, silent);
    }

    @Override
    public void stateNeeded(int fromPeer, long needed) {
        stateNeeded.accept(fromPeer, needed);
    }

    /** The last position executed; any thread. */
    long position() {
        return position;
    }
}
