package io.chainkeeper.server.request;

import io.chainkeeper.command.Command;
import io.chainkeeper.command.CommandCodec;
import io.chainkeeper.command.EncodedRequest;
import io.chainkeeper.config.OrderingConfig.ReadConsistency;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.replica.Proposal;
import io.chainkeeper.replica.ReplicaStoppedException;
import io.chainkeeper.server.execution.ExecutableRequests;
import io.chainkeeper.server.guard.ExecutionLock;
import io.chainkeeper.server.guard.ReplyMemory;
import io.chainkeeper.server.guard.ResourceGuards;
import io.chainkeeper.server.proposal.ClientProposal;
import io.chainkeeper.server.proposal.Proposer;
import io.chainkeeper.server.proposal.UpgradeProposal;
import io.chainkeeper.server.reconfig.PendingReconfig;
import io.chainkeeper.server.reconfig.PendingReconfig.Outcome;
import io.chainkeeper.server.session.ReplicatedSessionTracker;
import io.chainkeeper.server.session.SessionRule;
import io.chainkeeper.server.state.ReconfigRule;
import io.chainkeeper.server.state.ReplicatedState;
import io.chainkeeper.server.tracing.RequestWatch;
import io.chainkeeper.server.zookeeper.LocalRefusal;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import io.chainkeeper.server.zookeeper.RequestEntry;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import org.apache.zookeeper.ClientCnxn;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.proto.ReplyHeader;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.RequestProcessor;
import org.apache.zookeeper.server.ServerCnxn;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The first processor of every request, on the I/O thread of its connection. Writes are encoded and proposed; reads are
 * answered at once if nothing of their connection waits and no barrier is needed, else they wait in the connection's
 * {@link ReplyQueue}. Pings are answered at once. From here a request goes forward only: to the queue, to the order,
 * and from the queue to the {@link Responder}.
 */
public final class RequestRouter implements RequestEntry {
    private static final Logger LOG = LoggerFactory.getLogger(RequestRouter.class);

    private final OrderedZooKeeperServer server;
    private final FinalResponder responder;
    private final ExecutionLock lock;
    private final ReadConsistency reads;
    private final WriteChecks checks;
    private final EagerAccessCheck accessCheck;
    private final WatchChecks watchChecks;
    private final Proposer proposer;
    private final ReplicatedState state;
    private final ConcurrentMap<ServerCnxn, ReplyQueue> queues = new ConcurrentHashMap<>();

    /** That of the latest connection of each session. */
    private final ConcurrentMap<Long, ReplyQueue> queuesOfSessions = new ConcurrentHashMap<>();

    /** For some of what they hold back there was no room. Maintenance's. */
    private final Set<ReplyQueue> holding = new LinkedHashSet<>();

    private volatile Consumer<PendingReconfig> reconfigs = pending -> {};
    private volatile Consumer<Request> refusals = refused -> {};

    /**
     * @param server the server
     * @param finalProcessor answers requests
     * @param lock keeps reads and execution apart
     * @param reads what reads promise
     * @param proposer the way into the order
     * @param guards refuse what there is no room for
     * @param state says which rules are in force
     * @param watch notes how long requests take
     */
    public RequestRouter(
            OrderedZooKeeperServer server,
            RequestProcessor finalProcessor,
            ExecutionLock lock,
            ReadConsistency reads,
            Proposer proposer,
            ResourceGuards guards,
            ReplicatedState state,
            RequestWatch watch) {
        this.server = server;
        this.lock = lock;
        this.reads = reads;
        ReplyLimit limit = new ReplyLimit(server, ReplyMemory.OF_PROCESS);
        this.responder = new FinalResponder(server, finalProcessor, lock, limit, watch);
        this.checks = new WriteChecks(server, guards, limit);
        this.accessCheck = new EagerAccessCheck(server);
        this.watchChecks = new WatchChecks(server, guards.watches());
        this.proposer = proposer;
        this.state = state;
    }

