package io.chainkeeper.server.admin;

import io.chainkeeper.transport.StateChannel;
import java.io.IOException;

/** Opens connections for bulk requests to other members. Safe for use by any thread. */
@FunctionalInterface
public interface MemberConnector {
    /**
     * Blocks until it is open.
     *
     * @param member replica id
     * @return a connection, to be closed by the caller
     * @throws IOException if the member cannot be reached or refuses; names it and the reason
     */
    StateChannel open(int member) throws IOException;
}
