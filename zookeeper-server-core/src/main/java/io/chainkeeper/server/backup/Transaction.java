package io.chainkeeper.server.backup;

import java.nio.ByteBuffer;

/**
 * What tells one transaction from any other that could have its zxid.
 *
 * @param zxid its number
 * @param timeMillis its agreed time
 * @param session of the client that asked for it
 * @param cxid its number in the session
 */
record Transaction(long zxid, long timeMillis, long session, int cxid) {
    /**
     * @param entry an entry of the transaction log, from its header on
     * @return what it says
     */
    static Transaction of(ByteBuffer entry) {
        long session = entry.getLong();
        int cxid = entry.getInt();
        long zxid = entry.getLong();
        return new Transaction(zxid, entry.getLong(), session, cxid);
    }
}
