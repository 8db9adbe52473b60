package io.chainkeeper.simulation.znode;

/** A reply that leaves; put into words only if somebody listens. */
record Answer(ServerConnection connection, int xid, long zxid) {
    @Override
    public String toString() {
        return "to " + connection + ", xid " + xid + ", zxid 0x" + Long.toHexString(zxid) + ", session 0x"
                + Long.toHexString(connection.getSessionId());
    }
}
