package io.chainkeeper.server.zookeeper;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.OpCode;
import org.apache.zookeeper.server.Request;
import org.apache.zookeeper.txn.ErrorTxn;
import org.apache.zookeeper.txn.TxnHeader;

/** The error of a request that is answered without having been ordered; never applied to the tree. */
public final class LocalRefusal extends ErrorTxn {
    private LocalRefusal(int code) {
        super(code);
    }

    /**
     * Makes a request one that is answered with an error and changes nothing.
     *
     * @param request not ordered
     * @param error what its client is told
     */
    public static void mark(Request request, KeeperException error) {
        request.setException(error);
        request.setHdr(new TxnHeader(request.sessionId, request.cxid, -1, System.currentTimeMillis(), OpCode.error));
        request.setTxn(new LocalRefusal(error.code().intValue()));
    }

    /**
     * @param request a request
     * @return whether it was refused before it was ordered
     */
    public static boolean isRefused(Request request) {
        return request.getTxn() instanceof LocalRefusal;
    }
}
