package io.chainkeeper.server.execution;

import io.chainkeeper.command.AuthId;
import io.chainkeeper.command.Command;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.server.OrderedZooKeeperServer;
import io.chainkeeper.server.session.ReplicatedSessionTracker;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.RequestProcessor;
import org.apache.zookeeper.server.RequestRecord;
import org.apache.zookeeper.server.ZKDatabase;
import org.apache.zookeeper.txn.TxnHeader;

/**
 * Executes one request: ZooKeeper's preparation, the transaction log, ZooKeeper's final processor, all on the executor
 * thread before the next request is looked at.
 */
final class RequestExecutor {
    private final OrderedZooKeeperServer server;
    private final RequestProcessor finalProcessor;
    private final DeterministicPrep prep;
    private long zxid;
    private long agreedTimeMillis;
    private int quotaRefusedOp = Command.ClientRequest.QUOTA_KEPT;

    RequestExecutor(OrderedZooKeeperServer server, ReconfigExecutor reconfigs, RequestProcessor finalProcessor) {
        this.server = server;
        this.finalProcessor = finalProcessor;
        this.prep = new DeterministicPrep(server, reconfigs, new Logger());
    }

    /**
     * Executes a request.
     *
     * @param request the request, the proposer's own object on its own replica
     * @param proposer replica id
     * @param decided what its proposer has decided, null for the end of a session that has expired
     * @param takenZxid the zxid it takes
     * @param timeMillis the agreed time
     */
    void execute(Request request, int proposer, Command.ClientRequest decided, long takenZxid, long timeMillis) {
        zxid = takenZxid;
        agreedTimeMillis = timeMillis;
        quotaRefusedOp = decided == null ? Command.ClientRequest.QUOTA_KEPT : decided.quotaRefusedOp();
        boolean localSession = decided != null && decided.localSession();
        request.setOwner(localSession ? ReplicatedSessionTracker.LOCAL_OWNER : proposer);
        try {
            prep.prepare(request, proposer, takenZxid, timeMillis, decided == null ? 0 : decided.lackedSchemes());
        } catch (RequestProcessor.RequestProcessorException e) {
            throw new IllegalStateException(
                    "transaction " + Zxids.text(takenZxid) + " could not be executed: " + e.getMessage(), e);
        }
    }

    /** @return whether the operation being prepared was found by its proposer to exceed a quota */
    boolean quotaRefused() {
        return quotaRefusedOp != Command.ClientRequest.QUOTA_KEPT && prep.currentOp() == quotaRefusedOp;
    }

    /**
     * Rebuilds the request of another replica.
     *
     * @param command the ordered command
     * @return a request without connection
     */
    Request remoteRequest(Command.ClientRequest command) {
        List<Id> ids = null;
        if (command.authIds() != null) {
            ids = new ArrayList<>(command.authIds().size());
            for (AuthId id : command.authIds()) {
                ids.add(new Id(id.scheme(), id.id()));
            }
        }
        ByteSlice payload = command.payload();
        RequestRecord record = payload == null
                ? null
                : RequestRecord.fromBytes(ByteBuffer.wrap(payload.array(), payload.offset(), payload.length())
                        .slice());
        return new Request(null, command.sessionId(), command.cxid(), command.opcode(), record, ids);
    }

    Request closeRequest(long sessionId) {
        return new Request(null, sessionId, 0, OpCode.closeSession, null, null);
    }

    /** Writes the transaction before it is applied, because applying a failed multi rewrites its parts. */
    private final class Logger implements RequestProcessor {
        @Override
        public void processRequest(Request request) throws RequestProcessorException {
            TxnHeader header = request.getHdr();
            // Preparation stamps an empty multi, and a record that does not decode, by itself.
            header.setTime(agreedTimeMillis);
            header.setZxid(zxid);
            request.zxid = zxid;
            if (header.getType() == OpCode.error) {
                // A multi that ended with an exception still has the digest of the operations before it.
                request.setTxnDigest(null);
            }
            ZKDatabase database = server.getZKDatabase();
            try {
                database.append(request);
            } catch (IOException e) {
                throw new RequestProcessorException(server.logNotWritten(e), e);
            }
            finalProcessor.processRequest(request);
        }

        @Override
        public void shutdown() {
            finalProcessor.shutdown();
        }
    }
}
