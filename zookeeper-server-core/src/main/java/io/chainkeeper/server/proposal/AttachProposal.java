package io.chainkeeper.server.proposal;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.replica.Proposal;
import org.apache.zookeeper.server.ServerCnxn;

/** A client's wish to go on with its session on a new connection. */
public final class AttachProposal extends Proposal {
    private final ServerCnxn connection;

    /**
     * @param stream see {@link Proposal}
     * @param command the encoded command
     * @param connection the new connection, which waits for the answer
     */
    public AttachProposal(int stream, ByteSlice command, ServerCnxn connection) {
        super(stream, command);
        this.connection = connection;
    }

    /** @return the new connection */
    public ServerCnxn connection() {
        return connection;
    }
}
