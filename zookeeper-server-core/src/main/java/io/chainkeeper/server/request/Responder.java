package io.chainkeeper.server.request;

import io.chainkeeper.replica.StageTimes;
import org.apache.zookeeper.server.Request;

/** The last step of a request's way: its reply. */
interface Responder {
    /**
     * Answers a request whose turn it is. The caller keeps execution apart.
     *
     * @param request needs nothing any more but its reply
     * @param barrierNanos when it was known how far the state has to be for it, {@link StageTimes#UNKNOWN} if it did
     *     not wait for that
     */
    void respond(Request request, long barrierNanos);
}
