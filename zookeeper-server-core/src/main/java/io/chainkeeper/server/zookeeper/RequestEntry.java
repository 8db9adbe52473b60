package io.chainkeeper.server.zookeeper;

import org.apache.zookeeper.server.RequestProcessor;
import org.apache.zookeeper.server.ServerCnxn;

/** Where clients' requests enter: the first of the server's processors, on the thread that has read them. */
public interface RequestEntry extends RequestProcessor {
    /**
     * Makes room for the requests of a connection to which a session is going to be attached.
     *
     * @param connection the connection
     */
    void opened(ServerCnxn connection);
}