    @Override
    public void processRequest(Request request) {
        if (request.cnxn == null) {
            ofTheServer(request);
            return;
        }
        if (request.type == OpCode.ping) {
            ping(request);
            return;
        }
        if (request.type == OpCode.createSession && request.authInfo != null) {
            // Those of the server itself, for a new connection, bear no identities.
            LOG.warn("Closing the connection of {}: it asked for a session within one", peer(request));
            drop(request);
            return;
        }
        ReplyQueue queue = request.type == OpCode.createSession ? open(request.cnxn) : queues.get(request.cnxn);
        if (queue == null || !server.isServing()) {
            drop(request);
        } else if (!queue.holdBack(request)) {
            process(queue, request, true);
        }
    }

    /**
     * A ping is answered at once, also past requests that wait. Then its answer names no zxid: a client that takes it
     * for one that it has seen, and reconnects before its watches were set here again, would ask for events later than
     * that only and miss the earlier ones.
     */
    private void ping(Request request) {
        ReplyQueue queue = queues.get(request.cnxn);
        if (queue == null || !queue.isBusy()) {
            responder.respondInline(request);
            return;
        }
        responder.endWithoutReply(request);
        try {
            request.cnxn.sendResponse(new ReplyHeader(ClientCnxn.PING_XID, 0, 0), null, "response");
        } catch (IOException e) {
            LOG.info("Closing the connection of {}: its ping cannot be answered: {}", peer(request), e.getMessage());
            request.cnxn.close(ServerCnxn.DisconnectReason.IO_EXCEPTION);
        }
    }

    private void ofTheServer(Request request) {
        if (request.isLocalSession()) {
            responder.respondInline(request);
        } else if (request.type == OpCode.deleteContainer) {
            // Maintenance may ask for it, and whoever asks looks again after a while.
            proposer.offer(request.sessionId, serverCommand(request));
        } else {
            proposer.propose(request.sessionId, serverCommand(request), () -> true);
        }
    }

    private Command.ClientRequest serverCommand(Request request) {
        return RequestCommands.command(
                request,
                request.readRequestBytes(),
                Command.ClientRequest.QUOTA_KEPT,
                0,
                false,
                proposer.wallClockMillis());
    }

    /** Returns whether the request goes its way; false if it may not wait and there is no room for it. */
    private boolean process(ReplyQueue queue, Request request, boolean mayWait) {
        if (queue.isEnding()) {
            // The connection is closed behind the answer to closeSession; none may follow it.
            responder.endWithoutReply(request);
        } else if (request.isThrottled()) {
            answerInTurn(queue, request);
        } else if (request.isLocalSession()) {
            // The beginning or the end of a session that no other replica knows.
            answerInTurn(queue, request);
            if (request.type == OpCode.closeSession) {
                queue.end();
            }
        } else if (ExecutableRequests.isOrdered(request.type)) {
            return write(queue, request, mayWait);
        } else {
            read(queue, request);
        }
        return true;
    }

    /** Also one that is refused waits for its barrier: its answer carries a zxid, and watches fire in front of it. */
    private void read(ReplyQueue queue, Request request) {
        ReadChecks.markIfBroken(request);
        if (!watchChecks.check(request)) {
            drop(request);
            return;
        }
        if (reads == ReadConsistency.LINEARIZABLE || request.type == OpCode.sync) {
            waitForTurn(queue.addBarrierRead(request));
        } else {
            answerInTurn(queue, request);
        }
    }

    @Override
    public void opened(ServerCnxn connection) {
        open(connection);
    }

    private ReplyQueue open(ServerCnxn connection) {
        ReplyQueue queue =
                queues.computeIfAbsent(connection, key -> new ReplyQueue(lock, responder, server::isServing));
        ReplyQueue earlier = queuesOfSessions.put(connection.getSessionId(), queue);
        if (earlier != null && earlier != queue) {
            close(earlier);
        }
        if (connection.isStale()) {
            // Whoever closes it marks it first and calls closed() after that: perhaps before the queue was there.
            closed(connection);
            queuesOfSessions.remove(connection.getSessionId(), queue);
        }
        return queue;
    }

