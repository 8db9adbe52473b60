package io.chainkeeper.server.request;

import io.chainkeeper.replica.ReplicaStoppedException;
import io.chainkeeper.replica.StageTimes;
import io.chainkeeper.server.connection.InlineReplies;
import io.chainkeeper.server.guard.ExecutionLock;
import io.chainkeeper.server.tracing.RequestWatch;
import io.chainkeeper.server.zookeeper.LocalRefusal;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.RequestProcessor;
import org.apache.zookeeper.server.ServerCnxn;

/** Has ZooKeeper's final processor answer what is not executed, if there is memory for the reply. Any thread. */
final class FinalResponder implements Responder {
    private final OrderedZooKeeperServer server;
    private final RequestProcessor finalProcessor;
    private final ExecutionLock lock;
    private final ReplyLimit limit;
    private final RequestWatch watch;

    /**
     * @param server the server
     * @param finalProcessor answers requests
     * @param lock keeps replies and execution apart
     * @param limit on the memory for replies
     * @param watch told of each answer
     */
    FinalResponder(
            OrderedZooKeeperServer server,
            RequestProcessor finalProcessor,
            ExecutionLock lock,
            ReplyLimit limit,
            RequestWatch watch) {
        this.server = server;
        this.finalProcessor = finalProcessor;
        this.lock = lock;
        this.limit = limit;
        this.watch = watch;
    }

    @Override
    public void respond(Request request, long barrierNanos) {
        long reserved = LocalRefusal.isRefused(request) ? 0 : limit.reserve(request);
        try {
            finalProcessor.processRequest(request);
        } catch (RequestProcessor.RequestProcessorException e) {
            throw new IllegalStateException("request could not be answered: " + request, e);
        } finally {
            limit.release(reserved);
        }
        watch.answered(request, barrierNanos);
    }

    /**
     * Answers on the thread that has read the request, keeping execution apart.
     *
     * @param request nothing of its connection waits in front of it
     */
    void respondInline(Request request) {
        try {
            InlineReplies.run(() -> lock.read(() -> respond(request, StageTimes.UNKNOWN)));
        } catch (ReplicaStoppedException e) {
            endWithoutReply(request);
            if (request.cnxn != null) {
                request.cnxn.close(ServerCnxn.DisconnectReason.SERVER_SHUTDOWN);
            }
        }
    }

    /** @param request counts as finished, although it gets no reply from here */
    void endWithoutReply(Request request) {
        server.decInProcess();
        server.requestFinished(request);
    }

    /** The server ends. */
    void shutdown() {
        finalProcessor.shutdown();
    }
}
