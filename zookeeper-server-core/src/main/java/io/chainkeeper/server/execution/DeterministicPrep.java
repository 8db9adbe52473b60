package io.chainkeeper.server.execution;

import io.chainkeeper.command.Command;
import java.io.IOException;
import org.apache.jute.Record;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.common.Time;
import org.apache.zookeeper.server.PrepRequestProcessor;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.server.RequestProcessor;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.txn.TxnHeader;

/**
 * ZooKeeper's preparation of transactions, driven synchronously by the apply thread with the agreed zxid and time.
 * Its own thread is never started.
 */
final class DeterministicPrep extends PrepRequestProcessor {
    private final ZooKeeperServer server;
    private final ReconfigExecutor reconfigs;
    private final CountedSchemes schemes;
    private int proposer;
    private long agreedTimeMillis;
    private int lackedSchemes;
    private int op;

    DeterministicPrep(
            ZooKeeperServer server, ReconfigExecutor reconfigs, CountedSchemes schemes, RequestProcessor next) {
        super(server, next);
        this.schemes = schemes;
        this.server = server;
        this.reconfigs = reconfigs;
    }

    /**
     * Turns a request into a transaction and hands it to the next processor before returning.
     *
     * @param request the request
     * @param proposerId replica that proposed it
     * @param zxid the zxid it takes
     * @param timeMillis the agreed time
     * @param lacked see {@link io.chainkeeper.command.Command.ClientRequest#lackedSchemes}
     * @throws RequestProcessorException if the next processor failed
     */
    void prepare(Request request, int proposerId, long zxid, long timeMillis, int lacked)
            throws RequestProcessorException {
        proposer = proposerId;
        agreedTimeMillis = timeMillis;
        lackedSchemes = lacked;
        op = -1;
        server.setZxid(zxid - 1);
        request.prepStartTime = Time.currentElapsedTime(); // pRequest measures from here
        pRequest(request);
    }

    /** @return index in its multi of the operation being prepared, 0 for a single operation */
    int currentOp() {
        return op;
    }

    @Override
    protected void pRequest2Txn(int type, long zxid, Request request, Record record)
            throws KeeperException, IOException, RequestProcessorException {
        op++;
        TxnHeader header = request.getHdr();
        if (header == null) {
            request.setHdr(new TxnHeader(request.sessionId, request.cxid, zxid, agreedTimeMillis, type));
        } else {
            header.setTime(agreedTimeMillis);
        }
        if ((lackedSchemes & Command.ClientRequest.NO_TIMES_TO_LIVE) != 0
                && ExecutableRequests.asksForTimeToLive(record)) {
            throw new KeeperException.UnimplementedException();
        }
        if ((lackedSchemes & Command.ClientRequest.KEEPS_CONFIGURATION) != 0
                && ExecutableRequests.setsConfiguration(record)) {
            server.getSessionTracker().checkSession(request.sessionId, request.getOwner());
            throw new KeeperException.NoAuthException();
        }
        ExecutableRequests.check(type, record);
        if (lackedSchemes != 0) {
            ExecutableRequests.invalidateSchemes(record, lackedSchemes);
        }
        schemes.restrict(record, request.authInfo);
        if (type == OpCode.reconfig) {
            reconfigs.prepare(request, proposer, zxid);
        } else {
            super.pRequest2Txn(type, zxid, request, record);
        }
    }
}