    /** @return how many connections it keeps the requests of; any thread */
    public int queueCount() {
        return queues.size();
    }

    private static Object peer(Request request) {
        return request.cnxn.getRemoteSocketAddress();
    }

    /**
     * The connection is closed; what it has brought into the order is still executed, all else is dropped.
     *
     * @param connection the connection
     */
    public void closed(ServerCnxn connection) {
        ReplyQueue queue = queues.remove(connection);
        if (queue != null) {
            close(queue);
            queuesOfSessions.remove(connection.getSessionId(), queue);
        }
    }

    private void close(ReplyQueue queue) {
        if (state.sessions().follows(SessionRule.CLOSED_CONNECTIONS_ORDER_NOTHING)) {
            queue.close();
            proposer.reconsider();
        }
    }

    /**
     * @param planner given each {@code reconfig} in its turn, by the apply thread; must not wait. Until it is set
     *     they are not answered.
     */
    public void onReconfig(Consumer<PendingReconfig> planner) {
        reconfigs = planner;
    }

    /**
     * @param listener told of each write that is not going to be ordered, as soon as that is decided; its answer waits
     *     for its turn. Must not wait.
     */
    public void onRefusal(Consumer<Request> listener) {
        refusals = listener;
    }

    private boolean write(ReplyQueue queue, Request request, boolean mayWait) {
        if (request.type == OpCode.deleteContainer) {
            // Deletes without any access check: only the server itself may ask for it.
            LOG.warn("Closing the connection of {}: it asked to delete a container", peer(request));
            drop(request);
            return true;
        }
        byte[] payload = request.readRequestBytes();
        KeeperException refusal = checks.refusal(request, payload);
        if (refusal == null) {
            refusal = accessCheck.refusal(request);
        }
        if (refusal != null) {
            refuse(queue, request, refusal);
            return true;
        }
        Outcome upgraded = upgradeIfNeeded(queue, request, mayWait);
        if (upgraded != Outcome.ORDERED) {
            return upgraded != Outcome.NO_ROOM;
        }
        if (request.type == OpCode.reconfig) {
            waitForTurn(queue.addTurn(request, () -> reconfigs.accept(new Reconfig(queue, request, payload))));
            return true;
        }
        return order(queue, request, payload, mayWait) != Outcome.NO_ROOM;
    }

    private boolean enter(Proposal proposal, boolean mayWait) {
        return mayWait ? proposer.propose(proposal) : proposer.offer(proposal);
    }

    /** Makes a local session known to all replicas, in front of its first ephemeral node. */
    private Outcome upgradeIfNeeded(ReplyQueue queue, Request request, boolean mayWait) {
        try {
            Request upgrade = server.checkUpgradeSession(request);
            if (upgrade == null) {
                return Outcome.ORDERED;
            }
            ByteSlice command = CommandCodec.encode(serverCommand(upgrade));
            int stream = proposer.streamOf(request.sessionId);
            if (enter(new UpgradeProposal(stream, command, request.sessionId, queue::isWanted), mayWait)) {
                return Outcome.ORDERED;
            }
            ((ReplicatedSessionTracker) server.getSessionTracker()).stayLocal(request.sessionId);
            return notOrdered(queue, request, mayWait);
        } catch (KeeperException e) {
            refuse(queue, request, e);
        } catch (IOException e) {
            throw new IllegalStateException("a request that decoded before does not decode any more: " + request, e);
        } catch (ReplicaStoppedException e) {
            request.cnxn.close(ServerCnxn.DisconnectReason.SERVER_SHUTDOWN);
        }
        return Outcome.NEVER;
    }

