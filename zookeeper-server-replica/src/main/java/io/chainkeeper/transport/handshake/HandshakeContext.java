package io.chainkeeper.transport.handshake;

import io.chainkeeper.transport.TransportSettings;
import io.chainkeeper.transport.io.IoThread;

/**
 * What all handshakes of one transport share.
 *
 * @param settings who this replica is
 * @param io does all input and output
 * @param policy decides which peers are let in
 * @param refusals reports those that were not
 */
public record HandshakeContext(
        TransportSettings settings, IoThread io, HandshakePolicy policy, RefusalReporter refusals) {}
