package io.chainkeeper.transport.link;

import io.chainkeeper.transport.PeerTransport;
import io.chainkeeper.transport.TransportSettings;
import io.chainkeeper.transport.handshake.HandshakeContext;
import io.chainkeeper.transport.handshake.RefusalReporter;
import io.chainkeeper.transport.io.IoThread;

/**
 * What all links of one transport share.
 *
 * @param handshakes what their handshakes share
 * @param listener told of what happens on the links
 */
public record LinkContext(HandshakeContext handshakes, PeerTransport.Listener listener) {
    TransportSettings settings() {
        return handshakes.settings();
    }

    IoThread io() {
        return handshakes.io();
    }

    RefusalReporter refusals() {
        return handshakes.refusals();
    }
}
