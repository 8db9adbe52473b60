package io.chainkeeper.transport;

import javax.net.ssl.SSLEngine;

/**
 * Where links get their TLS from. Engines authenticate both sides: one that lets a peer in without a trusted
 * certificate makes the replica ids of the handshake worthless. Thread-safe.
 */
public interface PeerTls {
    /**
     * An engine for a connection that this replica opens.
     *
     * @param host the member's host as configured; what its certificate is held against
     * @param port the member's port
     * @return a fresh engine in client mode
     */
    SSLEngine client(String host, int port);

    /**
     * An engine for a connection that this replica has accepted.
     *
     * @param remoteAddress literal address of the other end
     * @param remotePort port of the other end
     * @return a fresh engine in server mode that demands a certificate
     */
    SSLEngine server(String remoteAddress, int remotePort);

    /** @return whether connections that this replica opens use TLS; for as long as all members change over to it */
    default boolean dials() {
        return true;
    }

    /** @return whether peers without TLS are let in too; for as long as all members change over to it */
    default boolean admitsPlain() {
        return false;
    }
}
