package io.chainkeeper.server.execution;

import io.chainkeeper.command.AccessRules;
import io.chainkeeper.command.AuthId;
import io.chainkeeper.command.Command;
import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.server.guard.TransactionLimit;
import io.chainkeeper.server.session.ReplicatedSessionTracker;
import io.chainkeeper.server.state.Zxids;
import io.chainkeeper.server.zookeeper.ExecutionInProgress;
import io.chainkeeper.server.zookeeper.OrderedZooKeeperServer;
import java.io.IOException;
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
final class RequestExecutor implements ExecutionInProgress {
    private final OrderedZooKeeperServer server;
    private final RequestProcessor finalProcessor;
    private final DeterministicPrep prep;
    private final CountedSchemes schemes;
    private long zxid;
    private long agreedTimeMillis;
    private int quotaRefusedOp = Command.ClientRequest.QUOTA_KEPT;
    private AccessRules access;

    /** The thread that prepares a request, null if none does. Other threads never find themselves in it. */
    private volatile Thread preparing;

    RequestExecutor(
            OrderedZooKeeperServer server,
            ReconfigExecutor reconfigs,
            CountedSchemes schemes,
            RequestProcessor finalProcessor) {
        this.server = server;
        this.schemes = schemes;
        this.finalProcessor = finalProcessor;
        this.prep = new DeterministicPrep(server, reconfigs, schemes, new Logger());
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
        access = decided == null ? AccessRules.ALL_LISTS_HOLD : decided.access();
        preparing = Thread.currentThread();
        request.setOwner(localSession ? ReplicatedSessionTracker.LOCAL_OWNER : proposer);
        try {
            prep.prepare(request, proposer, takenZxid, timeMillis, decided == null ? 0 : decided.lackedSchemes());
        } catch (RequestProcessor.RequestProcessorException e) {
            throw new IllegalStateException(
                    "transaction " + Zxids.text(takenZxid) + " could not be executed: " + e.getMessage(), e);
        } finally {
            preparing = null;
        }
    }

    @Override
    public boolean quotaRefused() {
        return quotaRefusedOp != Command.ClientRequest.QUOTA_KEPT && prep.currentOp() == quotaRefusedOp;
    }

    @Override
    public List<Id> counted(List<Id> ids) {
        return schemes.counted(ids);
    }

    @Override
    public AccessRules access() {
        return preparing == Thread.currentThread() ? access : null;
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
        RequestRecord record = payload == null ? null : new OrderedRecord(payload);
        return new Request(null, command.sessionId(), command.cxid(), command.opcode(), record, ids);
    }

    Request closeRequest(long sessionId) {
        return new Request(null, sessionId, 0, OpCode.closeSession, null, null);
    }

    /** Writes the transaction before it is applied, because applying a failed multi rewrites its parts. */
    private final class Logger implements RequestProcessor {
        @Override
        public void processRequest(Request request) throws RequestProcessorException {
            preparing = null; // Whether a client hears of the change by a watch is a matter of its own server.
            TxnHeader header = request.getHdr();
            // Preparation stamps an empty multi, and a record that does not decode, by itself.
            header.setTime(agreedTimeMillis);
            header.setZxid(zxid);
            request.zxid = zxid;
            if (header.getType() == OpCode.error) {
                // A multi that ended with an exception still has the digest of the operations before it.
                request.setTxnDigest(null);
            }
            TransactionLimit.shorten(request);
            ZKDatabase database = server.getZKDatabase();
            try {
                database.append(request);
            } catch (IOException e) {
                throw new RequestProcessorException(LogFailure.message(server, e), e);
            }
            finalProcessor.processRequest(request);
        }

        @Override
        public void shutdown() {
            finalProcessor.shutdown();
        }
    }
}
