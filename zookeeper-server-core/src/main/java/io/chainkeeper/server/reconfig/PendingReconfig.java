package io.chainkeeper.server.reconfig;

import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.server.Request;

/**
 * A client's {@code reconfig} whose turn in its connection has come. Until it is ordered or refused, later requests of
 * the connection wait. Used by one thread, which never waits.
 */
public interface PendingReconfig {
    /** What has become of a request that was to be ordered. */
    enum Outcome {
        /** It has its place in the order. */
        ORDERED,
        /** It never gets one, and is answered where anybody waits. */
        NEVER,
        /** There is no room for it at the moment: it waits as before. */
        NO_ROOM
    }

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
     * Orders the request and lets later requests go on, if there is room.
     *
     * @return what has become of it
     */
    Outcome order();
}
