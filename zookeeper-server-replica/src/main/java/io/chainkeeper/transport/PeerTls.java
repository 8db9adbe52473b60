package io.chainkeeper.transport;

import javax.net.ssl.SSLEngine;

/**
 * Makes the TLS engines of links. Engines authenticate both sides: an engine that lets a peer in without a trusted
 * certificate makes the replica ids of the handshake worthless. Thread-safe.
 */
public interface PeerTls {
    /**
     * An engine for a connection that this replica opens.
     *
     * @param host the member's host as configured; its certificate must be for this host
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

    /** @return whether connections that this replica opens use TLS; false while members change over to TLS */
    default boolean dials() {
        return true;
    }

    /** @return whether peers without TLS are let in too; true while members change over to TLS */
    default boolean admitsPlain() {
        return false;
    }
}
