package io.chainkeeper.server.request;

import org.apache.zookeeper.server.Request;

/** The last step of a request's way: its reply. */
interface Responder {
    /**
     * Answers a request whose turn it is. The caller keeps execution apart.
     *
     * @param request needs nothing any more but its reply
     */
    void respond(Request request);
}
