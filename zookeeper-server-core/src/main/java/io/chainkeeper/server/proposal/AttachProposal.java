package io.chainkeeper.server.proposal;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.replica.Proposal;
import java.util.function.BooleanSupplier;
import org.apache.zookeeper.server.ServerCnxn;

/** A client's wish to go on with its session on a new connection. */
public final class AttachProposal extends Proposal {
    private final ServerCnxn connection;
    private final BooleanSupplier served;

    /**
     * @param stream see {@link Proposal}
     * @param command the encoded command
     * @param connection the new connection, which waits for the answer
     * @param served whether clients are served; any thread asks it
     */
    public AttachProposal(int stream, ByteSlice command, ServerCnxn connection, BooleanSupplier served) {
        super(stream, command);
        this.connection = connection;
        this.served = served;
    }

    @Override
    public boolean isWanted() {
        return served.getAsBoolean() && !connection.isStale();
    }

    /** @return the new connection */
    public ServerCnxn connection() {
        return connection;
    }
}
