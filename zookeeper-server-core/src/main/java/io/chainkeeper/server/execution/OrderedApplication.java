package io.chainkeeper.server.execution;

import io.chainkeeper.ordering.Membership;
import io.chainkeeper.ordering.OrderingStatus;
import io.chainkeeper.ordering.ProposedCommand;
import io.chainkeeper.replica.Application;
import io.chainkeeper.replica.Proposal;
import io.chainkeeper.replica.ProposerTable;
import io.chainkeeper.server.connection.ReplyBatch;
import io.chainkeeper.server.guard.ExecutionLock;
import io.chainkeeper.server.storage.CheckpointRequest;
import io.chainkeeper.server.storage.Checkpoints;
import io.chainkeeper.server.storage.LoggedFiles;
import io.chainkeeper.server.storage.StopMarker;
import io.chainkeeper.server.tracing.RequestWatch;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/** The server as the replica's apply thread sees it. See {@link Application} for the threads. */
public final class OrderedApplication implements Application {
    private final OrderedZooKeeperServer server;
    private final LoggedFiles files;
    private final CommandExecutor executor;
    private final ExecutionLock lock;
    private final ReplyBatch replies;
    private final ProposerTable proposers;
    private final long recoveredPosition;
    private final Checkpoints checkpoints;
    private final RequestWatch watch;
    private final OrderEvents events;
    private volatile long position;
    private boolean insidePosition;

    /** To be completed at the end of the position that is being executed. */
    private final Queue<Consumer<CheckpointRequest>> awaitedCheckpoints = new ConcurrentLinkedQueue<>();

    private long flushedZxid;

    /**
     * @param server whose clients are answered
     * @param executor executes commands
     * @param lock keeps reads and execution apart
     * @param replies what answers to clients are collected in
     * @param proposers which commands have been executed already
     * @param recoveredPosition the position that has been recovered
     * @param checkpoints says when one is due, and takes it
     * @param watch notes how long requests take
     * @param events whom to tell what the order says besides commands
     */
    public OrderedApplication(
            OrderedZooKeeperServer server,
            CommandExecutor executor,
            ExecutionLock lock,
            ReplyBatch replies,
            ProposerTable proposers,
            long recoveredPosition,
            Checkpoints checkpoints,
            RequestWatch watch,
            OrderEvents events) {
        this.server = server;
        this.files = (LoggedFiles) server.getTxnLogFactory();
        this.executor = executor;
        this.lock = lock;
        this.replies = replies;
        this.proposers = proposers;
        this.recoveredPosition = recoveredPosition;
        this.position = recoveredPosition;
        this.checkpoints = checkpoints;
        this.watch = watch;
        this.events = events;
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
        return executor.replicatedState().membership();
    }

    @Override
    public void positionBegins(long at) {
        lock.beginBatch();
        insidePosition = true;
    }

    @Override
    public void membershipChanged(long at, Membership membership) {
        executor.membershipChanged(membership);
    }

    @Override
    public void apply(long at, ProposedCommand command, Proposal own) {
        letReadsIn();
        server.proposalSizes().setLastBufferSize(command.command().length());
        long begun = watch.begins(command);
        executor.execute(at, command, own);
        watch.executed(at, command, own, begun);
    }

    /** What has been executed is what reads see, so they find its answers and watch events on their way. */
    private void letReadsIn() {
        if (lock.keepsReadsWaiting()) {
            replies.sendOn();
            lock.letReadsIn();
        }
    }

    @Override
    public void positionApplied(long at) {
        replies.sendOnIfLate();
        insidePosition = false;
        position = at;
        Checkpoints.Due due = due();
        if (due != Checkpoints.Due.NOTHING) {
            flush();
            checkpoints.start(due, checkpointRequest());
        }
        completeCheckpoints();
    }

    private Checkpoints.Due due() {
        if (executor.pollBeginsHere()) {
            return Checkpoints.Due.SNAPSHOT;
        }
        return executor.isForeign()
                ? Checkpoints.Due.NOTHING
                : checkpoints.due(executor.replicatedState().zxid());
    }

    private CheckpointRequest checkpointRequest() {
        return new CheckpointRequest(
                position,
                executor.replicatedState().zxid(),
                proposers.encode(),
                executor.replicatedState().encode());
    }

    /**
     * Captures the state for a checkpoint that is written by another thread.
     *
     * @param taker gets what was captured, or null if this replica has another state than the cluster: at the end of
     *     the position that is being executed, at once if none is. Nothing is executed until it returns, so that
     *     checkpoints are queued in the order of their positions; must not wait
     */
    public void captureCheckpoint(Consumer<CheckpointRequest> taker) {
        lock.read(() -> {
            if (insidePosition) {
                awaitedCheckpoints.add(taker);
            } else {
                taker.accept(executor.isForeign() ? null : checkpointRequest());
            }
        });
    }

    private void completeCheckpoints() {
        for (Consumer<CheckpointRequest> taker = awaitedCheckpoints.poll();
                taker != null;
                taker = awaitedCheckpoints.poll()) {
            taker.accept(executor.isForeign() ? null : checkpointRequest());
        }
    }

    @Override
    public void batchBegin() {
        replies.begin();
    }

    @Override
    public void batchEnd() {
        replies.end();
        flush();
        lock.endBatch();
    }

    @Override
    public void executionFailed() {
        lock.executionFailed();
    }

    /** Hands the log over to be written; the order's own log is what durability rests on. */
    private void flush() {
        long zxid = server.getZKDatabase().getDataTreeLastProcessedZxid();
        if (zxid == flushedZxid) {
            return;
        }
        try {
            files.handOver();
        } catch (IOException e) {
            throw new UncheckedIOException(LogFailure.message(server, e), e);
        }
        flushedZxid = zxid;
    }

    @Override
    public void statusChanged(OrderingStatus status) {
        events.statusChanged(status);
    }

    @Override
    public void memberSilent(int member, boolean silent) {
        events.memberSilent(member, silent);
    }

    @Override
    public void stateNeeded(int fromPeer, long needed) {
        events.stateNeeded(fromPeer, needed);
    }

    @Override
    public void checkpointWanted() {
        events.checkpointWanted();
    }

    @Override
    public void superseded(long incarnation) {
        events.superseded(incarnation);
    }

    /** At the end: the last position executed, {@link StopMarker#NO_POSITION} if the state is not the cluster's. */
    public long wholePosition() {
        return server.hasDiverged() || executor.isForeign() ? StopMarker.NO_POSITION : position;
    }

    /** The last position executed; any thread. */
    public long position() {
        return position;
    }
}