    /**
     * What was to be ordered has not taken its place. Unless it goes on waiting, nothing behind it may be ordered
     * either, so the connection ends with it.
     */
    private Outcome notOrdered(ReplyQueue queue, Request request, boolean mayWait) {
        if (!mayWait && queue.isWanted()) {
            return Outcome.NO_ROOM;
        }
        queue.close();
        drop(request);
        return Outcome.NEVER;
    }

    /** If the replica does not go on, what is outstanding counts as ordered. */
    private Outcome order(ReplyQueue queue, Request request, byte[] payload, boolean mayWait) {
        EncodedRequest command = CommandCodec.encodeKept(RequestCommands.command(
                request,
                payload,
                checks.quotaRefusedOp(request),
                checks.lackedSchemes(request, payload),
                server.isLocalSession(request.sessionId),
                proposer.wallClockMillis()));
        KeeperException refusal =
                WriteChecks.refusalOfCommand(request, command.bytes().length());
        if (refusal != null) {
            refuse(queue, request, refusal);
            return Outcome.NEVER;
        }
        ReplyQueue.Entry entry = queue.addWrite(request);
        try {
            if (!enter(new ClientProposal(proposer.streamOf(request.sessionId), command, entry), mayWait)) {
                queue.remove(entry);
                return notOrdered(queue, request, mayWait);
            }
        } catch (ReplicaStoppedException e) {
            request.cnxn.close(ServerCnxn.DisconnectReason.SERVER_SHUTDOWN);
        }
        if (request.type == OpCode.closeSession) {
            queue.end();
        }
        return Outcome.ORDERED;
    }

    private void waitForTurn(ReplyQueue.Entry entry) {
        try {
            proposer.readBarrier(entry);
        } catch (ReplicaStoppedException e) {
            entry.request().cnxn.close(ServerCnxn.DisconnectReason.SERVER_SHUTDOWN);
        }
    }

    private final class Reconfig implements PendingReconfig {
        private final ReplyQueue queue;
        private final Request request;
        private final byte[] payload;

        private Reconfig(ReplyQueue queue, Request request, byte[] payload) {
            this.queue = queue;
            this.request = request;
            this.payload = payload;
        }

        @Override
        public Request request() {
            return request;
        }

        @Override
        public boolean abandoned() {
            return queues.get(request.cnxn) != queue;
        }

        @Override
        public void refuse(KeeperException error) {
            RequestRouter.this.refuse(queue, request, error);
            release();
        }

        @Override
        public Outcome order() {
            Outcome outcome = RequestRouter.this.order(queue, request, payload, false);
            if (outcome != Outcome.NO_ROOM) {
                release();
            }
            return outcome;
        }

        private void release() {
            if (!state.follows(ReconfigRule.WHAT_A_RECONFIG_HELD_BACK_IS_TAKEN_UP)) {
                return;
            }
            queue.release();
            takeUp(queue);
        }
    }

    private void takeUp(ReplyQueue queue) {
        for (Request next = queue.nextHeld(); next != null; next = queue.nextHeld()) {
            if (!process(queue, next, false)) {
                queue.holdAgain(next);
                holding.add(queue);
                return;
            }
        }
        holding.remove(queue);
    }

    /** Maintenance: takes up what was held back behind a {@code reconfig} and found no room until now. */
    public void takeUpHeld() {
        List.copyOf(holding).forEach(this::takeUp);
    }

    private void refuse(ReplyQueue queue, Request request, KeeperException error) {
        LocalRefusal.mark(request, error);
        refusals.accept(request);
        answerInTurn(queue, request);
    }

    private void answerInTurn(ReplyQueue queue, Request request) {
        if (!queue.addIfBusy(request)) {
            responder.respondInline(request);
        }
    }

    private void drop(Request request) {
        responder.endWithoutReply(request);
        request.cnxn.close(ServerCnxn.DisconnectReason.SERVER_SHUTDOWN);
    }

    @Override
    public void shutdown() {
        responder.shutdown();
    }
}
