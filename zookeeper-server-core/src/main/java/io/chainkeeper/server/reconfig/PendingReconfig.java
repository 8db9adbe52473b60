package io.chainkeeper.server.reconfig;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.server.Request;

/**
 * A client's {@code reconfig} whose turn in its connection has come. Until it is ordered or refused, later requests of
 * the connection wait. Used by one thread, which may wait for the executor.
 */
public interface PendingReconfig {
    /** @return the client's request; its record decodes */
    Request request();

    /** @return whether the connection is closed, so that nobody waits for the answer */
    boolean abandoned();

    /**
     * Answers with an error and lets later requests go on.
     *
     * @param error the error
     */
    void refuse(KeeperException error);

    /**
     * Orders the request and lets later requests go on.
     *
     * @return whether it has its place in the order; if not, it never gets one, and is answered where anybody waits
     */
    boolean order();
}
